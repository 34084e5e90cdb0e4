import type { RedactionMap, Redactor, RedactorPool, RedactOptions } from './index.js';

/**
 * `fetch` that redacts the string bodies it sends (in JSON: every string in it) and restores the answers it gets.
 * Other kinds of body are refused with a `TypeError`, not passed on. The answer is read whole before it is restored.
 */
export function redactingFetch(
  redactor: Redactor | RedactorPool,
  options?: RedactOptions,
  fetch?: typeof globalThis.fetch,
): typeof globalThis.fetch;

/**
 * Express (and Connect) middleware: redacts every string in `req.body`, after a body parser; the way back is
 * `req.redactionMap`. Errors go to `next`.
 */
export function redactBody(
  redactor: Redactor | RedactorPool,
  options?: RedactOptions,
): (request: any, response: any, next: (error?: unknown) => void) => Promise<void>;

/**
 * A copy of a JSON value with every string in it redacted, and the map for the way back. Keys stay; a number stays
 * unless a rule knows it.
 */
export function redactValue<T>(
  redactor: Redactor | RedactorPool,
  value: T,
  options?: RedactOptions,
): Promise<{ value: T; map: RedactionMap }>;

/** A copy of a JSON value with the values of `map` back in its strings. */
export function restoreValue<T>(redactor: Redactor | RedactorPool, value: T, map: RedactionMap): Promise<T>;
