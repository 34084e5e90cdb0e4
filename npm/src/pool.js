// Redactors in workers. The windows of a long text and the texts of a batch are shared out; who reads what makes no
// difference to the answer, because a window's logits depend on nothing but its ids.

import { optionsJson, Redaction, restoreJson } from './answer.js';
import { checkObject, checkText, checkWatch, refuse } from './check.js';
import { DisposedError, LoadError, TrapError } from './errors.js';
import { parts } from './load.js';
import { Thread } from './thread.js';

/** UTF-16 units that are surely one window: such a text is one message there and one back. */
const ONE_WINDOW = 120;
const MOST_WORKERS = 16;

export class RedactorPool {
  #parts;
  #make; // the page's own way to a worker
  #wanted = 0;
  #starting = 0;
  #threads = new Set(); // those that have loaded
  #idle = [];
  #queue = [];
  #version;
  #disposed = false;

  static async load(options = {}) {
    const pool = new RedactorPool();
    pool.#parts = await parts(options, ['workers', 'worker']);
    pool.#make = options.worker;
    pool.#wanted = Math.min(options.workers ?? defaultWorkers(), MOST_WORKERS);
    try {
      await Promise.all(Array.from({ length: pool.#wanted }, () => pool.#add()));
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
    return this.#threads.size;
  }

  async redact(text, options, call) {
    const { signal, onProgress } = watch(call);
    this.#check(text);
    const job = new Job(signal);
    try {
      return await this.#redact(text, options, job, onProgress);
    } finally {
      job.end();
    }
  }

  async redactAll(texts, options, call) {
    const { signal, onProgress } = watch(call);
    if (!Array.isArray(texts)) throw refuse('texts', 'an array of strings', texts);
    const all = [...texts]; // the caller may go on with the array
    for (const text of all) this.#check(text);
    const answers = new Array(all.length);
    let next = 0;
    let done = 0;
    const job = new Job(signal);
    const lane = async () => {
      while (next < all.length) {
        const index = next++;
        answers[index] = await this.#redact(all[index], options, job);
        onProgress?.({ done: ++done, total: all.length });
      }
    };
    try {
      // Two a worker: while one is read, the next one's windows are cut.
      await Promise.all(Array.from({ length: 2 * this.#wanted }, lane));
    } catch (error) {
      next = all.length;
      job.stop(error); // the rest need not be read
      throw error;
    } finally {
      job.end();
    }
    return answers;
  }

  async restore(text, map, options) {
    this.#check(text);
    restoreJson(text, map, options); // refuses here what cannot be sent
    return this.#do({ act: 'restore', text, map: { ...map }, options });
  }

  /** Bytes of all instances. */
  async memoryBytes() {
    const sizes = await Promise.all(Array.from(this.#threads, (thread) => thread.ask({ act: 'memory' })));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  }

  dispose() {
    this.#disposed = true;
    const reason = new DisposedError('disposed', 'this pool was disposed of');
    for (const thread of this.#threads) thread.terminate(reason);
    for (const { reject } of this.#queue.splice(0)) reject(reason);
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    this.dispose();
  }

  #check(text) {
    if (this.#disposed) throw new DisposedError('disposed', 'this pool was disposed of');
    checkText(text, this.#parts.limits.maxTextLength);
  }

  async #redact(text, options, job, onProgress) {
    const request = { text, options: optionsJson(options) };
    try {
      const { answer, reading } = await this.#answer(request, job, onProgress);
      return new Redaction(answer, options, (...way) => this.restore(...way), reading);
    } catch (error) {
      job.stop(error); // the rest of it need not be read
      throw error;
    }
  }

  async #answer(request, job, onProgress) {
    const whole = async () => ({ answer: await this.#do({ act: 'redact', ...request }, job) });
    if (request.text.length <= ONE_WINDOW) return whole();
    const begin = performance.now();
    const windows = await this.#do({ act: 'windows', ...request }, job);
    if (windows.length <= 1) return whole();
    const reading = { forward: 0, matmul: 0, attention: 0, other: 0 };
    let done = 0;
    const read = await Promise.all(windows.map(async (ids) => {
      const { logits, times } = await this.#do({ act: 'forward', ids }, job);
      for (const phase of Object.keys(reading)) reading[phase] += times[phase];
      onProgress?.({ done: ++done, total: windows.length });
      return logits;
    }));
    const answer = await this.#do({ act: 'redact', ...request, logits: joined(read) }, job);
    return { answer, reading: { ...reading, total: performance.now() - begin } };
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
    if (this.#queue.length > 0) this.#replace();
  }

  async #run(thread, act) {
    try {
      act.resolve(await thread.ask(act.message));
    } catch (error) {
      act.reject(error);
    }
    act.job?.leave(act);
    if (!this.#threads.has(thread)) return;
    this.#idle.push(thread);
    this.#next();
  }

  /** Takes another worker for one that died. Where that fails, the others go on; without any, what waits fails. */
  #replace() {
    if (this.#disposed || this.#threads.size + this.#starting >= this.#wanted) return;
    this.#add().catch((error) => {
      if (this.#threads.size === 0) for (const { reject } of this.#queue.splice(0)) reject(error);
    });
  }

  async #add() {
    this.#starting += 1;
    try {
      const thread = await this.#started();
      if (this.#disposed) return thread.terminate(new DisposedError('disposed', 'this pool was disposed of'));
      this.#threads.add(thread);
      this.#idle.push(thread);
    } finally {
      this.#starting -= 1;
    }
    this.#next();
  }

  async #started() {
    const onEnd = () => {
      if (!this.#threads.delete(thread)) return;
      this.#idle = this.#idle.filter((other) => other !== thread);
      this.#replace();
    };
    const thread = await Thread.start(onEnd, this.#make).catch((cause) => {
      // Of another origin, say, which pages may not start.
      throw new LoadError('no_worker', `the worker could not be started: ${cause.message}`, { cause });
    });
    const { module, model, limits } = this.#parts;
    try {
      this.#version = await thread.ask({ act: 'load', module, model, limits });
    } catch (error) {
      thread.terminate(error);
      // That a script is not there or not allowed is the page's to mend, and no defect of the module.
      if (error instanceof TrapError && error.code === 'worker_ended') throw new LoadError('no_worker', error.message, { cause: error });
      throw error;
    }
    return thread;
  }
}

/** How a call is watched, checked. */
function watch(call = {}) {
  checkObject(call, 'call', ['signal', 'onProgress']);
  checkWatch(call);
  return call;
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
