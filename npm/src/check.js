// What callers pass, checked by name before anything is done with it. JavaScript's own ways of turning a value into
// JSON drop functions, empty Maps and fail on cycles; here each of these is an error that names the field.

import { InputError } from './errors.js';

/** Objects in objects of the API's options: more is a cycle or a mistake. */
const MAX_DEPTH = 8;

/** What a value is, in words: `an array`, `a Map`, `null`. Never the value. */
export function kind(value) {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`;
  const name = value.constructor?.name;
  return isPlain(value) || typeof name !== 'string' || name === '' ? 'an object' : `a ${name}`;
}

/** Whether a value is an object as a literal makes it, of any realm. */
export function isPlain(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

export function refuse(field, must, value) {
  return new InputError('invalid_field', `${field}: must be ${must}, is ${kind(value)}`, { field, got: kind(value) });
}

/** Checks that `value` is a plain object with no members but `known`. */
export function checkObject(value, field, known) {
  if (!isPlain(value)) throw refuse(field, 'an object of options', value);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new InputError('unknown_field', `${field}: there is no ${JSON.stringify(unknown)}; there are ${known.join(', ')}`, { field: unknown });
}

/** Checks that `value` is data that JSON can hold as it is. A member that is undefined counts as not given. */
export function checkData(value, field, depth = 0) {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)) return;
  if (typeof value === 'number') throw new InputError('invalid_field', `${field}: is ${value}, which JSON cannot hold`, { field });
  if (depth > MAX_DEPTH) throw new InputError('invalid_field', `${field}: is nested too deep, or in itself`, { field });
  if (Array.isArray(value)) {
    for (const one of value) checkData(one, field, depth + 1);
  } else if (isPlain(value)) {
    for (const [name, one] of Object.entries(value)) {
      if (one !== undefined) checkData(one, depth === 0 ? name : `${field}.${name}`, depth + 1);
    }
  } else {
    throw refuse(field, 'plain data', value);
  }
}

/** Checks how a call is watched: `signal` and `onProgress`, both optional. */
export function checkWatch({ signal, onProgress }) {
  const isSignal = typeof signal === 'object' && signal !== null && typeof signal.aborted === 'boolean' && typeof signal.addEventListener === 'function';
  if (signal !== undefined && !isSignal) throw refuse('signal', 'an AbortSignal', signal);
  if (onProgress !== undefined && typeof onProgress !== 'function') throw refuse('onProgress', 'a function', onProgress);
}

/** Checks a count: a positive integer where it is given. */
export function checkCount(value, field) {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return;
  const got = typeof value === 'number' ? value : kind(value);
  throw new InputError('invalid_field', `${field}: must be a positive integer, is ${got}`, { field, got });
}

/** Checks that `text` is one; anything else is the caller's mistake. */
export function checkText(text, limit) {
  if (typeof text !== 'string') {
    const got = kind(text);
    throw new InputError('invalid_text', `text: must be a string, is ${got}`, { field: 'text', got });
  }
  if (text.length > limit) {
    const message = `text: has ${text.length} UTF-16 units, the limit is ${limit} (maxTextLength raises it)`;
    throw new InputError('text_too_large', message, { field: 'text', limit, got: text.length });
  }
}
