// Which module and which model: the part of loading that a page and a pool share.

import { MODEL_SHA256 } from '../dist/manifest.js';
import { checkCount, checkObject, checkWatch, refuse } from './check.js';
import { InputError, LoadError } from './errors.js';
import { relaxedSimd, simd } from './features.js';
import { absolute, bytesOf, moduleOf } from './files.js';

const BUILDS = ['simd128', 'relaxed'];
const OPTIONS = ['model', 'sha256', 'cache', 'build', 'modules', 'onProgress', 'signal', 'maxMemory', 'maxTextLength'];

/** What 32-bit addresses reach; a limit over it is none. */
export const ALL_MEMORY = 2 ** 32 - 1;

/** UTF-16 units of a text; more is refused. At 10 MB/min this is a day's log, and more likely a mistake. */
const MAX_TEXT_LENGTH = 1 << 24;

// Written out in full, so that bundlers find the files.
const MODULES = {
  simd128: () => new URL('../dist/lacuna.wasm', import.meta.url),
  relaxed: () => new URL('../dist/lacuna-relaxed.wasm', import.meta.url),
};
const MODEL = () => new URL('../dist/rampart-q4_0.gguf', import.meta.url);

/** `{module, model, build, limits}`: what an instance is made of. `more` names options beside those of all. */
export async function parts(options = {}, more = []) {
  check(options, more);
  const build = chosen(options.build ?? 'auto');
  const at = options.modules?.[build];
  const { sha256 = options.model === undefined ? MODEL_SHA256 : undefined, onProgress, signal, cache } = options;
  // Whichever fails first ends the other.
  const both = new AbortController();
  const end = () => both.abort(signal.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', end, { once: true });
  try {
    const [module, model] = await Promise.all([
      at instanceof WebAssembly.Module ? at : moduleOf(at === undefined ? MODULES[build]() : await absolute(at, 'module'), both.signal),
      bytesOf(options.model ?? MODEL(), { sha256, onProgress, signal: both.signal, cache }),
    ]);
    signal?.throwIfAborted();
    const maxMemory = Math.min(options.maxMemory ?? 0, ALL_MEMORY);
    return { module, model, build, limits: { maxMemory, maxTextLength: options.maxTextLength ?? MAX_TEXT_LENGTH } };
  } catch (error) {
    both.abort(error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

function check(options, more) {
  checkObject(options, 'load', [...OPTIONS, ...more]);
  checkWatch(options);
  for (const field of ['maxMemory', 'maxTextLength', 'workers']) checkCount(options[field], field);
  const { model, sha256, cache, build, modules, worker } = options;
  if (worker !== undefined && typeof worker !== 'function') throw refuse('worker', 'a function that makes a Worker', worker);
  for (const [field, value] of Object.entries({ model, build })) {
    if (value === null) throw refuse(field, 'left out or given', value);
  }
  if (cache !== undefined && typeof cache !== 'boolean') throw refuse('cache', 'true or false', cache);
  if (sha256 !== undefined && sha256 !== null && !(typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256))) {
    throw new InputError('invalid_field', 'sha256: must be 64 hexadecimal digits, or null', { field: 'sha256' });
  }
  checkModules(modules);
}

/** Checks where modules are: URLs, or compiled modules. */
export function checkModules(modules) {
  if (modules === undefined) return;
  checkObject(modules, 'modules', BUILDS);
  for (const name of BUILDS) {
    const at = modules[name];
    if (at !== undefined && typeof at !== 'string' && !(at instanceof URL) && !(at instanceof WebAssembly.Module)) {
      throw refuse(`modules.${name}`, 'a URL or a WebAssembly.Module', at);
    }
  }
}

/** Which build runs: `build`, or for `auto` the fastest that this engine takes. */
export function chosen(build) {
  if (build !== 'auto' && !BUILDS.includes(build)) {
    throw new InputError('invalid_field', `build: must be auto, ${BUILDS.join(' or ')}`, { field: 'build', got: build });
  }
  if (build === 'auto') build = relaxedSimd() ? 'relaxed' : 'simd128';
  if (!(build === 'relaxed' ? relaxedSimd() : simd())) {
    throw new LoadError('no_simd', `this engine does not run the ${build} build`, { field: 'build', got: build });
  }
  return build;
}
