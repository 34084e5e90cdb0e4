// Two engines in one page, each in a worker, one thread: SmolLM2 in Q4_0, the same prompt, the same number of tokens.
import { LanguageModel } from '/complete.js';

const MODEL = '/bench/model/smollm2-q4_0.gguf';

const lacuna = {
  name: 'lacuna',
  async load() {
    this.model = await LanguageModel.load(MODEL);
    this.build = this.model.info.build;
  },
  /** `fresh` makes texts differ from the first token on: nothing of the last one is in the cache. */
  async run(fresh, prompt, tokens) {
    const { promptTokens, cachedTokens, tokens: written, promptRate, rate } = await this.model.generate(fresh + prompt, { raw: true, maxTokens: tokens, ignoreEnd: true }).result;
    return { promptTokens: promptTokens - cachedTokens, tokens: written, prompt: promptRate, decode: rate };
  },
  memory() {
    return this.model.memoryBytes();
  },
};

const wllama = {
  name: 'wllama',
  async load() {
    const { Wllama } = await import('/bench/node_modules/@wllama/wllama/esm/index.js');
    this.engine = new Wllama({ default: '/bench/node_modules/@wllama/wllama/esm/wasm/wllama.wasm' }, { suppressNativeLog: true });
    const file = await (await fetch(MODEL)).blob();
    await this.engine.loadModel([file], { n_ctx: 1024, n_threads: 1, n_gpu_layers: 0 });
    if (this.engine.getNumThreads() !== 1) throw new Error(`wllama took ${this.engine.getNumThreads()} threads`);
  },
  async run(fresh, words, tokens) {
    const { timings, usage } = await this.engine.createCompletion({ prompt: fresh + words, max_tokens: tokens, temperature: 0, ignore_eos: true, cache_prompt: false });
    const { prompt_n: promptTokens, predicted_n: written, prompt_per_second: prompt, predicted_per_second: decode } = timings;
    if (written !== usage.completion_tokens) throw new Error(`wllama wrote ${written} of ${usage.completion_tokens} tokens`);
    return { promptTokens, tokens: written, prompt, decode };
  },
};

const engines = [lacuna, wllama];

/** Loads each; milliseconds. */
globalThis.load = async () => {
  const times = {};
  for (const engine of engines) {
    const begin = performance.now();
    await engine.load();
    times[engine.name] = performance.now() - begin;
  }
  return times;
};

/** Rates of all engines, in turns; the first `warm` rounds do not count. */
globalThis.rounds = async (warm, counted, words, tokens) => {
  const all = Object.fromEntries(engines.map(({ name }) => [name, []]));
  for (let round = 0; round < warm + counted; round++) {
    for (const engine of engines) {
      // One word that is one token, again and again, after a first one that is another in each round.
      const fresh = String.fromCharCode('a'.charCodeAt(0) + (round % 26));
      const rates = await engine.run(fresh, ' the'.repeat(words - 1), tokens);
      if (rates.promptTokens !== words || rates.tokens !== tokens) throw new Error(`${engine.name} read ${rates.promptTokens} and wrote ${rates.tokens}`);
      if (round >= warm) all[engine.name].push({ prompt: rates.prompt, decode: rates.decode });
    }
  }
  return all;
};

globalThis.about = async () => ({ build: lacuna.build, memory: await lacuna.memory() });
globalThis.ready = true;
