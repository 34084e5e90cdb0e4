// A language model in a worker: the page stays free.

import { checkCount, checkObject, checkWatch, refuse } from '../check.js';
import { DisposedError, InputError } from '../errors.js';
import { absolute, moduleOf } from '../files.js';
import { ALL_MEMORY, checkModules, chosen } from '../load.js';
import { Thread } from '../thread.js';
import { Generation } from './generation.js';
import { requestJson } from './request.js';
import { checkSource } from './source.js';

const OPTIONS = ['build', 'modules', 'onProgress', 'signal', 'maxMemory', 'worker'];

// Written out in full, so that bundlers find the files.
const MODULES = {
  simd128: () => new URL('../../dist/complete.wasm', import.meta.url),
  relaxed: () => new URL('../../dist/complete-relaxed.wasm', import.meta.url),
};
const webWorker = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
/** From where `Thread` is; not spelled where it is used, as there. */
const NODE_SCRIPT = './complete/worker.js';

export class LanguageModel {
  #thread;
  #told;
  #last = Promise.resolve(); // settles when the worker is free
  #texts = 0;

  static async load(source, options = {}) {
    checkObject(options, 'load', OPTIONS);
    checkWatch(options);
    checkModules(options.modules);
    checkCount(options.maxMemory, 'maxMemory');
    const { signal, onProgress, worker, maxMemory } = options;
    if (worker !== undefined && typeof worker !== 'function') throw refuse('worker', 'a function that makes a Worker', worker);
    signal?.throwIfAborted();
    const build = chosen(options.build ?? 'auto');
    const from = typeof source === 'string' ? await absolute(source, 'model') : source;
    checkSource(from);
    const at = options.modules?.[build];
    const module = at instanceof WebAssembly.Module ? at : await moduleOf(at === undefined ? MODULES[build]() : await absolute(at, 'module'), signal);
    signal?.throwIfAborted();
    const make = worker ?? (typeof Worker === 'function' ? webWorker : undefined);
    const thread = await Thread.start(undefined, make, NODE_SCRIPT);
    // Whatever ends the load ends the worker: its connection, its memory.
    const end = (reason) => thread.terminate(reason);
    const abort = () => end(signal.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (signal?.aborted) abort();
      // A URL cannot be sent as one.
      const message = { act: 'load', module, maxMemory: Math.min(maxMemory ?? 0, ALL_MEMORY), source: from instanceof URL ? { url: from.href } : from };
      const told = await thread.ask(message, (progress) => {
        try {
          onProgress?.(progress);
        } catch (error) {
          end(error);
        }
      });
      return new LanguageModel(thread, told);
    } catch (error) {
      end(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** For `load`. */
  constructor(thread, told) {
    if (!(thread instanceof Thread)) {
      throw new InputError('invalid_field', 'a model is made by `await LanguageModel.load(source)`', { field: 'source' });
    }
    this.#thread = thread;
    const { version, build, name, architecture, context, vocabulary, template } = told;
    this.#told = Object.freeze({ version, build, name, architecture, context, vocabulary, template });
  }

  get info() {
    return this.#told;
  }

  generate(input, options = {}) {
    const request = requestJson(input, options);
    const generation = new Generation(options);
    // One after the other: the model has one cache. A text that failed or was ended does not keep the others waiting.
    this.#last = this.#last.then(() => this.#write(generation, request));
    return generation;
  }

  /** Never rejects. */
  async #write(generation, request) {
    const text = this.#texts++;
    try {
      if (!generation.start(() => this.#thread.ask({ act: 'stop', text }).catch(() => {}))) return;
      generation.finish(await this.#thread.ask({ act: 'generate', request, text }, (event) => generation.hear(event)));
    } catch (error) {
      generation.fail(error);
    }
  }

  memoryBytes() {
    return this.#thread.ask({ act: 'memory' });
  }

  dispose() {
    this.#thread.terminate(new DisposedError('disposed', 'this model was disposed of'));
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    this.dispose();
  }
}
