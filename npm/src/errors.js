// The errors of the package. Each has a `code` that stays the same over versions, and says what, where and by how much.

/** The parent of all errors here. `field`, `limit` and `got` are there where they mean something. */
export class LacunaError extends Error {
  constructor(code, message, details = {}) {
    super(message);
    this.name = this.constructor.name;
    this.code = code;
    for (const name of ['field', 'limit', 'got', 'place']) {
      if (details[name] !== undefined) this[name] = details[name];
    }
    if (details.cause !== undefined) this.cause = details.cause;
  }
}

/** The text or an option is not what the call takes. */
export class InputError extends LacunaError {}
/** The module or the model could not be loaded: not found, not whole, not what its digest says. */
export class LoadError extends LacunaError {}
/** There was no memory for the call; the redactor is ready for the next one. */
export class OutOfMemoryError extends LacunaError {}
/** The module stopped: a bug of ours. The instance was replaced, and the redactor is ready for the next call. */
export class TrapError extends LacunaError {}
/** The redactor was disposed of. */
export class DisposedError extends LacunaError {}
/** The module answered with an error of another kind. */
export class AnswerError extends LacunaError {}

const CLASSES = { AnswerError, DisposedError, InputError, LacunaError, LoadError, OutOfMemoryError, TrapError };
const NAMED = { invalid_model: LoadError, out_of_memory: OutOfMemoryError };
const INPUT = new Set(['invalid_field', 'unknown_field', 'unsupported', 'invalid_utf8', 'invalid_json', 'invalid_ids', 'no_template', 'prompt_too_long']);

/** The error that the API's `{"error": {...}}` stands for. */
export function fromAnswer({ code, message, ...details }) {
  const Class = NAMED[code] ?? (INPUT.has(code) ? InputError : AnswerError);
  const { field } = details;
  // Over HTTP the field stands beside the message; an exception's message is often all that is read.
  return new Class(code, field === undefined || message.includes(field) ? message : `${field}: ${message}`, details);
}

/** An error as data, for a message between threads. */
export function toMessage(error) {
  if (!(error instanceof LacunaError)) return { class: 'LacunaError', code: 'internal', message: String(error?.message ?? error) };
  const { code, message, field, limit, got, place } = error;
  return { class: error.name, code, message, field, limit, got, place };
}

/** The error that `toMessage` made data of. */
export function fromMessage({ class: name, code, message, ...details }) {
  return new (CLASSES[name] ?? LacunaError)(code, message, details);
}
