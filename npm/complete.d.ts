/// <reference lib="esnext.disposable" />
/**
 * Text from small language models (GGUF files of the llama, qwen2, qwen3 and gemma3 families) in a worker. The same file,
 * prompt, options and seed give the same text in every engine, and the same bits as `lacuna complete`.
 *
 * ```js
 * import { LanguageModel } from 'lacuna-redact/complete';
 *
 * const model = await LanguageModel.load('smollm2.gguf', { onProgress: ({ loaded, total }) => show(loaded / total) });
 * for await (const text of model.generate('Why is the sky blue?')) write(text);
 * ```
 * @packageDocumentation
 */
import type { WasmModule, WebWorker } from './index.js';

export { relaxedSimd, simd, AnswerError, DisposedError, InputError, LacunaError, LoadError, OutOfMemoryError, TrapError } from './index.js';

export interface LoadOptions {
  /** Which build. Default `auto`: `relaxed` where the engine runs relaxed SIMD. The texts are the same. */
  build?: 'auto' | 'simd128' | 'relaxed';
  /** Where the modules are, for hosts that move them, or the compiled modules. */
  modules?: { simd128?: string | URL | WasmModule; relaxed?: string | URL | WasmModule };
  /** Hears of the file's bytes as they come; `total` where the source says. What it throws ends the load. */
  onProgress?: (progress: { loaded: number; total?: number }) => void;
  /** Ends the load; `load` rejects with the signal's reason, an `AbortError` if none was given. */
  signal?: AbortSignal;
  /** Bytes the module may hold; over it, `OutOfMemoryError`. Default: what the engine gives, 4 GiB at most. */
  maxMemory?: number;
  /** Makes the worker, whose script is, or imports, `lacuna-redact/complete/worker`. */
  worker?: () => WebWorker;
}

/** One turn of a conversation. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | (string & {});
  content: string;
}

export interface GenerateOptions {
  /** Tokens at most. Default 256. */
  maxTokens?: number;
  /** 0, the default, takes the most likely token; 1 draws as the model would. */
  temperature?: number;
  /** Only the `topK` most likely tokens; 0, the default: all. */
  topK?: number;
  /** Only the most likely tokens that together reach this probability. Default 1. */
  topP?: number;
  /** Only tokens at least this likely, as a share of the most likely one. Default 0. */
  minP?: number;
  /** Divides the logits of recent tokens. Default 1. */
  repetitionPenalty?: number;
  /** Taken off the logits of recent tokens. */
  presencePenalty?: number;
  /** Taken off for each time a token occurred recently. */
  frequencyPenalty?: number;
  /** How many tokens are recent, the prompt's included. Default 64. */
  penaltyWindow?: number;
  /** Token to what is added to its logit; `-Infinity` forbids it. */
  logitBias?: Record<number, number>;
  /** Start of the random numbers: the same seed gives the same text everywhere. Default 0. */
  seed?: number | bigint;
  /** Texts that end the generation and are left out. */
  stop?: string | string[];
  /** The log-probability of each token and of so many most likely ones. */
  logprobs?: number;
  /** Writes special tokens as text. */
  special?: boolean;
  /** Goes on after the model has ended its text. */
  ignoreEnd?: boolean;
  /** The result has a digest of all logits, that of `lacuna complete --json`. */
  digest?: boolean;
  /** A string is continued as it is; else it is a turn of the user in the model's chat template. */
  raw?: boolean;
  /** Ends the text within a token, or a piece of 32 tokens of the prompt; it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Text as it becomes certain. What a callback throws ends this text, which rejects with it; the model serves on. */
  onText?: (text: string) => void;
  /** Each token as it is chosen. */
  onToken?: (token: Token) => void;
  /** How much of the prompt was read. */
  onProgress?: (progress: { done: number; total: number }) => void;
}

export interface Token {
  id: number;
  /** With the option `logprobs`. */
  logprob?: number;
  /** With the option `logprobs`: the most likely tokens. */
  top?: { id: number; logprob: number }[];
}

/** A whole text. */
export interface GenerationResult {
  text: string;
  /** Its tokens, the end token included. */
  ids: number[];
  /** Why it ended: the model did, a stop string, `maxTokens`, a full context, or `Generation.stop`. */
  end: 'end' | 'stop' | 'length' | 'context' | 'stopped';
  promptTokens: number;
  /** Of these, those that the last text had in common with this one: they were not read again. */
  cachedTokens: number;
  /** Tokens written. */
  tokens: number;
  /** Milliseconds until the first token was chosen. */
  promptMs: number;
  /** Milliseconds from there to the end. */
  decodeMs: number;
  /** Tokens of the prompt read in a second. */
  promptRate: number;
  /** Tokens written in a second. */
  rate: number;
  digest?: string;
  logprobs?: Token[];
}

/** A text under way. */
export interface Generation extends AsyncIterable<string> {
  /** The whole text. Rejects with what ended it: an abort, a callback's error, `InputError`, `OutOfMemoryError`. */
  readonly result: Promise<GenerationResult>;
  /** Ends the text where it is; `result` has what there is. Leaving a loop over it does the same. */
  stop(): void;
}

/** What a model file says of itself. */
export interface ModelInfo {
  readonly version: string;
  readonly build: 'simd128' | 'relaxed';
  readonly name: string | null;
  readonly architecture: string;
  /** Tokens of prompt and text together, at most. */
  readonly context: number;
  readonly vocabulary: number;
  /** Whether the file has a chat template. */
  readonly template: boolean;
}

/** A language model in a worker of its own: one thread. */
export class LanguageModel {
  private constructor();
  /**
   * Reads a GGUF file from a URL (in Node a `file:` URL too), a File or Blob, or bytes, which are copied. It goes straight
   * into the module's memory, packed on the way: while it loads, and after, memory is some 1.2 times the file. A model of
   * more than 2 GiB does not fit. Rejects with `LoadError`, `OutOfMemoryError`, or why it was ended.
   */
  static load(source: string | URL | Blob | ArrayBuffer | ArrayBufferView, options?: LoadOptions): Promise<LanguageModel>;
  readonly info: ModelInfo;
  /**
   * Writes a text after a turn of the user, a conversation, or tokens as they are. Texts are written one after the other;
   * what a conversation has in common with the last one is not read again.
   */
  generate(input: string | Message[] | number[], options?: GenerateOptions): Generation;
  /** Bytes of the module's memory. */
  memoryBytes(): Promise<number>;
  /** Ends the worker and frees the memory; texts under way reject with `DisposedError`. */
  dispose(): void;
  [Symbol.asyncDispose](): Promise<void>;
}
