import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { LoadError, Redactor, RedactorPool, relaxedSimd } from '../index.js';
import { answersDigest, digests, logitsDigest } from './digest.js';
import { devTexts, root, run, texts } from './support.js';

/** The native command's answers; `cargo xtask web` says where it is. */
async function native(verb) {
  const command = process.env.LACUNA_COMMAND ?? `${root}target/debug/lacuna`;
  const from = verb === 'logits' ? texts : devTexts;
  const child = spawn(command, [verb, '--ndjson'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = new Promise((_, reject) => child.on('error', reject));
  child.stdin.end(from.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
  const parts = [];
  const read = (async () => {
    for await (const part of child.stdout) parts.push(part);
  })();
  await Promise.race([read, failed]);
  const answers = Buffer.concat(parts).toString().trim().split('\n').map((line) => JSON.parse(line));
  assert.equal(answers.length, from.length);
  for (const answer of answers) assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answers;
}

async function nativeDigests() {
  const [logits, answers] = await Promise.all([native('logits'), native('redact')]);
  return {
    logits: await logitsDigest(logits.map((answer) => Float32Array.from(answer.logits.flat()))),
    answers: await answersDigest(answers.map(({ redacted_text, items }) => ({ redactedText: redacted_text, items }))),
  };
}

const script = fileURLToPath(new URL('digest.js', import.meta.url));

async function child(flags, build) {
  const { stdout } = await run(process.execPath, [...flags, script, build]);
  return JSON.parse(stdout);
}

test('plain, relaxed and native answers are the same to the bit', async () => {
  assert.ok(texts.length >= 30 && devTexts.length >= 40, 'there is something to compare');
  const plain = await child([], 'simd128');
  // Node 20 runs relaxed SIMD behind a flag, which later versions may not know.
  const flags = relaxedSimd() ? [] : ['--experimental-wasm-relaxed-simd'];
  const relaxed = await child(flags, 'relaxed');
  assert.deepEqual([plain.build, relaxed.build], ['simd128', 'relaxed']);
  const { build: _p, ...plainBits } = plain;
  const { build: _r, ...relaxedBits } = relaxed;
  assert.deepEqual(relaxedBits, plainBits);
  assert.deepEqual(await nativeDigests(), plainBits);
});

test('the digest sees one bit', async () => {
  const redactor = await Redactor.load();
  const few = texts.slice(0, 2);
  const rows = few.map((text) => redactor.logits(text).logits);
  const before = await logitsDigest(rows);
  assert.equal(before, (await digests(redactor, few, [])).logits);
  new Uint32Array(rows[1].buffer, rows[1].byteOffset)[0] ^= 1;
  assert.notEqual(await logitsDigest(rows), before);
  redactor.dispose();
});

test('a pool of any size has the digest of one redactor', async () => {
  const redactor = await Redactor.load();
  const some = devTexts.slice(-12);
  assert.ok(redactor.redact(some.at(-1)).windows > 4);
  const alone = await answersDigest(some.map((text) => redactor.redact(text)));
  redactor.dispose();
  for (const workers of [1, 3]) {
    const pool = await RedactorPool.load({ workers });
    assert.equal(await answersDigest(await pool.redactAll(some)), alone, `${workers} workers`);
    pool.dispose();
  }
});

test('a build the engine does not run is refused', { skip: relaxedSimd() && 'this engine runs both' }, async () => {
  await assert.rejects(Redactor.load({ build: 'relaxed' }), (error) => error instanceof LoadError && error.code === 'no_simd');
});
