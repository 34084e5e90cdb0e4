// Redactors in workers. The windows of a long text and the texts of a batch are shared out; who reads what makes no
// difference to the answer, because a window's logits depend on nothing but its ids.

import { checkText, optionsJson, Redaction, restoreJson } from './answer.js';
import { DisposedError, InputError } from './errors.js';
import { parts } from './load.js';
import { Thread } from './thread.js';

/** UTF-16 units that are surely one window: such a text is one message there and one back. */
const ONE_WINDOW = 120;
const MOST_WORKERS = 16;

export class RedactorPool {
  #parts;
  #threads = [];
  #idle = [];
  #queue = [];
  #version;
  #disposed = false;

  static async load(options = {}) {
    const pool = new RedactorPool();
    pool.#parts = await parts(options);
    const workers = Math.min(options.workers ?? defaultWorkers(), MOST_WORKERS);
    try {
      await Promise.all(Array.from({ length: workers }, () => pool.#add()));
      options.signal?.throwIfAborted();
    } catch (error) {
      pool.dispose();
      throw error;
    }
    return pool;
  }

  get version() {
    return this.#version;
  }

  get workers() {
    return this.#threads.length;
  }

  async redact(text, options, { signal, onProgress } = {}) {
    checkText(text, this.#parts.limits.maxTextLength);
    const job = new Job(signal);
    try {
      return await this.#redact(text, options, job, onProgress);
    } finally {
      job.end();
    }
  }

  async redactAll(texts, options, { signal, onProgress } = {}) {
    if (!Array.isArray(texts)) throw new InputError('invalid_field', 'texts: must be an array of strings', { field: 'texts' });
    for (const text of texts) checkText(text, this.#parts.limits.maxTextLength);
    const answers = new Array(texts.length);
    let next = 0;
    let done = 0;
    const job = new Job(signal);
    const lane = async () => {
      while (next < texts.length) {
        const index = next++;
        answers[index] = await this.#redact(texts[index], options, job);
        onProgress?.({ done: ++done, total: texts.length });
      }
    };
    try {
      // Two a worker: while one is read, the next one's windows are cut.
      await Promise.all(Array.from({ length: 2 * this.#threads.length }, lane));
    } finally {
      job.end();
    }
    return answers;
  }

  async restore(text, map, options) {
    checkText(text, this.#parts.limits.maxTextLength);
    restoreJson(text, map, options); // refuses here what cannot be sent
    return this.#do({ act: 'restore', text, map: { ...map }, options });
  }

  /** Bytes of all instances. */
  async memoryBytes() {
    const sizes = await Promise.all(this.#threads.map((thread) => thread.ask({ act: 'memory' })));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  }

  dispose() {
    this.#disposed = true;
    const reason = new DisposedError('disposed', 'this pool was disposed of');
    for (const thread of this.#threads) thread.terminate(reason);
    for (const { reject } of this.#queue) reject(reason);
    this.#threads = [];
    this.#idle = [];
    this.#queue = [];
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    this.dispose();
  }

  async #redact(text, options, job, onProgress) {
    const request = { text, options: optionsJson(options) };
    try {
      const answer = await this.#answer(request, job, onProgress);
      return new Redaction(answer, options, (...way) => this.restore(...way));
    } catch (error) {
      job.stop(error); // the rest of it need not be read
      throw error;
    }
  }

  async #answer(request, job, onProgress) {
    if (request.text.length <= ONE_WINDOW) return this.#do({ act: 'redact', ...request }, job);
    const windows = await this.#do({ act: 'windows', ...request }, job);
    if (windows.length <= 1) return this.#do({ act: 'redact', ...request }, job);
    let done = 0;
    const read = await Promise.all(windows.map(async (ids) => {
      const logits = await this.#do({ act: 'forward', ids }, job);
      onProgress?.({ done: ++done, total: windows.length });
      return logits;
    }));
    return this.#do({ act: 'redact', ...request, logits: joined(read) }, job);
  }

  /** One act, by the next worker that is free. What its job no longer wants leaves the queue, or ends unheard. */
  #do(message, job) {
    if (this.#disposed) return Promise.reject(new DisposedError('disposed', 'this pool was disposed of'));
    return new Promise((resolve, reject) => {
      const act = { message, resolve, reject, job };
      if (job) job.take(act);
      if (job?.stopped) return;
      this.#queue.push(act);
      this.#next();
    });
  }

  #next() {
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const act = this.#queue.shift();
      if (!act.job?.stopped) this.#run(this.#idle.pop(), act);
    }
  }

  async #run(thread, act) {
    try {
      act.resolve(await thread.ask(act.message));
    } catch (error) {
      act.reject(error);
    }
    act.job?.leave(act);
    if (this.#disposed) return;
    if (thread.ended) {
      this.#threads = this.#threads.filter((other) => other !== thread);
      // A worker that died is replaced. Where that fails, the others go on; without any, what waits fails.
      await this.#add().catch((error) => {
        if (this.#threads.length === 0) for (const { reject } of this.#queue.splice(0)) reject(error);
      });
    } else {
      this.#idle.push(thread);
    }
    this.#next();
  }

  async #add() {
    const thread = await Thread.start();
    this.#threads.push(thread);
    const { module, model, limits } = this.#parts;
    try {
      this.#version = await thread.ask({ act: 'load', module, model, limits });
    } catch (error) {
      this.#threads = this.#threads.filter((other) => other !== thread);
      thread.terminate(error);
      throw error;
    }
    if (this.#disposed) return thread.terminate(new DisposedError('disposed', 'this pool was disposed of'));
    this.#idle.push(thread);
    this.#next();
  }
}

/** What one call has under way, to be stopped together. */
class Job {
  stopped = false;
  #acts = new Set();
  #signal;
  #abort = () => this.stop(this.#signal.reason);
  #reason;

  constructor(signal) {
    this.#signal = signal;
    if (signal?.aborted) this.stop(signal.reason);
    else signal?.addEventListener('abort', this.#abort, { once: true });
  }

  take(act) {
    if (this.stopped) act.reject(this.#reason);
    else this.#acts.add(act);
  }

  leave(act) {
    this.#acts.delete(act);
  }

  stop(reason) {
    if (this.stopped) return;
    this.stopped = true;
    this.#reason = reason;
    for (const { reject } of this.#acts) reject(reason);
    this.#acts.clear();
  }

  end() {
    this.#signal?.removeEventListener('abort', this.#abort);
  }
}

/** All cores but the one of the page. */
function defaultWorkers() {
  const cores = globalThis.navigator?.hardwareConcurrency ?? 2;
  return Math.max(1, Math.min(cores - 1, MOST_WORKERS));
}

function joined(parts) {
  const all = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
