// What goes in and what comes out, in JavaScript's spelling.

import { InputError } from './errors.js';

/** The options of `redact` as the module's JSON, with a map in any case: the answer's `restore` needs one. */
export function optionsJson(options) {
  if (options === undefined) return '{"map":"plain"}';
  const given = typeof options === 'object' && options !== null && !Array.isArray(options);
  if (!given) throw new InputError('invalid_field', 'options: must be an object', { field: 'options' });
  for (const [field, value] of Object.entries(options)) {
    // JSON would leave these out in silence.
    if (typeof value === 'function' || typeof value === 'symbol') {
      throw new InputError('invalid_field', `${field}: is a ${typeof value}`, { field });
    }
  }
  const keepsMap = options.map === undefined || options.map === 'none';
  try {
    return JSON.stringify(keepsMap ? { ...options, map: 'plain' } : options);
  } catch (cause) {
    throw new InputError('invalid_field', `options: ${cause.message}`, { field: 'options', cause });
  }
}

/** The request of `restore` as the module's JSON. */
export function restoreJson(text, map, options = {}) {
  if (typeof map !== 'object' || map === null) {
    throw new InputError('invalid_field', 'map: must be an object of placeholder to value', { field: 'map' });
  }
  if (typeof options !== 'object' || options === null) {
    throw new InputError('invalid_field', 'options: must be an object', { field: 'options' });
  }
  const whole = ([name, value]) => [wellFormed(name), typeof value === 'string' ? wellFormed(value) : value];
  return JSON.stringify({ ...options, text: wellFormed(text), map: Object.fromEntries(Object.entries(map).map(whole)) });
}

/** Checks that `text` is one; anything else is the caller's mistake. */
export function checkText(text, limit) {
  if (typeof text !== 'string') {
    const got = text === null ? 'null' : Array.isArray(text) ? 'an array' : typeof text;
    throw new InputError('invalid_text', `text: must be a string, is ${got}`, { field: 'text', got });
  }
  if (text.length > limit) {
    const message = `text: has ${text.length} UTF-16 units, the limit is ${limit} (maxTextLength raises it)`;
    throw new InputError('text_too_large', message, { field: 'text', limit, got: text.length });
  }
}

/** Lone surrogates become U+FFFD, one for one, so that positions stay. */
export function wellFormed(text) {
  return text.toWellFormed?.() ?? text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

/** One redaction: the API's answer in camelCase, and the way back. */
export class Redaction {
  constructor(answer, options, restore) {
    this.redactedText = answer.redacted_text;
    this.items = answer.items.map(item);
    this.windows = answer.windows;
    this.tokens = answer.tokens;
    if (options?.map === 'plain') this.map = answer.map;
    this.timings = timings(answer.server_timing);
    // Bound, for `const { restore } = ...`; hidden, so that JSON and copies hold no personal data.
    Object.defineProperty(this, 'restore', { value: (text, options) => restore(text, answer.map, options) });
  }
}

function item({ explain, ...item }) {
  if (explain) {
    const { model_label: modelLabel, ...rest } = explain;
    item.explain = modelLabel === undefined ? rest : { ...rest, modelLabel };
  }
  return item;
}

const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** Milliseconds per phase from a `Server-Timing` header. */
function timings(header) {
  return Object.fromEntries(Array.from(header.matchAll(/(\w+);dur=([\d.]+)/g), ([, name, ms]) => [camel(name), Number(ms)]));
}
