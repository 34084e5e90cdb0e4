import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { LoadError, Redactor, RedactorPool } from '../index.js';
import { MODEL_SHA256 } from '../dist/manifest.js';
import { moduleOf } from '../src/files.js';
import { file, npm, run, serve, sha256 } from './support.js';

const model = file('npm/dist/rampart-q4_0.gguf');

/** Serves the model in pieces; `spoil` changes what is sent. */
const models = (spoil = (bytes) => bytes, headers = { 'content-length': model.length }) => serve((request, response) => {
  response.writeHead(request.url === '/gone' ? 404 : 200, headers);
  response.end(spoil(model));
});

test('a model by URL comes with progress and is checked', async () => {
  const server = await models();
  try {
    const seen = [];
    const redactor = await Redactor.load({ model: server.url, sha256: sha256(model), onProgress: (p) => seen.push(p) });
    assert.equal(redactor.redact('ana@example.org').redactedText, '[EMAIL_1]');
    assert.ok(seen.length > 2);
    assert.deepEqual(seen.at(-1), { what: 'model', loaded: model.length, total: model.length });
    assert.ok(seen.every(({ loaded }, i) => i === 0 || loaded >= seen[i - 1].loaded));
    redactor.dispose();
    await assert.rejects(Redactor.load({ model: `${server.url}gone` }), { code: 'not_found', got: 404 });
  } finally {
    server.close();
  }
});

test('one wrong bit in a model is refused before it is used', async () => {
  const server = await models((bytes) => {
    const wrong = Buffer.from(bytes);
    wrong[wrong.length - 1000] ^= 1;
    return wrong;
  });
  try {
    await assert.rejects(Redactor.load({ model: server.url, sha256: MODEL_SHA256 }), { code: 'wrong_digest' });
  } finally {
    server.close();
  }
});

test('a download that breaks off or is aborted is an error', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-length': model.length });
    response.write(model.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 20));
  });
  try {
    await assert.rejects(Redactor.load({ model: server.url }), (error) => error instanceof LoadError && error.code === 'broken_off');
    const stop = new AbortController();
    const load = Redactor.load({ model: server.url, signal: stop.signal, onProgress: () => stop.abort() });
    await assert.rejects(load, { name: 'AbortError' });
  } finally {
    server.close();
  }
  await assert.rejects(Redactor.load({ model: 'http://127.0.0.1:1/' }), { code: 'not_found' });
});

test('what a callback throws ends the load and comes out as it is', async () => {
  const server = await models();
  try {
    const own = new RangeError('of the page');
    const onProgress = () => {
      throw own;
    };
    for (const load of [() => Redactor.load({ model: server.url, onProgress }), () => RedactorPool.load({ onProgress })]) {
      await assert.rejects(load(), (error) => error === own);
    }
    const reason = new Error('no longer wanted');
    const stop = new AbortController();
    const load = Redactor.load({ model: server.url, signal: stop.signal, onProgress: () => stop.abort(reason) });
    await assert.rejects(load, (error) => error === reason);
  } finally {
    server.close();
  }
});

test('a program given on the command line has workers as well', async () => {
  const script = `
    import { RedactorPool } from '${npm}index.js';
    const pool = await RedactorPool.load({ workers: 2 });
    console.log((await pool.redact('ana@example.org')).redactedText);`;
  for (const flags of [['--input-type=module'], ['--expose-gc', '--input-type', 'module'], ['--no-warnings', '--max-old-space-size=500', '--input-type=module']]) {
    assert.equal((await run(process.execPath, [...flags, '--eval', script])).stdout, '[EMAIL_1]\n', flags.join(' '));
  }
});

test('a path counts from the working directory, whatever it is called', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna #1 100% é '));
  try {
    copyFileSync(`${npm}dist/rampart-q4_0.gguf`, join(folder, 'model.gguf'));
    copyFileSync(`${npm}dist/rampart-q4_0.gguf`, join(folder, 'model #2.gguf'));
    const script = `
      import { Redactor } from '${npm}index.js';
      const { loaded, ...version } = (await Redactor.load({ model: 'model.gguf' })).version;
      console.log(version.model);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder });
    assert.match(stdout, /rampart/i);
    const child = run(process.execPath, [`${npm}bin/lacuna-redact.js`, '--model', 'model #2.gguf'], { cwd: folder });
    child.child.stdin.end('ana@example.org');
    assert.equal((await child).stdout, '[EMAIL_1]');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a module that is none is refused', async () => {
  const server = await serve((_, response) => response.end('not a module'));
  try {
    await assert.rejects(moduleOf(new URL(server.url)), { code: 'invalid_module' });
  } finally {
    server.close();
  }
});

test('fifty loads and disposals leave nothing behind', async () => {
  const script = `
    import { Redactor } from './index.js';
    import { readFileSync } from 'node:fs';
    const model = readFileSync('dist/rampart-q4_0.gguf');
    const module = await WebAssembly.compile(readFileSync('dist/lacuna.wasm'));
    const once = async () => {
      const redactor = await Redactor.load({ model, build: 'simd128', modules: { simd128: module } });
      redactor.redact('I am Ana Lima');
      const bytes = redactor.memoryBytes;
      redactor.dispose();
      return bytes;
    };
    const settle = async () => { for (let i = 0; i < 5; i++) { gc(); await new Promise((r) => setTimeout(r, 10)); } return process.memoryUsage().rss; };
    let bytes;
    for (let i = 0; i < 25; i++) { bytes = await once(); if (i % 5 === 4) await settle(); }
    const before = await settle();
    for (let i = 0; i < 50; i++) { await once(); if (i % 10 === 9) await settle(); }
    console.log(JSON.stringify({ bytes, grown: await settle() - before }));`;
  const { stdout } = await run(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], { cwd: npm });
  const { bytes, grown } = JSON.parse(stdout);
  assert.ok(bytes < 3 * model.length, `an instance has ${bytes} bytes, three times the model is ${3 * model.length}`);
  assert.ok(grown < bytes, `grew by ${grown} bytes over 50 loads, an instance has ${bytes}`);
  console.log(`memory of an instance: ${(bytes / model.length).toFixed(2)} x the model; 50 loads: ${grown} bytes more`);
});
