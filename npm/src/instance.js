// One instance of the module: one model in one memory. The exports are documented in crates/web/src/abi.rs.

import { fromAnswer, LoadError, OutOfMemoryError, TrapError } from './errors.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const FUNCTIONS = ['load', 'redact', 'windows', 'forward', 'logits', 'restore', 'reserve', 'release', 'answer_address', 'answer_bytes', 'panic_place', 'refused_bytes', 'limit_memory'];

export class Instance {
  #exports;
  #model; // [address, bytes] of the model file in the memory

  constructor(module, maxMemory = 0) {
    try {
      this.#exports = new WebAssembly.Instance(module, { lacuna: { now: () => performance.now() } }).exports;
      const absent = FUNCTIONS.find((name) => typeof this.#exports[name] !== 'function');
      if (absent !== undefined) throw new TypeError(`it exports no ${absent}`);
    } catch (cause) {
      // Engines say RangeError where an instance's first memory cannot be had.
      if (cause instanceof RangeError) throw new OutOfMemoryError('out_of_memory', `no memory for an instance: ${cause.message}`, { cause });
      throw new LoadError('invalid_module', `module: is none of this package: ${cause.message}`, { cause });
    }
    if (maxMemory) this.#exports.limit_memory(maxMemory);
  }

  /** Takes a copy of the model file's bytes and makes it ready; returns what `/version` says. */
  load(file) {
    const address = this.#write(file);
    this.#model = [address, file.byteLength];
    return JSON.parse(decoder.decode(this.#call(() => this.#exports.load(address, file.byteLength))));
  }

  /** The model file again, for the instance that takes the place of this one: a view, not a copy. */
  modelFile() {
    return new Uint8Array(this.#exports.memory.buffer, ...this.#model);
  }

  /** The API's answer as text. */
  redact(text, options, logits) {
    const parts = [encoder.encode(text), encoder.encode(options)];
    if (logits) parts.push(logits);
    return decoder.decode(this.#with(parts, ([text, options, logits]) =>
      this.#exports.redact(...text, ...options, ...(logits ? [logits[0], logits[1] >> 2] : [0, 0]))));
  }

  /** The ids of each window of a text. */
  windows(text, options) {
    const bytes = this.#with([encoder.encode(text), encoder.encode(options)], ([text, options]) =>
      this.#exports.windows(...text, ...options));
    const numbers = new Uint32Array(bytes.buffer);
    const count = numbers[0];
    let at = 1 + count;
    return Array.from({ length: count }, (_, window) => numbers.slice(at, (at += numbers[1 + window])));
  }

  /** The logits of one window, and where their time went in milliseconds. */
  forward(ids) {
    const numbers = new Float32Array(this.#with([ids], ([ids]) => this.#exports.forward(ids[0], ids[1] >> 2)).buffer);
    const [forward, matmul, attention, other] = numbers.subarray(-4);
    return { logits: numbers.subarray(0, -4), times: { forward, matmul, attention, other } };
  }

  /** The plain view of a short text: ids, byte ranges, one row of logits a token. */
  logits(text) {
    const { buffer } = this.#with([encoder.encode(text)], ([text]) => this.#exports.logits(...text));
    const count = new Uint32Array(buffer, 0, 1)[0];
    const ranges = new Uint32Array(buffer, 4 + 4 * count, 2 * count);
    return {
      ids: Array.from(new Uint32Array(buffer, 4, count)),
      bytes: Array.from({ length: count }, (_, i) => [ranges[2 * i], ranges[2 * i + 1]]),
      logits: new Float32Array(buffer, 4 + 12 * count),
    };
  }

  restore(body) {
    return decoder.decode(this.#with([encoder.encode(body)], ([body]) => this.#exports.restore(...body)));
  }

  /** Bytes of this instance's memory. */
  get memoryBytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Writes the parts, calls, and gives their memory back. */
  #with(parts, call) {
    const written = [];
    try {
      for (const part of parts) written.push([this.#write(part), part.byteLength]);
      return this.#call(() => call(written));
    } catch (cause) {
      // Memory of JavaScript, for a copy of the answer.
      throw cause instanceof RangeError ? this.#outOfMemory(this.#exports.answer_bytes(), cause) : cause;
    } finally {
      // After a trap nothing of this instance is used again.
      if (!this.trapped) for (const [address, bytes] of written) this.#exports.release(address, bytes);
    }
  }

  #write(view) {
    const address = this.#exports.reserve(view.byteLength);
    if (address === 0) throw this.#outOfMemory(view.byteLength);
    new Uint8Array(this.#exports.memory.buffer, address, view.byteLength)
      .set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return address;
  }

  /** A copy of the answer's bytes. */
  #call(call) {
    let status;
    try {
      status = call();
    } catch (cause) {
      this.trapped = true;
      throw this.#explained(cause);
    }
    const answer = this.#answer();
    if (status !== 0) throw fromAnswer(JSON.parse(decoder.decode(answer)).error);
    return answer;
  }

  #answer() {
    const { memory, answer_address: address, answer_bytes: bytes } = this.#exports;
    const start = address();
    return new Uint8Array(memory.buffer.slice(start, start + bytes()));
  }

  #explained(cause) {
    const refused = this.#exports.refused_bytes();
    if (refused !== 0) return this.#outOfMemory(refused, cause);
    let place;
    try {
      this.#exports.panic_place();
      place = decoder.decode(this.#answer()) || undefined;
    } catch {
      // The place is a help, not a need.
    }
    return new TrapError('trapped', `the module stopped${place ? ` at ${place}` : ''}: ${cause.message}`, { place, cause });
  }

  #outOfMemory(got, cause) {
    const message = `${got} bytes could not be had beside the ${this.memoryBytes} bytes of this instance`;
    return new OutOfMemoryError('out_of_memory', message, { got, cause });
  }
}
