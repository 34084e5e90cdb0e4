// Bytes of the module and of models: from the package, a URL, the cache, or as given.

import { LoadError } from './errors.js';

const CACHE = 'lacuna-redact';

const isNode = typeof process === 'object' && Boolean(process.versions?.node);

/**
 * The bytes that `source` stands for: a URL, a Response, a Blob, or bytes.
 * `sha256` is checked before a byte is used; only what was checked is kept in the browser's cache.
 */
export async function bytesOf(source, { sha256, onProgress, signal, cache = true, what = 'model' } = {}) {
  signal?.throwIfAborted();
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    const bytes = ArrayBuffer.isView(source)
      ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
      : new Uint8Array(source);
    return checked(bytes, sha256, what);
  }
  if (typeof Blob !== 'undefined' && source instanceof Blob) {
    return checked(new Uint8Array(await source.arrayBuffer()), sha256, what);
  }
  if (typeof Response !== 'undefined' && source instanceof Response) {
    return checked(await read(source, what, onProgress, signal), sha256, what);
  }
  if (typeof source !== 'string' && !(source instanceof URL)) {
    throw new LoadError('invalid_source', `${what}: takes a URL, a Response, a Blob or bytes`, { field: what });
  }
  const url = absolute(source, what);
  if (url.protocol === 'file:' && isNode) {
    const bytes = await fromDisk(url, what, signal);
    onProgress?.({ what, loaded: bytes.byteLength, total: bytes.byteLength });
    return checked(bytes, sha256, what);
  }
  const store = cache && sha256 && typeof caches === 'object' && /^https?:$/.test(url.protocol)
    ? await caches.open(CACHE).catch(() => undefined) // a browser may forbid storage; then there is none
    : undefined;
  const kept = await store?.match(url).catch(() => undefined);
  if (kept) {
    try {
      return await checked(await read(kept, what, onProgress, signal), sha256, what);
    } catch (error) {
      if (signal?.aborted) throw error;
      await store.delete(url); // an older version under the same address
    }
  }
  const bytes = await checked(await read(await get(url, what, signal), what, onProgress, signal), sha256, what);
  // A full disk must not stop the work.
  await store?.put(url, new Response(bytes, { headers: { 'content-length': String(bytes.byteLength) } })).catch(() => {});
  return bytes;
}

/** Compiles a module from a URL, as it streams in where the server allows that. */
export async function moduleOf(url, signal) {
  const what = 'module';
  try {
    if (url.protocol === 'file:' && isNode) return await WebAssembly.compile(await fromDisk(url, what, signal));
    const response = await get(url, what, signal);
    if (/^application\/wasm\b/.test(response.headers.get('content-type') ?? '')) {
      return await WebAssembly.compileStreaming(response);
    }
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (cause) {
    if (cause instanceof LoadError || signal?.aborted) throw cause;
    throw new LoadError('invalid_module', `${what}: ${url}: ${cause.message}`, { cause });
  }
}

/** A URL from what the caller gave; a path counts from the page, in Node from the working directory. */
export function absolute(source, what) {
  if (source instanceof URL) return source;
  try {
    return new URL(source, globalThis.location?.href ?? (isNode ? `file://${process.cwd()}/` : undefined));
  } catch (cause) {
    throw new LoadError('invalid_source', `${what}: ${JSON.stringify(source)} is no URL`, { field: what, cause });
  }
}

async function fromDisk(url, what, signal) {
  const { readFile } = await import(/* @vite-ignore */ 'node:fs/promises');
  try {
    return new Uint8Array(await readFile(url, { signal }));
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new LoadError('not_found', `${what}: ${url}: ${cause.message}`, { cause });
  }
}

async function get(url, what, signal) {
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new LoadError('not_found', `${what}: ${url}: ${cause.message}`, { cause });
  }
  if (!response.ok) {
    throw new LoadError('not_found', `${what}: ${url}: status ${response.status}`, { got: response.status });
  }
  return response;
}

/** The body, with progress; `total` is undefined where the server compresses or does not say. */
async function read(response, what, onProgress, signal) {
  const encoded = response.headers.get('content-encoding');
  const total = encoded ? undefined : Number(response.headers.get('content-length')) || undefined;
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  const parts = [];
  let loaded = 0;
  const reader = response.body.getReader();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      loaded += value.byteLength;
      onProgress?.({ what, loaded, total });
    }
  } catch (cause) {
    reader.cancel().catch(() => {});
    if (signal?.aborted) throw signal.reason;
    throw new LoadError('broken_off', `${what}: broke off after ${loaded} bytes: ${cause.message}`, { got: loaded, cause });
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

async function checked(bytes, sha256, what) {
  if (!sha256) return bytes;
  if (!globalThis.crypto?.subtle) {
    const message = `${what}: its SHA-256 cannot be checked: pages served without https have no crypto.subtle; pass sha256: null to go without`;
    throw new LoadError('unchecked', message, { field: 'sha256' });
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const got = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (got !== sha256.toLowerCase()) {
    throw new LoadError('wrong_digest', `${what}: SHA-256 is ${got}, not ${sha256}`, { field: 'sha256', got });
  }
  return bytes;
}
