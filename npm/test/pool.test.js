import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { DisposedError, InputError, LoadError, OutOfMemoryError, Redactor, RedactorPool } from '../index.js';
import { parts } from '../src/load.js';
import { Thread } from '../src/thread.js';
import { texts } from './support.js';

const LONG = texts.slice(0, 20).join('\n');

async function using(options, work) {
  const pool = await RedactorPool.load(options);
  try {
    return await work(pool);
  } finally {
    pool.dispose();
  }
}

test('a pool answers as a redactor does', () => using({ workers: 2 }, async (pool) => {
  const redactor = await Redactor.load();
  for (const text of ['', 'I am Ana Lima, ana@example.org', LONG]) {
    const { timings: _a, ...ours } = await pool.redact(text, { map: 'plain', explain: true });
    const { timings: _b, ...theirs } = redactor.redact(text, { map: 'plain', explain: true });
    assert.deepEqual(ours, theirs);
  }
  assert.deepEqual(pool.version, redactor.version);
  assert.equal(pool.workers, 2);
  assert.ok(await pool.memoryBytes() > 2 * 13e6);
  redactor.dispose();
}));

test('values come back', () => using({ workers: 1 }, async (pool) => {
  const answer = await pool.redact('ana@example.org');
  assert.equal((await answer.restore('To email_1')).text, 'To ana@example.org');
  assert.equal((await pool.restore('[A_1]', { '[A_1]': 'b' }, { mode: 'strict' })).text, 'b');
  await assert.rejects(pool.restore('x', { a: 1 }), (error) => error instanceof InputError && error.field === 'map.a');
}));

test('errors are the same as without workers', () => using({ workers: 1 }, async (pool) => {
  await assert.rejects(pool.redact(null), (error) => error instanceof InputError && error.code === 'invalid_text');
  await assert.rejects(pool.redact('x', { what: 1 }), (error) => error instanceof InputError && error.field === 'what');
  await assert.rejects(pool.redactAll('x'), (error) => error instanceof InputError);
  await assert.rejects(pool.redactAll(['x', 7]), { code: 'invalid_text' });
  await assert.rejects(RedactorPool.load({ workers: 0 }), { field: 'workers' });
  await assert.rejects(RedactorPool.load({ workers: 1, model: new Uint8Array(10) }), (error) => error instanceof LoadError);
}));

test('progress counts the windows, one by one', () => using({ workers: 2 }, async (pool) => {
  const seen = [];
  const { windows } = await pool.redact(LONG, {}, { onProgress: (progress) => seen.push(progress) });
  assert.ok(windows > 4);
  assert.deepEqual(seen.map(({ done }) => done), Array.from({ length: windows }, (_, i) => i + 1));
  assert.ok(seen.every(({ total }) => total === windows));
}));

test('what a callback throws ends the call, and the pool goes on', () => using({ workers: 2 }, async (pool) => {
  const own = new RangeError('of the page');
  let heard = 0;
  // Once only: what goes on all the same would not be noticed otherwise.
  const onProgress = () => {
    heard += 1;
    if (heard <= 2) throw own;
  };
  await assert.rejects(pool.redact(LONG.repeat(5), {}, { onProgress }), (error) => error === own);
  heard = 1;
  await assert.rejects(pool.redactAll(Array(40).fill(LONG), {}, { onProgress }), (error) => error === own);
  assert.equal((await pool.redact('ana@example.org')).redactedText, '[EMAIL_1]');
  await sleep(2000);
  assert.ok(heard <= 3, `${heard} calls of the callback: the rest of the batch was read`);
}));

test('how a call is watched is checked', () => using({ workers: 1 }, async (pool) => {
  for (const [call, field] of [[null, 'call'], [7, 'call'], [{ signal: 7 }, 'signal'], [{ signal: null }, 'signal'], [{ onProgress: {} }, 'onProgress']]) {
    await assert.rejects(pool.redact('x', {}, call), (error) => error instanceof InputError && error.field === field);
    await assert.rejects(pool.redactAll(['x'], {}, call), (error) => error instanceof InputError && error.field === field);
  }
  await assert.rejects(pool.redact('x', {}, { abort: 1 }), { code: 'unknown_field', field: 'abort' });
  await assert.rejects(RedactorPool.load({ workers: 1.5 }), { field: 'workers' });
  await assert.rejects(RedactorPool.load({ worker: 'x.js' }), { field: 'worker' });
  const worker = () => {
    throw new Error('of another origin');
  };
  await assert.rejects(RedactorPool.load({ worker }), (error) => error instanceof LoadError && error.code === 'no_worker');
  await assert.rejects(pool.redactAll(['x', , 'y']), { code: 'invalid_text' });
  assert.deepEqual(await pool.redactAll([]), []);
}));

test('where the time went is told of windows read elsewhere too', () => using({ workers: 2 }, async (pool) => {
  const begin = performance.now();
  const { timings, windows } = await pool.redact(LONG);
  const elapsed = performance.now() - begin;
  assert.ok(windows > 4);
  assert.ok(timings.matmul > 0 && timings.attention > 0 && timings.other > 0, JSON.stringify(timings));
  assert.ok(timings.forward >= timings.matmul + timings.attention, JSON.stringify(timings));
  assert.ok(timings.total > 0 && timings.total <= elapsed + 1, `${timings.total} of ${elapsed}`);
}));

test('many calls at once are all answered, each with its own', () => using({ workers: 2 }, async (pool) => {
  const texts = Array.from({ length: 100 }, (_, i) => `${i} writes to ana${i}@example.org`);
  const answers = await Promise.all(texts.map((text, i) => (i % 3 ? pool.redact(text) : pool.redact(text, { keep: ['EMAIL'] }))));
  answers.forEach((answer, i) => {
    assert.equal(answer.redactedText.includes(`ana${i}@`), i % 3 === 0, texts[i]);
    if (i % 3) assert.equal(answer.items.at(-1).label, 'EMAIL');
  });
}));

test('a cancelled call ends soon, and the pool goes on', () => using({ workers: 1 }, async (pool) => {
  const stop = new AbortController();
  let windows = 0;
  const long = pool.redact(LONG.repeat(20), {}, {
    signal: stop.signal,
    onProgress: () => {
      windows += 1;
      stop.abort();
    },
  });
  await assert.rejects(long, { name: 'AbortError' });
  assert.equal((await pool.redact('ana@example.org')).redactedText, '[EMAIL_1]');
  assert.ok(windows <= 2, `${windows} windows were read after the abort`);
  await assert.rejects(pool.redact('x', {}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(pool.redactAll(['x'], {}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
}));

test('a batch keeps its order and tells its progress', () => using({ workers: 2 }, async (pool) => {
  const batch = [LONG, 'ana@example.org', '', '10.0.0.1'];
  const done = [];
  const answers = await pool.redactAll(batch, {}, { onProgress: (progress) => done.push(progress.done) });
  assert.deepEqual(answers.slice(1).map(({ redactedText }) => redactedText), ['[EMAIL_1]', '', '[IP_ADDRESS_1]']);
  assert.deepEqual(done, [1, 2, 3, 4]);
}));

test('want of memory in a worker is a typed error, and the worker goes on', () => using({ workers: 1, maxMemory: 40e6 }, async (pool) => {
  await assert.rejects(pool.redact('Ana Lima lives in Porto. '.repeat(600_000)), (error) => error instanceof OutOfMemoryError);
  assert.equal((await pool.redact('ana@example.org')).redactedText, '[EMAIL_1]');
}));

/** Runs `work` with the threads that pools start meanwhile; `start` may stand in for the real way. */
async function watchingThreads(work, stand = (start) => start) {
  const threads = [];
  const { start } = Thread;
  Thread.start = async (...way) => {
    const thread = await stand(start).call(Thread, ...way);
    threads.push(thread);
    return thread;
  };
  try {
    return await work(threads);
  } finally {
    Thread.start = start;
  }
}

test('a worker that dies is replaced', () => watchingThreads((threads) => using({ workers: 1 }, async (pool) => {
  const long = pool.redact(LONG.repeat(20));
  await sleep(100);
  threads[0].terminate(new Error('killed'));
  await assert.rejects(long, /killed/);
  assert.equal((await pool.redact('ana@example.org')).redactedText, '[EMAIL_1]');
  assert.equal(threads.length, 2);
  // One that has nothing to do may die as well: the next call does not hear of it.
  threads[1].terminate(new Error('killed'));
  assert.equal((await pool.redact('ana@example.org')).redactedText, '[EMAIL_1]');
  assert.equal(threads.length, 3);
  assert.equal(pool.workers, 1);
})));

test('a worker that cannot be replaced fails what waits, and is tried again by the next call', () => {
  let broken = false;
  const stand = (start) => (broken ? () => Promise.reject(new Error('no thread')) : start);
  return watchingThreads((threads) => using({ workers: 1 }, async (pool) => {
    broken = true;
    threads[0].terminate(new Error('killed'));
    for (let round = 0; round < 2; round++) await assert.rejects(pool.redact('ana@example.org'), { code: 'no_worker', message: /no thread/ });
    broken = false;
    assert.equal((await pool.redact('ana@example.org')).redactedText, '[EMAIL_1]');
  }), stand);
});

test('a worker whose instance cannot be replaced says that it is over', async () => {
  const patch = `
    import { Instance } from '${new URL('../src/instance.js', import.meta.url)}';
    import { TrapError } from '${new URL('../src/errors.js', import.meta.url)}';
    Instance.prototype.redact = function (text) {
      if (text === 'fine') return '{}';
      this.trapped = true;
      throw new TrapError('trapped', 'unreachable');
    };
    Instance.prototype.modelFile = () => { throw new Error('no memory'); };`;
  const worker = new Worker(new URL('../src/worker.js', import.meta.url), { execArgv: ['--import', `data:text/javascript,${encodeURIComponent(patch)}`] });
  const ask = async (message) => {
    worker.postMessage(message);
    return (await once(worker, 'message'))[0];
  };
  const { module, model, limits } = await parts();
  assert.equal((await ask({ id: 0, act: 'load', module, model, limits })).error, undefined);
  assert.deepEqual(await ask({ id: 1, act: 'redact', text: 'fine', options: '{}' }), { id: 1, value: {} });
  assert.equal((await ask({ id: 2, act: 'redact', text: 'x'.repeat(2 ** 25), options: '{}' })).over, false, 'a refusal is none');
  const { error, over } = await ask({ id: 3, act: 'redact', text: 'x', options: '{}' });
  assert.ok(over && error, JSON.stringify(error));
  await worker.terminate();
});

test('a worker that is over is ended, and another one takes its place', async () => {
  const made = [];
  const worker = () => {
    let hear;
    const answers = {
      load: { value: { version: '0' } },
      redact: made.length === 0 ? { error: { class: 'TrapError', code: 'trapped', message: 'stopped' }, over: true } : { value: { redacted_text: 'x', items: [], windows: 0, tokens: 0, map: {}, server_timing: '' } },
    };
    const one = {
      ended: false,
      addEventListener: (kind, listener) => kind === 'message' && (hear = listener),
      postMessage: ({ id, act }) => queueMicrotask(() => hear({ data: { id, ...answers[act] } })),
      terminate: () => (one.ended = true),
    };
    made.push(one);
    return one;
  };
  const pool = await RedactorPool.load({ workers: 1, worker });
  await assert.rejects(pool.redact('x'), { name: 'TrapError', code: 'trapped' });
  assert.equal((await pool.redact('x')).redactedText, 'x');
  pool.dispose();
  assert.deepEqual(made.map(({ ended }) => ended), [true, true]);
});

test('dispose rejects what waits', async () => {
  const pool = await RedactorPool.load({ workers: 1 });
  const waits = [pool.redact(LONG), pool.redact('x')];
  pool.dispose();
  for (const wait of waits) await assert.rejects(wait, (error) => error instanceof DisposedError);
  await assert.rejects(pool.redact('x'), (error) => error instanceof DisposedError);
});
