import type { RedactionMap, Redactor, RedactorPool, RedactOptions } from './index.js';

/**
 * `fetch` that redacts the bodies it sends (strings: in JSON every string in it, of a form every field; and
 * URLSearchParams) and restores the answers it gets.
 * JSON keeps its spelling but for what is replaced. Other kinds of body are refused with a `TypeError`, not passed on;
 * addresses and headers are sent as they are. An answer that is text is read whole before it is restored; any other
 * comes as it is.
 */
export function redactingFetch(
  redactor: Redactor | RedactorPool,
  options?: RedactOptions,
  fetch?: typeof globalThis.fetch,
): typeof globalThis.fetch;

/**
 * For servers of the Fetch kind (Deno, Bun, edge workers): a request with its body redacted, and the map for the way
 * back. Throws `InputError` for a body that is neither text nor a form by its `content-type`, or not UTF-8.
 */
export function redactRequest(
  redactor: Redactor | RedactorPool,
  request: Request,
  options?: RedactOptions,
): Promise<{ request: Request; map: RedactionMap }>;

/**
 * Express (and Connect) middleware: redacts every string in `req.body`, after a body parser; the way back is
 * `req.redactionMap`. Errors go to `next`, and so does a body that is no JSON value, such as a Buffer.
 */
export function redactBody(
  redactor: Redactor | RedactorPool,
  options?: RedactOptions,
): (request: any, response: any, next: (error?: unknown) => void) => Promise<void>;

/**
 * A copy of a JSON value with every string in it redacted, and the map for the way back. Keys and numbers stay, but for
 * what a rule knows: a card number, an e-mail address. Throws `InputError` for what JSON does not hold.
 */
export function redactValue<T>(
  redactor: Redactor | RedactorPool,
  value: T,
  options?: RedactOptions,
): Promise<{ value: T; map: RedactionMap }>;

/**
 * `redactValue` for a JSON object or array that is text. What is not replaced stays as it is spelled: spaces, the order
 * of members, numbers of more digits than JavaScript holds. Throws `InputError` for text that is none.
 */
export function redactJson(
  redactor: Redactor | RedactorPool,
  text: string,
  options?: RedactOptions,
): Promise<{ text: string; map: RedactionMap }>;

/** A copy of a JSON value with the values of `map` back in its strings and keys. */
export function restoreValue<T>(redactor: Redactor | RedactorPool, value: T, map: RedactionMap): Promise<T>;
