// One language model in one memory. The exports are documented in crates/web/src/abi/complete.rs.

import { decoder, encoder, Wasm } from '../wasm.js';
import { OutOfMemoryError } from '../errors.js';
import { opened } from './source.js';

const FUNCTIONS = ['open', 'take', 'ready', 'begin', 'step', 'stop'];

/** Bytes that go into the memory at once: all that loading needs beside the model. */
const BUFFER = 1 << 18;

export class Engine extends Wasm {
  constructor(module, maxMemory) {
    super(module, FUNCTIONS, maxMemory);
  }

  /** Takes a model from `source` as it comes; returns what it says of itself. `onProgress` hears `{loaded, total}`. */
  async load(source, { signal, onProgress } = {}) {
    const { size: total, chunks } = await opened(source, signal);
    this.exports.open(total ?? 0);
    const buffer = this.exports.reserve(BUFFER);
    if (buffer === 0) throw new OutOfMemoryError('out_of_memory', `no memory for ${BUFFER} bytes`, { got: BUFFER });
    let loaded = 0;
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      for (let at = 0; at < chunk.byteLength; at += BUFFER) {
        const piece = chunk.subarray(at, at + BUFFER);
        // Anew each time: memory that has grown has another buffer.
        new Uint8Array(this.exports.memory.buffer, buffer, piece.byteLength).set(piece);
        this.call(() => this.exports.take(buffer, piece.byteLength));
      }
      loaded += chunk.byteLength;
      onProgress?.({ loaded, total });
    }
    this.exports.release(buffer, BUFFER);
    return this.#json(() => this.exports.ready());
  }

  /** Begins a text; `request` is the module's JSON. */
  begin(request) {
    const bytes = this.with([encoder.encode(request)], ([request]) => this.exports.begin(...request));
    return JSON.parse(decoder.decode(bytes));
  }

  /** One piece of the prompt, or one token. */
  step() {
    return this.#json(() => this.exports.step());
  }

  /** Ends the text under way; what there is of it, or null. */
  stop() {
    return this.#json(() => this.exports.stop());
  }

  #json(call) {
    return JSON.parse(decoder.decode(this.call(call)));
  }

  refusal(error) {
    return error.field === undefined ? error : { ...error, field: error.field.replace(/_(.)/g, (_, letter) => letter.toUpperCase()) };
  }
}
