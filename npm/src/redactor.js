// A redactor in the thread that calls it. `RedactorPool` is the same off the thread.

import { optionsJson, Redaction, restoreJson } from './answer.js';
import { checkText } from './check.js';
import { DisposedError, InputError } from './errors.js';
import { Instance } from './instance.js';
import { parts } from './load.js';

export class Redactor {
  #module;
  #limits;
  #instance;
  #version;

  static async load(options) {
    const { module, model, limits } = await parts(options);
    return new Redactor(module, model, limits);
  }

  /** For `load` and for workers, which get module and model from the page. */
  constructor(module, model, limits) {
    if (!(module instanceof WebAssembly.Module)) {
      throw new InputError('invalid_field', 'a redactor is made by `await Redactor.load()`', { field: 'module' });
    }
    this.#module = module;
    this.#limits = limits;
    this.#start(model);
  }

  get version() {
    return this.#version;
  }

  /** Whether calls are answered: not after `dispose`, and not where a trapped instance could not be replaced. */
  get alive() {
    return this.#instance !== undefined;
  }

  get memoryBytes() {
    return this.#instance?.memoryBytes ?? 0;
  }

  redact(text, options) {
    return new Redaction(this.answer(text, optionsJson(options)), options, (...way) => this.restore(...way));
  }

  restore(text, map, options) {
    checkText(text, this.#limits.maxTextLength);
    const body = restoreJson(text, map, options);
    return JSON.parse(this.#use((instance) => instance.restore(body)));
  }

  logits(text) {
    checkText(text, this.#limits.maxTextLength);
    return this.#use((instance) => instance.logits(text));
  }

  dispose() {
    // Nothing else refers to the instance: its memory goes with it.
    this.#instance = undefined;
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    this.dispose();
  }

  /** The API's answer as the module gives it; `logits` are those of all windows, where others have read them. */
  answer(text, options, logits) {
    checkText(text, this.#limits.maxTextLength);
    return JSON.parse(this.#use((instance) => instance.redact(text, options, logits)));
  }

  /** The ids of each window of a text, for `forward` here or elsewhere. */
  windows(text, options) {
    checkText(text, this.#limits.maxTextLength);
    return this.#use((instance) => instance.windows(text, options));
  }

  /** `{logits, times}` of one window. */
  forward(ids) {
    return this.#use((instance) => instance.forward(ids));
  }

  #start(model) {
    const instance = new Instance(this.#module, this.#limits.maxMemory);
    const { model_sha256: modelSha256, rules_version: rulesVersion, ...rest } = instance.load(model);
    this.#version = Object.freeze({ ...rest, modelSha256, rulesVersion });
    this.#instance = instance;
  }

  #use(work) {
    const instance = this.#instance;
    if (!instance) throw new DisposedError('disposed', 'this redactor was disposed of');
    try {
      return work(instance);
    } finally {
      if (instance.trapped) {
        this.#instance = undefined;
        // Should even this fail, the redactor stays disposed of: no answer comes from a broken instance.
        this.#start(instance.modelFile());
      }
    }
  }
}
