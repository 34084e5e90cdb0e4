// Text generation in Chromium: both builds, sources, streams, ends, memory.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { LanguageModel, results } from '../complete.js';
import { npm, root } from '../support.js';
import { launch } from './chromium.js';
import { files } from './server.js';

const path = `${root}testdata/decoder/tiny/chat.gguf`;
const bytes = readFileSync(path);

let browser;
let server;
let models;

/** A server of the model as a page of another origin may find it. */
async function modelServer() {
  const open = new Set();
  const server = createServer((request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    const head = { 'access-control-allow-origin': '*' };
    const [first, rest] = [bytes.subarray(0, 30_000), bytes.subarray(30_000)];
    const later = (act) => setTimeout(act, 30);
    if (request.url === '/sized') response.writeHead(200, { ...head, 'content-length': bytes.length });
    else if (request.url === '/broken') response.writeHead(200, { ...head, 'content-length': bytes.length });
    else response.writeHead(request.url === '/gone' ? 404 : 200, head);
    if (request.url === '/gone') return response.end();
    response.write(first);
    if (request.url === '/broken') return later(() => response.destroy());
    if (request.url === '/short') return response.end(rest.subarray(0, 20_000));
    if (request.url !== '/endless') later(() => response.end(rest));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, open, close: () => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); }) };
}

before(async () => {
  [browser, server, models] = await Promise.all([launch(['--enable-precise-memory-info']), files(npm), modelServer()]);
});
after(() => Promise.all([browser?.close(), server?.close(), models?.close()]));

async function page() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route('**/blank.html', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><input type="file" id="file">' }));
  await page.goto(`${server.url}/blank.html`); // a page of this origin, and of nothing else
  return page;
}

test('both builds write what Node and the command write', async () => {
  const model = await LanguageModel.load(pathToFileURL(path), { build: 'simd128' });
  const expected = await results(model);
  model.dispose();
  const here = await page();
  for (const [build, source] of [['simd128', '/sized'], ['relaxed', '/unsized']]) {
    const { seen, got, told } = await here.evaluate(async ([build, source]) => {
      const { LanguageModel, results } = await import('/test/complete.js');
      const seen = [];
      const model = await LanguageModel.load(source, { build, onProgress: (progress) => seen.push(progress) });
      return { seen, got: await results(model), told: model.info.build };
    }, [build, models.url + source]);
    assert.deepEqual([told, got], [build, expected]);
    assert.ok(seen.length > 1 && seen.every(({ total }) => total === (source === '/sized' ? bytes.length : undefined)));
    assert.equal(seen.at(-1).loaded, bytes.length);
    console.log(`Chromium, ${build}: ${got.length} texts, 0 differ`);
  }
  await here.context().close();
});

test('a file picker gives a model, and the page stays free', async () => {
  const here = await page();
  await here.locator('#file').setInputFiles(path);
  const got = await here.evaluate(async () => {
    const { LanguageModel } = await import('/complete.js');
    const model = await LanguageModel.load(document.getElementById('file').files[0]);
    let beats = 0;
    const beat = setInterval(() => (beats += 1), 1);
    const pieces = [];
    for await (const text of model.generate('Hello there', { maxTokens: 200, ignoreEnd: true })) pieces.push(text);
    clearInterval(beat);
    return { pieces: pieces.length, beats, build: model.info.build };
  });
  assert.ok(got.pieces > 20 && got.beats > 0 && got.build === 'relaxed', JSON.stringify(got));
  await here.context().close();
});

test('what cannot be loaded says so, always', async () => {
  const here = await page();
  const said = (path, options) => here.evaluate(async ([source, options]) => {
    const [{ LanguageModel }, { outcome }] = await Promise.all([import('/complete.js'), import('/test/complete.js')]);
    return outcome(LanguageModel.load(source, options));
  }, [models.url + path, options]);
  const [gone, broken, short, none, unreachable] = await Promise.all([
    said('/gone'), said('/broken'), said('/short'), said('/sized', { maxMemory: 100_000 }), here.evaluate(async () => {
      const [{ LanguageModel }, { outcome }] = await Promise.all([import('/complete.js'), import('/test/complete.js')]);
      return outcome(LanguageModel.load('http://127.0.0.1:1/x.gguf'));
    }),
  ]);
  assert.deepEqual([gone.code, gone.got], ['not_found', 404]);
  assert.equal(broken.code, 'broken_off');
  assert.match(broken.message, new RegExp(`after \\d+ of ${bytes.length} bytes`));
  assert.match(short.message, /tensor \S+: at offset \d+ it needs \d+ bytes, file has \d+/);
  assert.deepEqual([none.name, none.got > 0], ['OutOfMemoryError', true]);
  assert.equal(unreachable.code, 'not_found');
  const ended = await here.evaluate(async (source) => {
    const { LanguageModel } = await import('/complete.js');
    const stop = new AbortController();
    const aborted = await LanguageModel.load(source, { signal: stop.signal, onProgress: () => stop.abort() }).catch(({ name }) => name);
    const thrown = await LanguageModel.load(source, { onProgress: () => { throw new RangeError('of the page'); } }).catch(({ message }) => message);
    return [aborted, thrown];
  }, `${models.url}/endless`);
  assert.deepEqual(ended, ['AbortError', 'of the page']);
  for (let tries = 0; (here.workers().length > 0 || models.open.size > 0) && tries < 100; tries++) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual([here.workers().length, models.open.size], [0, 0], 'no worker and no connection is left');
  await here.context().close();
});

test('a text is ended while the prompt is read, and while it is written; callbacks may throw', async () => {
  const here = await page();
  const got = await here.evaluate(async (source) => {
    const { LanguageModel } = await import('/complete.js');
    const model = await LanguageModel.load(source);
    const long = { maxTokens: 200, ignoreEnd: true };
    const whole = (await model.generate('Hello there', long).result).text;
    const same = async () => (await model.generate('Hello there', long).result).text === whole;
    const reading = new AbortController();
    const read = [];
    const name = await model.generate('word '.repeat(40), { raw: true, signal: reading.signal, onProgress: ({ done }) => (read.push(done), reading.abort()) }).result.catch(({ name }) => name);
    const one = await same();
    const writing = new AbortController();
    let tokens = 0;
    const why = await model.generate('Hello there', { ...long, signal: writing.signal, onToken: () => (tokens += 1) === 5 && writing.abort(new Error('enough')) }).result.catch(({ message }) => message);
    const two = await same();
    const thrown = await model.generate('Hello there', { ...long, onText: () => { throw new SyntaxError('of the page'); } }).result.catch(({ name, message }) => `${name}: ${message}`);
    const three = await same();
    const left = model.generate('Hello there', long);
    for await (const _ of left) break;
    const { end, tokens: some } = await left.result;
    return { name, read, one, why, tokens, two, thrown, three, end, fewer: some < 200, four: await same() };
  }, `${models.url}/sized`);
  assert.deepEqual(got, { name: 'AbortError', read: [32], one: true, why: 'enough', tokens: 5, two: true, thrown: 'SyntaxError: of the page', three: true, end: 'stopped', fewer: true, four: true });
  await here.context().close();
});

test('while a model loads, memory is at most 1.3 times the file', async () => {
  const large = process.env.LACUNA_LARGE_MODEL ?? `${root}target/large.gguf`;
  const { size } = statSync(large);
  const own = createServer((_, response) => {
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-length': size });
    createReadStream(large).pipe(response);
  });
  await new Promise((resolve) => own.listen(0, '127.0.0.1', resolve));
  try {
    for (const build of ['', '-relaxed']) {
      const here = await page();
      await here.goto(`${server.url}/demo/icon.svg`); // of this machine, which a page that was made up is not
      // In the page itself, where its heap can be read.
      const { wasm, heap, first } = await here.evaluate(async ([url, module]) => {
        const { Engine } = await import('/src/complete/engine.js');
        const engine = new Engine(await WebAssembly.compileStreaming(fetch(module)));
        let [wasm, heap] = [0, 0];
        const before = performance.memory.usedJSHeapSize;
        await engine.load(new URL(url), {
          onProgress() {
            wasm = Math.max(wasm, engine.memoryBytes);
            heap = Math.max(heap, performance.memory.usedJSHeapSize - before);
          },
        });
        engine.begin('{"prompt":"Hello","max_tokens":1}');
        return { wasm, heap, first: engine.step().token.id };
      }, [`http://127.0.0.1:${own.address().port}/large.gguf`, `/dist/complete${build}.wasm`]);
      console.log(`Chromium${build}: loading ${size} bytes took ${wasm} of the module and ${heap} of the page: ${((wasm + heap) / size).toFixed(3)}`);
      assert.ok(Number.isInteger(first) && wasm > size && wasm + heap <= 1.3 * size, `${wasm} and ${heap} bytes for ${size}`);
      await here.context().close();
    }
  } finally {
    own.close();
  }
});
