// The other side of `RedactorPool`: one redactor in a thread of its own.

import { LacunaError, toMessage } from './errors.js';
import { nodeModule } from './node.js';
import { Redactor } from './redactor.js';

let redactor;

const acts = {
  load({ module, model, limits }) {
    redactor = new Redactor(module, new Uint8Array(model), limits);
    return redactor.version;
  },
  redact: ({ text, options, logits }) => redactor.answer(text, options, logits),
  windows: ({ text, options }) => redactor.windows(text, options),
  forward: ({ ids }) => redactor.forward(ids),
  restore: ({ text, map, options }) => redactor.restore(text, map, options),
  memory: () => redactor.memoryBytes,
};

function answer(port, { id, act, ...rest }) {
  try {
    port.postMessage({ id, value: acts[act](rest) });
  } catch (error) {
    // What is none of ours is a defect; it is reported and not swallowed.
    const known = error instanceof LacunaError || redactor === undefined;
    const message = known ? toMessage(error) : { class: 'TrapError', code: 'internal', message: String(error) };
    // A redactor that could not replace its instance answers nothing any more: the pool takes another worker.
    port.postMessage({ id, error: message, over: redactor !== undefined && !redactor.alive });
  }
}

if (typeof WorkerGlobalScope === 'function') {
  globalThis.addEventListener('message', ({ data }) => answer(globalThis, data));
} else {
  nodeModule('worker_threads').then(({ parentPort }) => {
    parentPort.on('message', (data) => answer(parentPort, data));
  });
}
