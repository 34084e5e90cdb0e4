// What goes in and what comes out, in JavaScript's spelling.

import { checkData, checkObject, isPlain, refuse } from './check.js';

/** The options of `redact` as the module's JSON, with a map in any case: the answer's `restore` needs one. */
export function optionsJson(options) {
  if (options === undefined) return '{"map":"plain"}';
  if (!isPlain(options)) throw refuse('options', 'an object', options);
  checkData(options, 'options');
  const keepsMap = options.map === undefined || options.map === 'none';
  return JSON.stringify(keepsMap ? { ...options, map: 'plain' } : options);
}

/** The request of `restore` as the module's JSON. */
export function restoreJson(text, map, options = {}) {
  if (!isPlain(map)) throw refuse('map', 'an object of placeholder to value', map);
  checkObject(options, 'options', ['mode', 'sealed', 'key']);
  checkData(options, 'options');
  const entries = Object.entries(map).map(([name, value]) => {
    if (typeof value !== 'string') throw refuse(`map.${name}`, 'a string', value);
    return [wellFormed(name), wellFormed(value)];
  });
  return JSON.stringify({ ...options, text: wellFormed(text), map: Object.fromEntries(entries) });
}

/** Lone surrogates become U+FFFD, one for one, so that positions stay. */
export function wellFormed(text) {
  return text.toWellFormed?.() ?? text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

/** One redaction: the API's answer in camelCase, and the way back. */
export class Redaction {
  /** `reading` holds the times of windows that others have read. */
  constructor(answer, options, restore, reading) {
    this.redactedText = answer.redacted_text;
    this.items = answer.items.map(item);
    this.windows = answer.windows;
    this.tokens = answer.tokens;
    if (options?.map === 'plain') this.map = answer.map;
    this.timings = { ...timings(answer.server_timing), ...reading };
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
