// Small pieces for servers and clients: they redact what goes out and put the values back into what comes in.

import { isPlain, kind, refuse } from './src/check.js';
import { InputError } from './src/errors.js';
import { isJson, isJsonLines, leaves, parses, replaced } from './src/json.js';

/** Values in values: more is a cycle, or an attack on the stack. */
const MAX_DEPTH = 500;

/** Answers that are text, and may hold placeholders. */
const TEXT = /^\s*(text\/|application\/([\w.+-]*\+)?(json|xml|x-ndjson|jsonl|javascript)\b)/i;

const JSON_TYPE = /^\s*application\/([\w.+-]*\+)?json\b/i;
const EVENTS = /^\s*text\/event-stream\b/i;

/** Bodies whose characters are escaped: an address in one looks like none. */
const FORM = /^\s*application\/x-www-form-urlencoded\b/i;

/**
 * `fetch` that redacts the bodies it sends and restores the answers it gets: what a language model or any other
 * service sees holds placeholders. Bodies that are neither strings nor URLSearchParams are refused, not passed on.
 */
export function redactingFetch(redactor, options, fetch = globalThis.fetch) {
  checkRedactor(redactor);
  return async (resource, init = {}) => {
    if (typeof Request === 'function' && resource instanceof Request && resource.body) {
      throw new TypeError('redactingFetch takes the body as a string in its second argument');
    }
    const body = init?.body;
    if (body === undefined || body === null) return fetch(resource, init ?? {});
    const form = body instanceof URLSearchParams;
    if (typeof body !== 'string' && !form) throw new TypeError(`redactingFetch redacts strings, not ${body.constructor?.name ?? typeof body}`);
    const type = form ? 'application/x-www-form-urlencoded' : new Headers(init.headers).get('content-type');
    const { text, map } = await redactText(redactor, String(body), type, options);
    const response = await fetch(resource, { ...init, body: form ? new URLSearchParams(text) : text });
    // A picture is not text, and has no placeholders; an answer that says nothing is taken as text.
    const answered = response.headers.get('content-type') ?? 'text/';
    if (!TEXT.test(answered)) return response;
    const answer = await response.text();
    const headers = new Headers(response.headers);
    for (const name of ['content-length', 'content-encoding']) headers.delete(name);
    const { status, statusText } = response;
    const back = restoring(redactor, map);
    const whole = await (EVENTS.test(answered) ? restoredEvents : restoredText)(answer, back);
    // 204 and its like have no body, not an empty one.
    return new Response(answer === '' ? null : whole, { status, statusText, headers });
  };
}

/** An answer with its values back; within JSON they are spelled as JSON. */
const restoredText = (text, back) => (isJson(text) || isJsonLines(text) ? replaced(text, back) : back(text, 'string'));

/** The same for server-sent events, whose data are often JSON. */
async function restoredEvents(text, back) {
  const lines = [];
  for (const line of text.split('\n')) {
    const [start] = /^data: ?/.exec(line) ?? [''];
    lines.push(start + await restoredText(line.slice(start.length), back));
  }
  return lines.join('\n');
}

/** `redactValue` for JSON that is text: what is not replaced stays as it is spelled, digits and spaces and all. */
export async function redactJson(redactor, text, options) {
  checkRedactor(redactor);
  if (typeof text !== 'string' || !isJson(text)) {
    throw new InputError('invalid_json', 'text: must be a JSON object or array, as a string', { field: 'text' });
  }
  return redactLeaves(redactor, text, options);
}

async function redactLeaves(redactor, text, options) {
  const names = new Names();
  for (const { value } of leaves(text)) names.avoid(value);
  return { text: await replaced(text, leaf(redactor, names, options)), map: names.map };
}

/**
 * A request as servers of the Fetch kind get it, with its body redacted, and the map for the way back. A body that is
 * neither text nor a form, or not UTF-8, is refused, not passed on; address and headers stay as they are.
 */
export async function redactRequest(redactor, request, options) {
  checkRedactor(redactor);
  if (!request.body) return { request, map: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!TEXT.test(type) && !FORM.test(type)) {
    throw new InputError('invalid_value', `a body of the type ${JSON.stringify(type)} is not text`, { field: 'content-type', got: type });
  }
  const bytes = await request.arrayBuffer();
  let body;
  try {
    body = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InputError('invalid_utf8', 'the body is not UTF-8', { field: 'body', cause });
  }
  const { text, map } = await redactText(redactor, body, type, options);
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return { request: new Request(request.url, { method: request.method, headers, body: text, signal: request.signal }), map };
}

/** A body by its type. */
function redactText(redactor, text, type, options) {
  if (FORM.test(type ?? '')) return redactForm(redactor, text, options);
  // Characters may be escaped in JSON as well: what is JSON is read as what it says.
  const json = isJson(text) || isJsonLines(text) || (JSON_TYPE.test(type ?? '') && parses(text));
  return (json ? redactLeaves : redactPlain)(redactor, text, options);
}

async function redactPlain(redactor, text, options) {
  const names = new Names();
  names.avoid(text);
  return { text: await leaf(redactor, names, options)(text, 'string'), map: names.map };
}

async function redactForm(redactor, text, options) {
  const fields = Array.from(new URLSearchParams(text));
  const names = new Names();
  for (const part of fields.flat()) names.avoid(part);
  const redact = leaf(redactor, names, options);
  const out = new URLSearchParams();
  for (const [key, value] of fields) out.append(await redact(key, 'key'), await redact(value, 'string'));
  return { text: out.toString(), map: names.map };
}

/**
 * Express (and Connect) middleware: every string in `req.body` is redacted before the next handler runs, after a body
 * parser such as `express.json()`. The way back is `req.redactionMap`. An error goes to `next`, and the handler does
 * not run.
 */
export function redactBody(redactor, options) {
  checkRedactor(redactor);
  return async (request, _response, next) => {
    try {
      const { value, map } = await redactValue(redactor, request.body, options);
      request.body = value;
      request.redactionMap = map;
    } catch (error) {
      return next(error);
    }
    next();
  };
}

/**
 * A copy of a JSON value with every string in it redacted, and the map for the way back: the same value has the same
 * placeholder throughout. Keys and numbers stay, but for what a rule knows (a card number, an e-mail address).
 */
export async function redactValue(redactor, value, options) {
  checkRedactor(redactor);
  const names = new Names();
  look(value, names);
  const redacted = await walk(value, leaf(redactor, names, options));
  return { value: redacted, map: names.map };
}

/** A copy of a JSON value with the values of `map` back in its strings and keys. */
export async function restoreValue(redactor, value, map) {
  checkRedactor(redactor);
  look(value);
  return walk(value, restoring(redactor, map));
}

/** Puts values back into a leaf. A key is a name of the interface's: `email_1` may well be one, `[EMAIL_1]` is ours. */
function restoring(redactor, map) {
  return async (text, kind) => {
    if (kind === 'number') return text;
    return (await redactor.restore(text, map, { mode: kind === 'key' ? 'strict' : 'tolerant' })).text;
  };
}

function checkRedactor(redactor) {
  if (typeof redactor?.redact !== 'function' || typeof redactor.restore !== 'function') {
    throw refuse('redactor', 'a Redactor or a RedactorPool', redactor);
  }
}

/** Redacts one leaf. The model reads strings; of keys and numbers only rules know anything, and say the same again. */
function leaf(redactor, names, options) {
  const ruled = new Map();
  return async (text, kind) => {
    if (kind === 'string') return names.replaced(text, (await redactor.redact(text, options)).items);
    if (!ruled.has(text)) {
      const { items } = await redactor.redact(text, { ...options, mode: 'rules' });
      ruled.set(text, names.replaced(text, items));
    }
    return ruled.get(text);
  };
}

/** Placeholders over several texts. */
class Names {
  map = {};
  #given = new Map();
  #counts = new Map();
  #taken = new Set();

  /** What stands in a text as a placeholder already is no name for a value. */
  avoid(text) {
    for (const [name] of text.matchAll(/\[[A-Z][A-Z0-9_]*_\d+\]/g)) this.#taken.add(name);
  }

  replaced(text, items) {
    let out = '';
    let done = 0;
    for (const { label, utf16: [start, end] } of items) {
      out += text.slice(done, start) + this.#name(label, text.slice(start, end));
      done = end;
    }
    return out + text.slice(done);
  }

  #name(label, value) {
    const key = `${label} ${value}`;
    if (!this.#given.has(key)) {
      let name;
      do {
        const number = (this.#counts.get(label) ?? 0) + 1;
        this.#counts.set(label, number);
        name = `[${label}_${number}]`;
      } while (this.#taken.has(name));
      this.#given.set(key, name);
      this.map[name] = value;
    }
    return this.#given.get(key);
  }
}

/** Refuses what JSON does not hold, before anything is read: what is not understood is not passed on. */
function look(value, names, depth = 0) {
  if (typeof value === 'string') return names?.avoid(value);
  if (value === null || ['undefined', 'boolean', 'number', 'bigint'].includes(typeof value)) return undefined;
  if (depth >= MAX_DEPTH) throw new InputError('invalid_value', `a value is nested deeper than ${MAX_DEPTH}, or in itself`, { limit: MAX_DEPTH });
  if (Array.isArray(value)) {
    for (const one of value) look(one, names, depth + 1);
  } else if (isPlain(value)) {
    for (const [key, one] of Object.entries(value)) {
      names?.avoid(key);
      look(one, names, depth + 1);
    }
  } else {
    throw new InputError('invalid_value', `${kind(value)} in a value is nothing that JSON holds`, { got: kind(value) });
  }
}

async function walk(value, leaf) {
  if (typeof value === 'string') return leaf(value, 'string');
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value);
    const now = await leaf(text, 'number');
    return now === text ? value : now;
  }
  if (Array.isArray(value)) {
    const out = [];
    for (const one of value) out.push(await walk(one, leaf));
    return out;
  }
  if (typeof value !== 'object' || value === null) return value;
  const out = {};
  for (const [key, one] of Object.entries(value)) {
    // `__proto__` as a key of JSON is a key like others.
    const property = { value: await walk(one, leaf), enumerable: true, writable: true, configurable: true };
    Object.defineProperty(out, await leaf(key, 'key'), property);
  }
  return out;
}
