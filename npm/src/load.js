// Which module and which model: the part of loading that a page and a pool share.

import { MODEL_SHA256 } from '../dist/manifest.js';
import { InputError, LoadError } from './errors.js';
import { relaxedSimd, simd } from './features.js';
import { absolute, bytesOf, moduleOf } from './files.js';

const BUILDS = ['simd128', 'relaxed'];
const OPTIONS = ['model', 'sha256', 'cache', 'build', 'modules', 'onProgress', 'signal', 'maxMemory', 'maxTextLength', 'workers'];

/** UTF-16 units of a text; more is refused. At 10 MB/min this is a day's log, and more likely a mistake. */
const MAX_TEXT_LENGTH = 1 << 24;

// Written out in full, so that bundlers find the files.
const MODULES = {
  simd128: () => new URL('../dist/lacuna.wasm', import.meta.url),
  relaxed: () => new URL('../dist/lacuna-relaxed.wasm', import.meta.url),
};
const MODEL = () => new URL('../dist/rampart-q4_0.gguf', import.meta.url);

/** `{module, model, build, limits}`: what an instance is made of. */
export async function parts(options = {}) {
  check(options);
  const build = chosen(options.build ?? 'auto');
  const at = options.modules?.[build];
  const { sha256 = options.model === undefined ? MODEL_SHA256 : undefined, onProgress, signal, cache } = options;
  const [module, model] = await Promise.all([
    at instanceof WebAssembly.Module ? at : moduleOf(at === undefined ? MODULES[build]() : absolute(at, 'module'), signal),
    bytesOf(options.model ?? MODEL(), { sha256, onProgress, signal, cache }),
  ]);
  signal?.throwIfAborted();
  const limits = { maxMemory: options.maxMemory ?? 0, maxTextLength: options.maxTextLength ?? MAX_TEXT_LENGTH };
  return { module, model, build, limits };
}

function check(options) {
  if (typeof options !== 'object' || options === null) {
    throw new InputError('invalid_field', 'load takes an object of options', { field: 'options' });
  }
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new InputError('unknown_field', `load has no option ${JSON.stringify(unknown)}; it has ${OPTIONS.join(', ')}`, { field: unknown });
  }
  for (const field of ['maxMemory', 'maxTextLength', 'workers']) {
    const value = options[field];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new InputError('invalid_field', `${field}: must be a positive integer`, { field, got: value });
    }
  }
}

function chosen(build) {
  if (build !== 'auto' && !BUILDS.includes(build)) {
    throw new InputError('invalid_field', `build: must be auto, ${BUILDS.join(' or ')}`, { field: 'build', got: build });
  }
  if (build === 'auto') build = relaxedSimd() ? 'relaxed' : 'simd128';
  if (!(build === 'relaxed' ? relaxedSimd() : simd())) {
    throw new LoadError('no_simd', `this engine does not run the ${build} build`, { field: 'build', got: build });
  }
  return build;
}
