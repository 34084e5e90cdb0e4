// One text under way: streamed, and whole at the end.

export class Generation {
  /** The whole text and how it came about. */
  result;
  #settle;
  #options;
  #stop; // ends what the worker does for this text
  #stopped = false;
  #text = '';
  #tokens = [];
  #ready = []; // pieces of text that nobody has taken
  #waiting = []; // takers without a piece
  #over = false;
  #failure;
  #unwatch;

  constructor(options) {
    this.#options = options;
    this.result = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Whoever iterates hears of the failure there.
    this.result.catch(() => {});
    const { signal } = options;
    if (!signal) return;
    const abort = () => this.fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#unwatch = () => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
  }

  /** Ends the text where it is: `result` has what there is, with `end: 'stopped'`. */
  stop() {
    this.#stopped = true;
    this.#stop?.();
  }

  /** Its turn has come; returns whether there is something to do. */
  start(stop) {
    if (this.#stopped) this.finish({ ids: [], end: 'stopped', prompt_tokens: 0, cached_tokens: 0, promptMs: 0, decodeMs: 0 });
    this.#stop = stop;
    return !this.#over;
  }

  /** Pieces of text as they become certain. Leaving the loop ends the text. */
  [Symbol.asyncIterator]() {
    return {
      next: () => new Promise((resolve, reject) => {
        this.#waiting.push({ resolve, reject });
        this.#serve();
      }),
      return: async (value) => {
        this.stop();
        return { done: true, value };
      },
    };
  }

  /** What the worker tells. An error that a callback throws ends this text, and no other. */
  hear({ progress, text, token }) {
    if (this.#over) return;
    const { onProgress, onToken, onText } = this.#options;
    try {
      if (progress) onProgress?.(progress);
      if (token) {
        if (token.logprob !== undefined) this.#tokens.push(token);
        onToken?.(token);
      }
      if (!text) return;
      this.#text += text;
      onText?.(text);
      if (this.#over) return;
      this.#ready.push(text);
      this.#serve();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The worker is done with it. */
  finish({ ids, end, prompt_tokens: promptTokens, cached_tokens: cachedTokens, digest, promptMs, decodeMs }) {
    if (this.#over) return;
    const rate = (count, ms) => (count > 0 && ms > 0 ? (1000 * count) / ms : 0);
    const result = {
      text: this.#text, ids, end, promptTokens, cachedTokens, tokens: ids.length, promptMs, decodeMs,
      promptRate: rate(promptTokens - cachedTokens, promptMs),
      // The first token comes out of the prompt's own pass.
      rate: rate(ids.length - 1, decodeMs),
    };
    if (digest !== undefined) result.digest = digest;
    if (this.#options.logprobs !== undefined) result.logprobs = this.#tokens;
    this.#end();
    this.#settle.resolve(result);
  }

  fail(error) {
    if (this.#over) return;
    this.#failure = { error };
    this.#end();
    this.#stop?.();
    this.#settle.reject(error);
  }

  #end() {
    this.#over = true;
    this.#unwatch?.();
    this.#serve();
  }

  #serve() {
    while (this.#waiting.length > 0) {
      if (this.#failure) this.#waiting.shift().reject(this.#failure.error);
      else if (this.#ready.length > 0) this.#waiting.shift().resolve({ done: false, value: this.#ready.shift() });
      else if (this.#over) this.#waiting.shift().resolve({ done: true, value: undefined });
      else return;
    }
  }
}
