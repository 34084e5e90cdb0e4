import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { test } from 'node:test';

import * as api from '../index.js';
import { MODEL_BYTES, MODEL_SHA256 } from '../dist/manifest.js';
import { file, npm, run, sha256 } from './support.js';

const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: npm });
const packed = JSON.parse(stdout)[0].files.map(({ path }) => path).sort();

/** The part that generates text: nobody loads it who only redacts. */
const COMPLETE = ['engine', 'generation', 'model', 'request', 'source', 'worker'];
const isComplete = (path) => /^(src|dist)\/complete|^complete\./.test(path);

test('the package holds what it should, and nothing else', () => {
  const expected = [
    'LICENSE-APACHE', 'LICENSE-MIT', 'NOTICE', 'README.md', 'bin/lacuna-redact.js',
    'complete.d.ts', 'complete.js', 'dist/complete-relaxed.wasm', 'dist/complete.wasm', 'dist/lacuna-relaxed.wasm', 'dist/lacuna.wasm', 'dist/manifest.js', 'dist/rampart-q4_0.gguf',
    'dist/rampart/LICENSE', 'dist/rampart/README.md',
    'examples/express.mjs', 'examples/fetch-server.mjs', 'examples/fetch.mjs', 'examples/log-stream.mjs',
    'index.d.ts', 'index.js', 'middleware.d.ts', 'middleware.js', 'package.json',
    ...['answer', 'check', 'errors', 'features', 'files', 'instance', 'json', 'lines', 'load', 'node', 'pool', 'redactor', 'thread', 'wasm', 'worker'].map((name) => `src/${name}.js`),
    ...COMPLETE.map((name) => `src/complete/${name}.js`),
  ].sort();
  assert.deepEqual(packed, expected);
  const { dependencies, version } = JSON.parse(file('npm/package.json'));
  assert.equal(dependencies, undefined);
  assert.ok(file('Cargo.toml').includes(`version = "${version}"`), 'one version everywhere');
});

test('the demo keeps every file of the package that a page may ask for', () => {
  const worker = readFileSync(`${npm}demo/sw.js`, 'utf8');
  const kept = runInNewContext(`${worker}; FILES`, { addEventListener() {} });
  for (const path of packed.filter((path) => /^(index|middleware|src\/.*|dist\/.*)\.(js|wasm)$/.test(path) && !isComplete(path))) {
    assert.ok(kept.includes(`lacuna-redact/${path}`), path);
  }
  for (const path of readdirSync(`${npm}demo`).filter((name) => /\.(js|css|svg|webmanifest)$/.test(name) && name !== 'sw.js')) {
    assert.ok(kept.includes(path), path);
  }
});

test('the types name every export', () => {
  const types = readFileSync(`${npm}index.d.ts`, 'utf8');
  for (const name of Object.keys(api)) assert.match(types, new RegExp(`export (class|function) ${name}\\b`), name);
  for (const [, name] of types.matchAll(/export (?:class|function) (\w+)/g)) assert.ok(name in api, name);
});

/** The module without its data section, which is the automata and other tables. */
function withoutData(module) {
  const kept = [module.subarray(0, 8)];
  for (let at = 8; at < module.length; ) {
    const start = at;
    const id = module[at++];
    let size = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      size += (module[at] & 127) * 2 ** shift;
      more = module[at++] > 127;
    }
    at += size;
    if (id !== 11) kept.push(module.subarray(start, at));
  }
  return Buffer.concat(kept);
}

test('loader and module without automata are at most 400 kB, compressed', () => {
  const loader = packed.filter((path) => path === 'index.js' || path === 'dist/manifest.js' || (path.startsWith('src/') && !isComplete(path)));
  const compressed = (bytes) => gzipSync(bytes, { level: 9 }).length;
  const scripts = loader.reduce((sum, path) => sum + compressed(readFileSync(npm + path)), 0);
  for (const module of ['lacuna.wasm', 'lacuna-relaxed.wasm']) {
    const bytes = file(`npm/dist/${module}`);
    const code = compressed(withoutData(bytes));
    console.log(`compressed: loader ${scripts}, ${module} ${compressed(bytes)}, of that code ${code} bytes`);
    assert.ok(code > 100_000, 'there is code');
    assert.ok(scripts + code <= 400_000, `${module}: ${scripts + code}`);
    assert.ok(scripts + compressed(bytes) <= 600_000, `${module} with its tables: ${compressed(bytes)}`);
  }
});

test('what generates text is at most 700 kB, compressed, and a file of its own', () => {
  const scripts = packed.filter((path) => path.endsWith('.js') && (isComplete(path) || path.startsWith('src/')));
  for (const module of ['complete.wasm', 'complete-relaxed.wasm']) {
    const [code, ...rest] = [`dist/${module}`, ...scripts].map((path) => gzipSync(readFileSync(npm + path), { level: 9 }).length);
    const size = rest.reduce((sum, bytes) => sum + bytes, code);
    console.log(`compressed: ${module} ${code}, with its scripts ${size} bytes`);
    assert.ok(code > 100_000 && size <= 700_000, `${module}: ${size}`);
  }
  for (const path of packed.filter((path) => /^(index|middleware|src\/[^/]*)\.js$/.test(path))) {
    assert.ok(!/from '.*complete/.test(readFileSync(npm + path, 'utf8')), `${path} loads it`);
  }
});

test('a module can read a clock and do nothing else', async () => {
  for (const name of ['complete', 'complete-relaxed']) {
    if (name === 'complete-relaxed' && !api.relaxedSimd()) continue;
    assert.deepEqual(WebAssembly.Module.imports(await WebAssembly.compile(file(`npm/dist/${name}.wasm`))), [], 'not even a clock');
  }
  for (const name of ['lacuna', 'lacuna-relaxed']) {
    // The one-byte difference between engines: the relaxed build is read as bytes where it cannot be compiled.
    if (name === 'lacuna-relaxed' && !api.relaxedSimd()) continue;
    const module = await WebAssembly.compile(file(`npm/dist/${name}.wasm`));
    assert.deepEqual(WebAssembly.Module.imports(module), [{ module: 'lacuna', name: 'now', kind: 'function' }]);
  }
});

test('the manifest describes the model', () => {
  const model = file('npm/dist/rampart-q4_0.gguf');
  assert.equal(sha256(model), MODEL_SHA256);
  assert.equal(model.length, MODEL_BYTES);
});

test('no source of the package opens a connection but to load', () => {
  for (const path of packed.filter((path) => /^(index|middleware|complete|src\/.*)\.js$/.test(path))) {
    const source = readFileSync(npm + path, 'utf8');
    for (const word of ['XMLHttpRequest', 'WebSocket', 'EventSource', 'sendBeacon', 'importScripts', 'localStorage', 'indexedDB', 'eval(']) {
      assert.ok(!source.includes(word), `${path}: ${word}`);
    }
    if (!['src/files.js', 'middleware.js'].includes(path)) assert.ok(!/\bfetch\(/.test(source), `${path}: fetch`);
  }
});
