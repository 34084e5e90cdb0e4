// One worker, of the web's kind or Node's, behind promises.

import { fromMessage, TrapError } from './errors.js';
import { nodeModule } from './node.js';

/** Not spelled where it is used: bundlers would take Node's worker for one of the page's. */
const NODE_SCRIPT = './worker.js';

export class Thread {
  #worker;
  #waiting = new Map();
  #next = 0;
  #ended; // why no answer comes any more
  #onEnd;

  /**
   * `onEnd` runs once, when no answer comes any more; `make` makes the worker where a page has its own way;
   * `nodeScript` is Node's, from here.
   */
  static async start(onEnd, make, nodeScript = NODE_SCRIPT) {
    const thread = new Thread();
    thread.#onEnd = onEnd;
    const broke = (what) => thread.#end(new TrapError('worker_ended', `the worker ended: ${what}`));
    if (make || typeof Worker === 'function') {
      // Spelled so that bundlers find the worker.
      const worker = make ? make() : new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
      worker.addEventListener('message', ({ data }) => thread.#answered(data));
      worker.addEventListener('error', (event) => broke(event.message || 'it could not be started'));
      worker.addEventListener('messageerror', () => broke('an answer could not be read'));
      thread.#worker = worker;
    } else {
      const { Worker: NodeWorker } = await nodeModule('worker_threads');
      // A program given with `--eval` hands its `--input-type` on, which a worker with a file refuses to start with.
      const evaluated = process.execArgv.some((flag) => flag.startsWith('--input-type'));
      const worker = new NodeWorker(new URL(/* webpackIgnore: true */ nodeScript, import.meta.url), evaluated ? { execArgv: [] } : {});
      worker.on('message', (data) => thread.#answered(data));
      worker.on('error', (error) => broke(error.message));
      worker.on('exit', (code) => broke(`status ${code}`));
      // An idle worker must not keep a program alive.
      worker.unref();
      thread.#worker = worker;
    }
    return thread;
  }

  /** Sends one act and waits for its answer; `onEvent` hears what comes before it. */
  ask(message, onEvent) {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject, onEvent });
      this.#worker.ref?.();
      this.#worker.postMessage({ ...message, id });
    });
  }

  terminate(reason) {
    this.#end(reason);
  }

  #answered({ id, value, error, over, event }) {
    const asked = this.#waiting.get(id);
    if (event) return asked?.onEvent?.(event);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref?.();
    if (error) asked?.reject(fromMessage(error));
    else asked?.resolve(value);
    if (over) this.#end(fromMessage(error));
  }

  #end(reason) {
    if (this.#ended) return;
    this.#ended = reason;
    this.#worker?.terminate(); // also what only failed, and would stay
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    this.#onEnd?.();
  }
}
