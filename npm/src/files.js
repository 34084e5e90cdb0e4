// Bytes of the module and of models: from the package, a URL, the cache, or as given.

import { kind } from './check.js';
import { LoadError } from './errors.js';
import { isNode, nodeModule } from './node.js';

const CACHE = 'lacuna-redact';

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
    return checked(await read(new Response(source), what, onProgress, signal, source.size), sha256, what);
  }
  if (typeof Response !== 'undefined' && source instanceof Response) {
    if (source.bodyUsed || source.body?.locked) {
      throw new LoadError('invalid_source', `${what}: the Response was read before`, { field: what });
    }
    return checked(await read(found(source, source.url, what), what, onProgress, signal), sha256, what);
  }
  const url = await absolute(source, what);
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
      // Only what the cache itself got wrong is fetched again: an older version, a file half written.
      if (!(error instanceof LoadError) || error.code === 'unchecked') throw error;
      await store.delete(url).catch(() => {});
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
export async function absolute(source, what) {
  if (source instanceof URL) return source;
  if (typeof source !== 'string') {
    throw new LoadError('invalid_source', `${what}: takes a URL, a Response, a Blob or bytes, not ${kind(source)}`, { field: what });
  }
  try {
    return new URL(source, globalThis.location?.href ?? (isNode ? await workingDirectory() : undefined));
  } catch (cause) {
    throw new LoadError('invalid_source', `${what}: ${JSON.stringify(source)} is no URL`, { field: what, cause });
  }
}

async function workingDirectory() {
  const { pathToFileURL } = await nodeModule('url');
  return pathToFileURL(`${process.cwd()}/`);
}

async function fromDisk(url, what, signal) {
  const { readFile } = await nodeModule('fs/promises');
  try {
    return new Uint8Array(await readFile(url, { signal }));
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new LoadError('not_found', `${what}: ${url}: ${cause.message}`, { cause });
  }
}

/** The response to a GET, if it is a good one. */
export async function get(url, what, signal) {
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new LoadError('not_found', `${what}: ${url}: ${cause.message}`, { cause });
  }
  return found(response, url, what);
}

function found(response, url, what) {
  if (response.ok) return response;
  throw new LoadError('not_found', `${what}: ${url || 'the Response'}: status ${response.status}`, { got: response.status });
}

/** The body, with progress; `total` is undefined where the server compresses or does not say. */
async function read(response, what, onProgress, signal, size) {
  const encoded = response.headers.get('content-encoding');
  const total = size ?? (encoded ? undefined : Number(response.headers.get('content-length')) || undefined);
  const parts = [];
  let loaded = 0;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await next(reader, loaded, what, signal);
      if (done) break;
      parts.push(value);
      loaded += value.byteLength;
      onProgress?.({ what, loaded, total });
    }
  } catch (cause) {
    // What `onProgress` throws ends the load as well, and comes out as it is.
    reader?.cancel().catch(() => {});
    throw cause;
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

async function next(reader, loaded, what, signal) {
  try {
    return (await reader?.read()) ?? { done: true };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new LoadError('broken_off', `${what}: broke off after ${loaded} bytes: ${cause.message}`, { got: loaded, cause });
  }
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
