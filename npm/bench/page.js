// Three engines in one page, one thread and the Wasm backend each, over the same Rampart. Each is
// `{load(), forward(ids) -> [tokens, labels] logits}`.

import { Redactor, RedactorPool } from '/index.js';
import { firstRedactions } from '/test/browser/first.js';

/** Rounds before the first one that counts: engines compile what is hot meanwhile. */
const WARM = 4;
const modules = '/bench/node_modules';
const model = '/bench/model';

const lacuna = {
  async load() {
    this.redactor = await Redactor.load({ cache: false });
  },
  forward(ids) {
    return this.redactor.forward(Uint32Array.from(ids)).logits;
  },
};

const ort = {
  async load() {
    this.ort = await import(`${modules}/onnxruntime-web/dist/ort.wasm.min.mjs`);
    Object.assign(this.ort.env.wasm, { numThreads: 1, proxy: false, wasmPaths: `${modules}/onnxruntime-web/dist/` });
    this.session = await this.ort.InferenceSession.create(`${model}/onnx/model_q4.onnx`, { executionProviders: ['wasm'], graphOptimizationLevel: 'all' });
  },
  async forward(ids) {
    const tensor = (values) => new this.ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, ids.length]);
    const all = { input_ids: () => tensor(ids), attention_mask: () => tensor(ids.map(() => 1)), token_type_ids: () => tensor(ids.map(() => 0)) };
    const feeds = Object.fromEntries(this.session.inputNames.map((name) => [name, all[name]()]));
    return (await this.session.run(feeds)).logits.data;
  },
};

const transformers = {
  async load() {
    this.lib = await import(`${modules}/@huggingface/transformers/dist/transformers.min.js`);
    const { env, AutoModelForTokenClassification } = this.lib;
    Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: '/bench/', useBrowserCache: false });
    Object.assign(env.backends.onnx.wasm, { numThreads: 1, proxy: false, wasmPaths: `${modules}/@huggingface/transformers/node_modules/onnxruntime-web/dist/` });
    this.model = await AutoModelForTokenClassification.from_pretrained('model', { dtype: 'q4', device: 'wasm', local_files_only: true });
  },
  async forward(ids) {
    const { Tensor } = this.lib;
    const tensor = (values) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, ids.length]);
    const { logits } = await this.model({ input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(ids.map(() => 0)) });
    return logits.data;
  },
};

const engines = { lacuna, ort, transformers };

/** Engine → the memories of its modules, noted as the modules are made. */
const memories = Object.fromEntries(Object.keys(engines).map((name) => [name, new Set()]));
let starting;
for (const act of ['instantiate', 'instantiateStreaming']) {
  const made = WebAssembly[act];
  WebAssembly[act] = async (source, imports) => {
    const name = starting;
    const result = await made.call(WebAssembly, source, imports);
    const { exports } = result.instance ?? result;
    const all = [exports, ...Object.values(imports ?? {})].flatMap((module) => Object.values(module));
    for (const one of all) if (one instanceof WebAssembly.Memory) memories[name].add(one);
    return result;
  };
}

/** Loads one engine and reads one text; milliseconds of both. */
globalThis.start = async (name, ids) => {
  starting = name;
  const begin = performance.now();
  await engines[name].load();
  const loaded = performance.now();
  await engines[name].forward(ids);
  return { load: loaded - begin, first: performance.now() - loaded };
};

/** Milliseconds of forward passes, the engines taking turns. */
globalThis.turns = async (names, ids, rounds) => {
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -WARM; round < rounds; round++) {
    for (const name of names) {
      const begin = performance.now();
      await engines[name].forward(ids);
      if (round >= 0) times[name].push(performance.now() - begin);
    }
  }
  return times;
};

/** The label of each token as each engine sees it. */
globalThis.labels = async (name, texts) => {
  const out = [];
  for (const ids of texts) {
    const logits = await engines[name].forward(ids);
    const columns = logits.length / ids.length;
    for (let row = 0; row < ids.length; row++) {
      let best = 0;
      for (let column = 1; column < columns; column++) {
        if (logits[row * columns + column] > logits[row * columns + best]) best = column;
      }
      out.push(best);
    }
  }
  return out;
};

/** Milliseconds of one long text with one worker and with `workers`, in turns. */
globalThis.pools = async (text, workers, rounds) => {
  const sizes = [1, workers];
  const pools = await Promise.all(sizes.map((workers) => RedactorPool.load({ workers, cache: false })));
  const times = sizes.map(() => []);
  for (let round = -2; round < rounds; round++) {
    for (const [i, pool] of pools.entries()) {
      const begin = performance.now();
      await pool.redact(text);
      if (round >= 0) times[i].push(performance.now() - begin);
    }
  }
  for (const pool of pools) pool.dispose();
  return times;
};

/** Token ids of a text. */
globalThis.ids = (text) => engines.lacuna.redactor.logits(text).ids;
globalThis.build = () => engines.lacuna.redactor.version.build;
/** Bytes of an engine's Wasm memories. */
globalThis.memory = (name) => {
  if (name === 'lacuna') return engines.lacuna.redactor.memoryBytes;
  return [...memories[name]].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
};
globalThis.firsts = firstRedactions;
globalThis.ready = true;
