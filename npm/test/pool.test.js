import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { DisposedError, InputError, LoadError, OutOfMemoryError, Redactor, RedactorPool } from '../index.js';
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

test('a worker that dies is replaced', async () => {
  const threads = [];
  const { start } = Thread;
  Thread.start = async () => {
    const thread = await start.call(Thread);
    threads.push(thread);
    return thread;
  };
  try {
    await using({ workers: 1 }, async (pool) => {
      const long = pool.redact(LONG.repeat(20));
      await sleep(100);
      threads[0].terminate(new Error('killed'));
      await assert.rejects(long);
      assert.equal((await pool.redact('ana@example.org')).redactedText, '[EMAIL_1]');
      assert.equal(threads.length, 2);
    });
  } finally {
    Thread.start = start;
  }
});

test('dispose rejects what waits', async () => {
  const pool = await RedactorPool.load({ workers: 1 });
  const waits = [pool.redact(LONG), pool.redact('x')];
  pool.dispose();
  for (const wait of waits) await assert.rejects(wait, (error) => error instanceof DisposedError);
  await assert.rejects(pool.redact('x'), (error) => error instanceof DisposedError);
});
