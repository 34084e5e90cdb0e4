// Bytes of a model as they come: from a URL, a file picker, the disk. Never all at once.

import { kind } from '../check.js';
import { LoadError } from '../errors.js';
import { get } from '../files.js';
import { isNode, nodeModule } from '../node.js';

/** What a piece of bytes that are there already holds: between pieces, a load can be ended. */
const PIECE = 1 << 22;

/** What a stream of bytes is read into. */
const BUFFER = 1 << 18;

const isBytes = (source) => source instanceof ArrayBuffer || ArrayBuffer.isView(source);

/** Checks what a model is to come from. */
export function checkSource(source) {
  if (source instanceof URL || (typeof Blob !== 'undefined' && source instanceof Blob) || isBytes(source)) return;
  throw new LoadError('invalid_source', `model: takes a URL, a Blob or bytes, not ${kind(source)}`, { field: 'model' });
}

/** `{size, chunks}` of a model; `size` is undefined where a server does not say. `source` is a URL, a Blob or bytes. */
export async function opened(source, signal) {
  if (source instanceof URL && source.protocol === 'file:' && isNode) return fromDisk(source, signal);
  if (source instanceof URL) {
    const response = await get(source, 'model', signal);
    const { headers, body } = response;
    const told = headers.get('content-encoding') ? undefined : Number(headers.get('content-length')) || undefined;
    return { size: told, chunks: streamed(body, told, signal) };
  }
  if (!isBytes(source)) {
    return { size: source.size, chunks: streamed(source.stream(), source.size, signal) };
  }
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  return { size: bytes.byteLength, chunks: pieces(bytes) };
}

async function fromDisk(url, signal) {
  const [{ stat }, { createReadStream }] = await Promise.all([nodeModule('fs/promises'), nodeModule('fs')]);
  try {
    const { size } = await stat(url);
    return { size, chunks: createReadStream(url, { signal, highWaterMark: 1 << 20 }) };
  } catch (cause) {
    throw new LoadError('not_found', `model: ${url}: ${cause.message}`, { cause });
  }
}

async function* streamed(stream, size, signal) {
  const read = stream ? reading(stream) : undefined;
  let loaded = 0;
  try {
    for (;;) {
      const { done, value } = (await read?.next()) ?? { done: true };
      if (done) return;
      loaded += value.byteLength;
      yield value;
    }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const of = size === undefined ? '' : ` of ${size}`;
    throw new LoadError('broken_off', `model: broke off after ${loaded}${of} bytes: ${cause.message}`, { got: loaded, limit: size, cause });
  } finally {
    read?.cancel();
  }
}

/** Reads a stream: into one buffer, again and again, where it is one of bytes; else as its pieces come. */
function reading(stream) {
  let buffer = new ArrayBuffer(BUFFER);
  let reader;
  try {
    reader = stream.getReader({ mode: 'byob' });
  } catch {
    reader = stream.getReader();
    buffer = undefined;
  }
  return {
    async next() {
      const { done, value } = await reader.read(...(buffer ? [new Uint8Array(buffer)] : []));
      if (buffer && value) ({ buffer } = value);
      return { done, value };
    },
    cancel: () => reader.cancel().catch(() => {}),
  };
}

function* pieces(bytes) {
  for (let at = 0; at < bytes.byteLength; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
