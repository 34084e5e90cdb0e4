// The other side of `LanguageModel`: the model in a thread of its own. Between two tokens it hears what it is told.

import { toMessage } from '../errors.js';
import { nodeModule } from '../node.js';
import { Engine } from './engine.js';

let engine;
/** The number of the text to be ended. */
let stopped;

const acts = {
  async load({ module, source, maxMemory }, tell) {
    engine = new Engine(module, maxMemory);
    return engine.load(source.url === undefined ? source : new URL(source.url), { onProgress: tell });
  },

  async generate({ request, text: number }, tell) {
    const begun = performance.now();
    const { prompt_tokens: total } = engine.begin(request);
    let first;
    for (;;) {
      const { read, text, token, over, result } = engine.step();
      if (token) first ??= performance.now();
      tell({ ...(read !== undefined && { progress: { done: read, total } }), text, token });
      if (over) return finished(result, begun, first);
      await turn();
      if (stopped === number) return finished(engine.stop(), begun, first);
    }
  },

  stop({ text }) {
    stopped = text;
  },

  memory: () => engine.memoryBytes,
};

/** What a result says, with its times in milliseconds: until the first token was chosen, and from there on. */
function finished(result, begun, first = performance.now()) {
  return { ...result, promptMs: first - begun, decodeMs: performance.now() - first };
}

const channel = typeof setImmediate === 'function' ? undefined : new MessageChannel();
const turns = [];
channel?.port1.addEventListener('message', () => turns.shift()());
channel?.port1.start();

/** Lets messages that have come be heard. Timers would wait 4 ms in a browser. */
const turn = () => new Promise((resolve) => {
  if (!channel) return setImmediate(resolve);
  turns.push(resolve);
  channel.port2.postMessage(0);
});

async function answer(port, message) {
  const { id, act } = message;
  try {
    port.postMessage({ id, value: await acts[act](message, (event) => port.postMessage({ id, event })) });
  } catch (error) {
    port.postMessage({ id, error: toMessage(error), over: engine?.trapped });
  }
}

if (typeof WorkerGlobalScope === 'function') {
  globalThis.addEventListener('message', ({ data }) => answer(globalThis, data));
} else {
  nodeModule('worker_threads').then(({ parentPort }) => {
    parentPort.on('message', (data) => answer(parentPort, data));
  });
}
