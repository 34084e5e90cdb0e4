// One instance of the module: one model in one memory. The exports are documented in crates/web/src/abi/redact.rs.

import { decoder, encoder, Wasm } from './wasm.js';

const FUNCTIONS = ['load', 'redact', 'windows', 'forward', 'logits', 'restore'];

export class Instance extends Wasm {
  #model; // [address, bytes] of the model file in the memory

  constructor(module, maxMemory) {
    super(module, FUNCTIONS, maxMemory);
  }

  /** Takes a copy of the model file's bytes and makes it ready; returns what `/version` says. */
  load(file) {
    const address = this.write(file);
    this.#model = [address, file.byteLength];
    return JSON.parse(decoder.decode(this.call(() => this.exports.load(address, file.byteLength))));
  }

  /** The model file again, for the instance that takes the place of this one: a view, not a copy. */
  modelFile() {
    return new Uint8Array(this.exports.memory.buffer, ...this.#model);
  }

  /** The API's answer as text. */
  redact(text, options, logits) {
    const parts = [encoder.encode(text), encoder.encode(options)];
    if (logits) parts.push(logits);
    return decoder.decode(this.with(parts, ([text, options, logits]) =>
      this.exports.redact(...text, ...options, ...(logits ? [logits[0], logits[1] >> 2] : [0, 0]))));
  }

  /** The ids of each window of a text. */
  windows(text, options) {
    const bytes = this.with([encoder.encode(text), encoder.encode(options)], ([text, options]) =>
      this.exports.windows(...text, ...options));
    const numbers = new Uint32Array(bytes.buffer);
    const count = numbers[0];
    let at = 1 + count;
    return Array.from({ length: count }, (_, window) => numbers.slice(at, (at += numbers[1 + window])));
  }

  /** The logits of one window, and where their time went in milliseconds. */
  forward(ids) {
    const numbers = new Float32Array(this.with([ids], ([ids]) => this.exports.forward(ids[0], ids[1] >> 2)).buffer);
    const [forward, matmul, attention, other] = numbers.subarray(-4);
    return { logits: numbers.subarray(0, -4), times: { forward, matmul, attention, other } };
  }

  /** The plain view of a short text: ids, byte ranges, one row of logits a token. */
  logits(text) {
    const { buffer } = this.with([encoder.encode(text)], ([text]) => this.exports.logits(...text));
    const count = new Uint32Array(buffer, 0, 1)[0];
    const ranges = new Uint32Array(buffer, 4 + 4 * count, 2 * count);
    return {
      ids: Array.from(new Uint32Array(buffer, 4, count)),
      bytes: Array.from({ length: count }, (_, i) => [ranges[2 * i], ranges[2 * i + 1]]),
      logits: new Float32Array(buffer, 4 + 12 * count),
    };
  }

  restore(body) {
    return decoder.decode(this.with([encoder.encode(body)], ([body]) => this.exports.restore(...body)));
  }
}
