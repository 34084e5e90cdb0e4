// What people build and run with: TypeScript reads the types, Vite bundles the package, Deno runs it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';

import { npm, root, run } from '../support.js';
import { launch } from './chromium.js';
import { files } from './server.js';

const tools = fileURLToPath(new URL('node_modules/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lacuna-tools-'));
after(() => rmSync(folder, { recursive: true }));

// The package as it would be published, installed by npm.
writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: npm });
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, JSON.parse(stdout)[0].filename)], { cwd: folder });
for (const name of ['vite', 'express']) symlinkSync(join(tools, name), join(folder, 'node_modules', name));

/** Starts a program with `input`; what it printed, once it has ended. */
async function piped(command, args, input) {
  const child = spawn(command, args, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  const [out, code] = await Promise.all([child.stdout.toArray(), new Promise((resolve) => child.on('close', resolve))]);
  assert.equal(code, 0, `${command} ${args.join(' ')}`);
  return Buffer.concat(out).toString();
}

test('npx runs the installed command over a file on standard input', async () => {
  assert.equal(await piped('npx', ['--no', 'lacuna-redact'], 'I am Ana Lima, ana@example.org\n'), 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]\n');
});

test('the example of a log stream redacts line by line', async () => {
  cpSync(join(npm, 'examples'), join(folder, 'examples'), { recursive: true });
  const log = '203.0.113.7 GET /\nlogin of ana@example.org\n';
  assert.equal(await piped(process.execPath, ['examples/log-stream.mjs'], log), '[IP_ADDRESS_1] GET /\nlogin of [EMAIL_1]\n');
});

test('the example of an Express server redacts bodies', async () => {
  cpSync(join(npm, 'examples'), join(folder, 'examples'), { recursive: true });
  const port = await freePort();
  const child = spawn(process.execPath, ['examples/express.mjs'], { cwd: folder, env: { ...process.env, PORT: port }, stdio: 'inherit' });
  try {
    const body = JSON.stringify({ from: 'Ana Lima', text: ['write to ana@example.org'], n: 3 });
    const post = () => fetch(`http://127.0.0.1:${port}/tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const response = await retried(post);
    assert.deepEqual(await response.json(), { from: '[GIVEN_NAME_1] [SURNAME_1]', text: ['write to [EMAIL_1]'], n: 3 });
  } finally {
    child.kill();
  }
});

test('the examples of the Fetch kind redact requests, and clients see values again', async () => {
  cpSync(join(npm, 'examples'), join(folder, 'examples'), { recursive: true });
  const body = '{"from": "I am Ana Lima from Porto", "id": 12345678901234567890}';
  const script = `
    import server from './examples/fetch-server.mjs';
    const request = new Request('http://127.0.0.1/', { method: 'POST', body: process.argv[1], headers: { 'content-type': 'application/json' } });
    console.log(await (await server.fetch(request)).text());
    process.exit();`;
  const out = await piped(process.execPath, ['--input-type=module', '--eval', script, body], '');
  assert.equal(out.trim(), body.replace('Ana Lima', '[GIVEN_NAME_1] [SURNAME_1]'));
  const bodies = [];
  const model = createHttpServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"reply": "Dear given_name_1, to [EMAIL_1]"}');
  });
  await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve));
  try {
    const env = { ...process.env, MODEL_URL: `http://127.0.0.1:${model.address().port}/` };
    const { stdout } = await run(process.execPath, ['examples/fetch.mjs'], { cwd: folder, env });
    assert.match(stdout, /Dear Ana, to ana@example\.org/);
    assert.ok(bodies.length === 1 && !bodies[0].includes('ana@') && bodies[0].includes('[EMAIL_1]'), bodies[0]);
  } finally {
    model.close();
  }
});

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Until the server listens; it loads a model first. */
async function retried(ask) {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

test('TypeScript accepts right use and refuses wrong use', async () => {
  writeFileSync(join(folder, 'use.ts'), `
    import { InputError, Redactor, RedactorPool, redactLines, type Item } from 'lacuna-redact';
    import { redactBody, redactJson, redactRequest, redactValue } from 'lacuna-redact/middleware';
    import { LanguageModel, type GenerationResult } from 'lacuna-redact/complete';
    const redactor: Redactor = await Redactor.load({ build: 'simd128', sha256: null });
    const { redactedText, items, restore } = redactor.redact('x', { keep: ['CITY'], threshold: { EMAIL: 0.3 } });
    const first: Item | undefined = items[0];
    const text: string = restore(redactedText, { mode: 'strict' }).text + (first?.utf16[0] ?? 0);
    const pool = await RedactorPool.load({ workers: 2 });
    const back: string = (await (await pool.redact(text, {}, { signal: new AbortController().signal })).restore(text)).text;
    redactLines(pool); redactBody(redactor); (await redactJson(redactor, '[]')).text.trim(); (await redactRequest(pool, new Request('x'))).request.url; (await redactValue(pool, { a: back })).value.a.length;
    // @ts-expect-error a text is a string
    redactor.redact(7);
    // @ts-expect-error no such option
    redactor.redact('x', { what: 1 });
    // @ts-expect-error no such mode
    redactor.redact('x', { mode: 'half' });
    // @ts-expect-error one redactor has no workers
    await Redactor.load({ workers: 2 });
    // @ts-expect-error made by load
    new Redactor();
    const total: number = pool.workers + (await pool.memoryBytes()) + redactor.redact('x').timings.total;
    await RedactorPool.load({ worker: () => ({} as import('lacuna-redact').WebWorker) });
    await RedactorPool.load({ onProgress: ({ what, loaded, total }) => what + loaded + (total ?? 0) });
    const model: LanguageModel = await LanguageModel.load(new URL('file:///x.gguf'), { onProgress: ({ loaded, total }) => loaded + (total ?? 0), maxMemory: 1e9 });
    for await (const piece of model.generate('x', { maxTokens: 3, seed: 7n, stop: ['.'], onToken: ({ id, top }) => id + (top?.length ?? 0) })) piece.trim();
    const whole: GenerationResult = await model.generate([{ role: 'user', content: 'x' }], { logitBias: { 7: -Infinity } }).result;
    whole.text.trim(); model.info.context.toFixed(); model.dispose();
    // @ts-expect-error no such option
    model.generate('x', { colour: 1 });
    // @ts-expect-error a turn has a role
    model.generate([{ content: 'x' }]);
    try { redactor.dispose(); } catch (error) { if (error instanceof InputError) error.code.trim(); }
  `);
  // In a page of now and of some years ago, and in Node, whose types are fewer. Declarations are checked as well.
  for (const surroundings of [
    ['--lib', 'esnext,dom', '--module', 'nodenext', '--typeRoots', 'none'],
    ['--lib', 'es2022,dom', '--module', 'esnext', '--moduleResolution', 'bundler', '--typeRoots', 'none'],
    ['--lib', 'es2022', '--module', 'nodenext', '--types', 'node', '--typeRoots', join(tools, '@types')],
  ]) {
    await run(join(tools, '.bin/tsc'), ['--noEmit', '--strict', '--target', 'es2022', ...surroundings, 'use.ts'], { cwd: folder })
      .catch(({ stdout }) => assert.fail(`${surroundings.join(' ')}: ${stdout}`));
  }
});

test('Deno has the bits of Node, in every build it runs, and needs leave to read only', { timeout: 240_000 }, async () => {
  const deno = join(tools, `@deno/linux-${process.arch}-glibc/deno`);
  const digests = join(npm, 'test/digest.js');
  const { build: _, ...expected } = JSON.parse((await run(process.execPath, [digests, 'simd128', '12'])).stdout);
  for (const build of ['simd128', 'relaxed']) {
    const { stdout } = await run(deno, ['run', '--no-prompt', '--no-remote', '--allow-read', digests, build, '12']);
    assert.deepEqual(JSON.parse(stdout), { build, ...expected });
  }
  // As an installed package, by its name.
  writeFileSync(join(folder, 'pool.mjs'), `
    import { RedactorPool } from 'lacuna-redact';
    const pool = await RedactorPool.load({ workers: 2 });
    console.log((await pool.redact('I am Ana Lima, ana@example.org')).redactedText);
    pool.dispose();
  `);
  const { stdout } = await run(deno, ['run', '--no-prompt', '--no-remote', '--allow-read', 'pool.mjs'], { cwd: folder });
  assert.equal(stdout.trim(), 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]');
});

/** A project as in the README; what its page shows of a redaction. */
function viteProject() {
  writeFileSync(join(folder, 'index.html'), '<!doctype html><html lang="en"><title>x</title><p id="out"></p><script type="module" src="/main.js"></script>');
  writeFileSync(join(folder, 'main.js'), `
    import { RedactorPool } from 'lacuna-redact';
    import { LanguageModel } from 'lacuna-redact/complete';
    const show = (text) => { document.getElementById('out').textContent += text; };
    RedactorPool.load({ workers: 1 }).then(async (pool) => {
      const model = await LanguageModel.load('/chat.gguf');
      const { tokens } = await model.generate('Hello there', { maxTokens: 7, ignoreEnd: true }).result;
      show((await pool.redact('I am Ana Lima, ana@example.org')).redactedText + ' ' + tokens);
    }).catch(show);
  `);
  mkdirSync(join(folder, 'public'), { recursive: true });
  cpSync(join(root, 'testdata/decoder/tiny/chat.gguf'), join(folder, 'public/chat.gguf'));
}

async function pageShows(url) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const wrong = [];
    page.on('pageerror', (error) => wrong.push(String(error)));
    await page.goto(url);
    await page.waitForFunction(() => document.getElementById('out').textContent === 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1] 7', null, { timeout: 60_000 })
      .catch((error) => assert.fail(`${error.message} ${wrong.join(' ')}`));
  } finally {
    await browser.close();
  }
}

test('Vite bundles modules, model and worker, and the bundle works', async () => {
  viteProject();
  const { stdout, stderr } = await run(join(tools, '.bin/vite'), ['build', '--logLevel', 'warn'], { cwd: folder })
    .catch(({ stdout, stderr }) => assert.fail(stdout + stderr));
  assert.equal(stdout + stderr, '', 'no warning');
  const built = readdirSync(join(folder, 'dist/assets'));
  for (const kind of [/^lacuna-[\w-]+\.wasm$/, /^complete-[\w-]+\.wasm$/, /^rampart.*\.gguf$/, /worker.*\.js$/]) assert.ok(built.some((name) => kind.test(name)), `${kind}: ${built}`);
  const server = await files(join(folder, 'dist'));
  try {
    await pageShows(`${server.url}/`);
  } finally {
    await server.close();
  }
});

test('Vite serves the package while one develops', async () => {
  viteProject();
  const port = await freePort();
  const child = spawn(process.execPath, [join(tools, 'vite/bin/vite.js'), '--host', '127.0.0.1', '--port', port, '--strictPort', '--logLevel', 'warn'], { cwd: folder, stdio: 'inherit' });
  try {
    await retried(() => fetch(`http://127.0.0.1:${port}/`));
    await pageShows(`http://127.0.0.1:${port}/`);
  } finally {
    child.kill();
  }
});
