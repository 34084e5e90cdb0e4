/// <reference lib="esnext.disposable" />
/**
 * Takes personal data out of text, where the text is: in the page, in a worker, in Node. Nothing is sent.
 *
 * ```js
 * import { Redactor } from 'lacuna-redact';
 *
 * const redactor = await Redactor.load();
 * const { redactedText, restore } = redactor.redact('I am Ana Lima, ana@example.org');
 * // I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]
 * ```
 * @packageDocumentation
 */

/** What an item can be. Labels of a model of your own are strings as well. */
export type Label =
  | 'GIVEN_NAME' | 'SURNAME' | 'EMAIL' | 'PHONE' | 'URL' | 'TAX_ID' | 'BANK_ACCOUNT' | 'ROUTING_NUMBER'
  | 'GOVERNMENT_ID' | 'PASSPORT' | 'DRIVERS_LICENSE' | 'BUILDING_NUMBER' | 'STREET_NAME' | 'SECONDARY_ADDRESS'
  | 'CITY' | 'STATE' | 'ZIP_CODE' | 'IP_ADDRESS' | 'CREDIT_CARD' | 'SSN' | 'SECRET' | 'DATE_OF_BIRTH'
  | (string & {});

/** Options of one redaction. Without any, everything is redacted but dates of birth. */
export interface RedactOptions {
  /** Only these labels. Dates of birth are redacted where they are named here. */
  labels?: Label[];
  /** Labels to leave in the text. */
  keep?: Label[];
  /** Leave what is less sure than this, from 0 to 1: one number, or one a label. */
  threshold?: number | Partial<Record<Label, number>>;
  /** `full` (default): rules and model. `rules`: rules alone, no names and no addresses, in less than a millisecond for a short text. */
  mode?: 'full' | 'rules';
  /** How further occurrences of a found value are looked for. Default `exact`. */
  consistency?: 'exact' | 'ignore_case' | 'off';
  /** `plain`: the answer has `map`, which holds the personal data. `restore` works either way. Default `none`. */
  map?: 'none' | 'plain';
  /** Each item says which rule, check, context word and model label found it. */
  explain?: boolean;
}

/** One redacted value. Ranges are half-open and index the original text. */
export interface Item {
  label: Label;
  /** The rule's kind of value, e.g. `IBAN`. */
  subtype?: string;
  /** What stands in its place: the same value has the same placeholder. */
  placeholder: string;
  /** Unicode code points. */
  start: number;
  /** Unicode code points. */
  end: number;
  /** UTF-16 units, as `String.prototype.slice` counts. */
  utf16: [start: number, end: number];
  /** Bytes of UTF-8. */
  bytes: [start: number, end: number];
  /** 0 to 1. */
  confidence: number;
  source: 'model' | 'rule';
  /** With the option `explain`. */
  explain?: { rule?: string; modelLabel?: Label; check?: string; context?: string };
}

/** Placeholder to value, e.g. `{"[EMAIL_1]": "ana@example.org"}`. */
export type RedactionMap = Record<string, string>;

/** `tolerant` (default) takes placeholders as language models mangle them, e.g. `given_name_1`; `strict` to the letter. */
export interface RestoreOptions {
  mode?: 'tolerant' | 'strict';
}

export interface Restored {
  text: string;
  /** How many placeholders were replaced. */
  restored: number;
  /** Placeholders that the map does not hold; they stay in the text. */
  unknown: string[];
}

/**
 * Milliseconds per phase. Where the workers of a pool have shared out a text, `forward` and its parts are sums over all
 * of them and may be more than `total`, which is the clock's.
 */
export interface Timings {
  /** Making the tokenizer usable, once, at load. */
  tokLoad: number;
  /** Making the model usable, once, at load. */
  modelLoad: number;
  /** Text to tokens. */
  encode: number;
  /** The model over all windows. */
  forward: number;
  /** Of `forward`: matrix products. */
  matmul: number;
  /** Of `forward`: attention. */
  attention: number;
  /** Of `forward`: everything else. */
  other: number;
  /** Rules, spans, placeholders. */
  detect: number;
  total: number;
}

/** What a redaction says, however it was made. */
export interface Answer {
  /** The text with placeholders. */
  readonly redactedText: string;
  /** What was replaced, in the order of the text. */
  readonly items: Item[];
  /** Windows the model read. */
  readonly windows: number;
  /** Tokens of the text. */
  readonly tokens: number;
  /** With the option `map: 'plain'`. */
  readonly map?: RedactionMap;
  readonly timings: Timings;
}

/** One redacted text. */
export interface Redaction extends Answer {
  /** Puts the values back into `text`, e.g. a language model's answer to `redactedText`. The redactor must be alive. */
  restore(text: string, options?: RestoreOptions): Restored;
}

/** One redacted text of a pool. */
export interface PoolRedaction extends Answer {
  /** As `Redaction.restore`. */
  restore(text: string, options?: RestoreOptions): Promise<Restored>;
}

/** What is loaded: the same as `/version` says. */
export interface Version {
  readonly version: string;
  readonly build: 'simd128' | 'relaxed';
  readonly model: string;
  /** SHA-256 of the model file as converted; null where the file does not say. */
  readonly modelSha256: string | null;
  readonly rulesVersion: string;
}

/** A compiled module, where the surroundings have a type for it: Node's of version 20 have none. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module & object : object;

export interface Progress {
  what: 'model';
  /** Bytes so far. */
  loaded: number;
  /** Bytes in all, where the server says. */
  total?: number;
}

export interface LoadOptions {
  /**
   * The model file: a URL, or bytes. Default: the one in the package (Rampart, CC BY 4.0). Files that
   * `lacuna convert` writes are taken too; they are laid out at load, which takes longer.
   */
  model?: string | URL | Response | Blob | ArrayBuffer | ArrayBufferView;
  /**
   * The file's SHA-256 in hex, checked before a byte is used. A model by URL is kept in the browser's cache only if
   * this is given. For the package's own model it is known; `null` goes without.
   */
  sha256?: string | null;
  /** `false`: the browser's Cache storage is not used. */
  cache?: boolean;
  /** Which build. Default `auto`: `relaxed` where the engine runs relaxed SIMD. The answers are the same to the bit. */
  build?: 'auto' | 'simd128' | 'relaxed';
  /** Where the modules are, for hosts that move them, or the compiled modules. */
  modules?: { simd128?: string | URL | WasmModule; relaxed?: string | URL | WasmModule };
  /** Hears of the model's bytes as they come. What it throws ends the load, and `load` rejects with it. */
  onProgress?: (progress: Progress) => void;
  /** Ends the load; `load` rejects with the signal's reason, an `AbortError` if none was given. */
  signal?: AbortSignal;
  /** Bytes one instance may hold; over it, calls throw `OutOfMemoryError`. Default: what the engine gives, 4 GiB at most. */
  maxMemory?: number;
  /**
   * UTF-16 units of a text; more is refused. Default 16,777,216. A text takes its time: some 200 ms for each thousand
   * characters with the model on one core, so that a megabyte is a matter of minutes.
   */
  maxTextLength?: number;
}

/**
 * A redactor in the thread that calls it: for Node, for workers of your own, for short texts in a page.
 *
 * Texts are strings. A lone surrogate (half a character, which UTF-8 cannot hold) is read as U+FFFD and comes out so;
 * positions stay right. Anything but a string is an `InputError`. A call keeps its thread until it is done.
 */
export class Redactor {
  private constructor();
  /** Loads module and model. Rejects with `LoadError`, `InputError`, `OutOfMemoryError`, or why it was ended. */
  static load(options?: LoadOptions): Promise<Redactor>;
  readonly version: Version;
  /** Bytes of the instance's memory. */
  readonly memoryBytes: number;
  /** Replaces the personal data in a text of any length. Throws `InputError`, `OutOfMemoryError`, `TrapError`. */
  redact(text: string, options?: RedactOptions): Redaction;
  /** Puts the values of a map back into a text. Placeholders in the values stay as they are. */
  restore(text: string, map: RedactionMap, options?: RestoreOptions): Restored;
  /** The model's plain view of a short text: one pass, no rules. One row of logits a token, one logit a label. */
  logits(text: string): { ids: number[]; bytes: [number, number][]; logits: Float32Array };
  /** Frees the memory. Later calls throw `DisposedError`. */
  dispose(): void;
  [Symbol.dispose](): void;
}

export interface PoolLoadOptions extends LoadOptions {
  /** How many workers, at most 16. Default: one fewer than there are cores. */
  workers?: number;
  /**
   * Makes one worker, where the pool cannot find its own: a bundler without `new URL(…, import.meta.url)`, a package
   * served by another origin. Its script is, or imports, `lacuna-redact/worker`, e.g.
   * `() => new Worker('/lacuna-worker.js', { type: 'module' })`.
   */
  worker?: () => WebWorker;
}

/** A worker of the web's kind, where the surroundings have a type for it. */
export type WebWorker = typeof globalThis extends { Worker: { prototype: infer Worker } } ? Worker : object;

/** How one call is watched and stopped. */
export interface CallOptions {
  /**
   * Ends the call: it rejects at once with the signal's reason. What waits is dropped; what a worker is at, a window
   * or the rules over the whole text, it finishes unheard.
   */
  signal?: AbortSignal;
  /**
   * Windows read so far of a text that has several, texts done so far of a batch. What it throws ends the call, which
   * rejects with it.
   */
  onProgress?: (progress: { done: number; total: number }) => void;
}

/**
 * Redactors in workers: the page stays free. With `workers: 1` it is the redactor off the thread; with more, the
 * windows of a long text and the texts of a batch are shared out. The answer is the same to the bit.
 */
export class RedactorPool {
  private constructor();
  /** Loads module and model once, and starts the workers. Rejects as `Redactor.load` does. */
  static load(options?: PoolLoadOptions): Promise<RedactorPool>;
  readonly version: Version;
  /** Workers that are ready. One that dies fails the call it was at with a `TrapError` and is replaced. */
  readonly workers: number;
  /** As `Redactor.redact`; any number of calls may wait. */
  redact(text: string, options?: RedactOptions, call?: CallOptions): Promise<PoolRedaction>;
  /** Several texts, answers in their order. The first failure ends the batch. */
  redactAll(texts: string[], options?: RedactOptions, call?: CallOptions): Promise<PoolRedaction[]>;
  /** As `Redactor.restore`. */
  restore(text: string, map: RedactionMap, options?: RestoreOptions): Promise<Restored>;
  /** Bytes of all instances. */
  memoryBytes(): Promise<number>;
  /** Ends the workers; calls that wait are rejected with `DisposedError`. */
  dispose(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A stream that redacts line by line (logs): bytes or strings in, cut anywhere; bytes out. It fails closed: an error
 * ends the stream, and nothing is passed on unread. Each line is a text of its own. Bytes that are not UTF-8 come out
 * as U+FFFD. A line of more than `maxLineLength` UTF-16 units (default 1,048,576) is an error.
 * In Node: `Duplex.fromWeb(redactLines(redactor))`.
 */
export function redactLines(
  redactor: Redactor | RedactorPool,
  options?: RedactOptions,
  limits?: { maxLineLength?: number },
): TransformStream<Uint8Array | string, Uint8Array>;

/** Whether this engine runs relaxed SIMD. */
export function relaxedSimd(): boolean;
/** Whether this engine runs 128-bit SIMD, without which nothing here does. */
export function simd(): boolean;

/** The parent of all errors here. */
export class LacunaError extends Error {
  /** Stays the same over versions, e.g. `invalid_text`, `unknown_field`, `wrong_digest`, `out_of_memory`, `trapped`. */
  readonly code: string;
  /** The field or option at fault. */
  readonly field?: string;
  /** The limit that was passed. */
  readonly limit?: number;
  /** What was found in its place. */
  readonly got?: unknown;
}
/** The text or an option is not what the call takes. */
export class InputError extends LacunaError {}
/** Module or model could not be loaded: not found, not whole, not what its digest says. */
export class LoadError extends LacunaError {}
/** There was no memory for the call. The redactor is ready for the next one. */
export class OutOfMemoryError extends LacunaError {}
/** The module stopped: a bug of ours. The instance was replaced; the redactor is ready for the next call. */
export class TrapError extends LacunaError {
  /** The line of the source, where it is known. Never a part of the text. */
  readonly place?: string;
}
/** The redactor was disposed of. */
export class DisposedError extends LacunaError {}
/** The module answered with an error of another kind. */
export class AnswerError extends LacunaError {}
