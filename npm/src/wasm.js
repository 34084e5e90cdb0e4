// One instance of a module of this package: its memory, its calls, and how they fail. The exports that all modules have
// are documented in crates/web/src/abi/mod.rs.

import { fromAnswer, LoadError, OutOfMemoryError, TrapError } from './errors.js';

export const encoder = new TextEncoder();
export const decoder = new TextDecoder();

const FUNCTIONS = ['reserve', 'release', 'answer_address', 'answer_bytes', 'panic_place', 'refused_bytes', 'limit_memory'];

export class Wasm {
  exports;
  /** Nothing of a trapped instance is used again. */
  trapped = false;

  /** `functions` are those that the module must have beside the ones of all. */
  constructor(module, functions, maxMemory = 0) {
    try {
      this.exports = new WebAssembly.Instance(module, { lacuna: { now: () => performance.now() } }).exports;
      const absent = [...FUNCTIONS, ...functions].find((name) => typeof this.exports[name] !== 'function');
      if (absent !== undefined) throw new TypeError(`it exports no ${absent}`);
    } catch (cause) {
      // Engines say RangeError where an instance's first memory cannot be had.
      if (cause instanceof RangeError) throw new OutOfMemoryError('out_of_memory', `no memory for an instance: ${cause.message}`, { cause });
      throw new LoadError('invalid_module', `module: is none of this package: ${cause.message}`, { cause });
    }
    if (maxMemory) this.exports.limit_memory(maxMemory);
  }

  /** Bytes of this instance's memory. */
  get memoryBytes() {
    return this.exports.memory.buffer.byteLength;
  }

  /** Writes the parts, calls, and gives their memory back. */
  with(parts, call) {
    const written = [];
    try {
      for (const part of parts) written.push([this.write(part), part.byteLength]);
      return this.call(() => call(written));
    } catch (cause) {
      // Memory of JavaScript, for a copy of the answer.
      throw cause instanceof RangeError ? this.#outOfMemory(this.exports.answer_bytes(), cause) : cause;
    } finally {
      // After a trap nothing of this instance is used again.
      if (!this.trapped) for (const [address, bytes] of written) this.exports.release(address, bytes);
    }
  }

  /** Copies bytes into the memory; returns where they are. */
  write(view) {
    const address = this.exports.reserve(view.byteLength);
    if (address === 0) throw this.#outOfMemory(view.byteLength);
    new Uint8Array(this.exports.memory.buffer, address, view.byteLength)
      .set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return address;
  }

  /** A copy of the answer's bytes. */
  call(call) {
    let status;
    try {
      status = call();
    } catch (cause) {
      this.trapped = true;
      throw this.#explained(cause);
    }
    const answer = this.#answer();
    if (status !== 0) throw fromAnswer(this.refusal(JSON.parse(decoder.decode(answer)).error));
    return answer;
  }

  /** The module's error, for a module that spells fields in another way. */
  refusal(error) {
    return error;
  }

  #answer() {
    const { memory, answer_address: address, answer_bytes: bytes } = this.exports;
    const start = address();
    return new Uint8Array(memory.buffer.slice(start, start + bytes()));
  }

  #explained(cause) {
    const refused = this.exports.refused_bytes();
    if (refused !== 0) return this.#outOfMemory(refused, cause);
    let place;
    try {
      this.exports.panic_place();
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
