// Small pieces for servers and clients: they redact what goes out and put the values back into what comes in.

/**
 * `fetch` that redacts the bodies it sends and restores the answers it gets: what a language model or any other
 * service sees holds placeholders. Bodies that are not text are refused, not passed on.
 */
export function redactingFetch(redactor, options, fetch = globalThis.fetch) {
  return async (resource, init = {}) => {
    if (typeof Request === 'function' && resource instanceof Request && resource.body) {
      throw new TypeError('redactingFetch takes the body as a string in its second argument');
    }
    const { body } = init;
    if (body === undefined || body === null) return fetch(resource, init);
    if (typeof body !== 'string') throw new TypeError(`redactingFetch redacts strings, not ${body.constructor?.name ?? typeof body}`);
    const sent = fromJson(body);
    const { value, map } = await redactValue(redactor, sent ? sent.value : body, options);
    const response = await fetch(resource, { ...init, body: sent ? JSON.stringify(value) : value });
    const answer = await response.text();
    const got = fromJson(answer);
    const back = await restoreValue(redactor, got ? got.value : answer, map);
    const headers = new Headers(response.headers);
    for (const name of ['content-length', 'content-encoding']) headers.delete(name);
    const { status, statusText } = response;
    // 204 and its like have no body, not an empty one.
    return new Response(answer === '' ? null : got ? JSON.stringify(back) : back, { status, statusText, headers });
  };
}

/**
 * Express (and Connect) middleware: every string in `req.body` is redacted before the next handler runs, after a body
 * parser such as `express.json()`. The way back is `req.redactionMap`. An error goes to `next`, and the handler does
 * not run.
 */
export function redactBody(redactor, options) {
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
 * placeholder throughout. Keys stay. A number stays too, unless a rule knows it (a card number, say).
 */
export async function redactValue(redactor, value, options) {
  const names = new Names();
  const redact = async (text, more) =>
    names.replaced(text, (await redactor.redact(text, { ...options, ...more })).items);
  const redacted = await walk(value, async (leaf) => {
    if (typeof leaf === 'string') return redact(leaf);
    const text = String(leaf);
    const replaced = await redact(text, { mode: 'rules' });
    return replaced === text ? leaf : replaced;
  });
  return { value: redacted, map: names.map };
}

/** A copy of a JSON value with the values of `map` back in its strings. */
export function restoreValue(redactor, value, map) {
  return walk(value, async (leaf) => (typeof leaf === 'string' ? (await redactor.restore(leaf, map)).text : leaf));
}

/** Placeholders over several texts. */
class Names {
  map = {};
  #given = new Map();
  #counts = new Map();

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
      const number = (this.#counts.get(label) ?? 0) + 1;
      this.#counts.set(label, number);
      this.#given.set(key, `[${label}_${number}]`);
      this.map[`[${label}_${number}]`] = value;
    }
    return this.#given.get(key);
  }
}

async function walk(value, leaf) {
  if (typeof value === 'string' || typeof value === 'number') return leaf(value);
  if (Array.isArray(value)) {
    const out = [];
    for (const item of value) out.push(await walk(item, leaf));
    return out;
  }
  if (typeof value !== 'object' || value === null) return value;
  const out = {};
  for (const [key, item] of Object.entries(value)) {
    // `__proto__` as a key of JSON is a key like others.
    Object.defineProperty(out, key, { value: await walk(item, leaf), enumerable: true, writable: true, configurable: true });
  }
  return out;
}

/** `{value}` where the text is a JSON object or array. */
function fromJson(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
