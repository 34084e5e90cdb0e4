// Text generation in Node: the command's answers, streams, ends, and what goes wrong.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import * as api from '../complete.js';
import { Engine } from '../src/complete/engine.js';
import { CALLS, LanguageModel, outcome, results } from './complete.js';
import { command, file, npm, root, serve } from './support.js';

const path = `${root}testdata/decoder/tiny/chat.gguf`;
const bytes = readFileSync(path);
const load = (source = pathToFileURL(path), options = {}) => LanguageModel.load(source, { build: 'simd128', ...options });

const FLAGS = {
  maxTokens: '--tokens', topK: '--top-k', topP: '--top-p', minP: '--min-p', temperature: '--temperature', seed: '--seed', penaltyWindow: '--penalty-window',
  repetitionPenalty: '--repetition-penalty', presencePenalty: '--presence-penalty', frequencyPenalty: '--frequency-penalty', logprobs: '--logprobs',
};

/** The command's answer to a call. */
export async function native([prompt, { ignoreEnd, raw, logitBias = {}, ...options }]) {
  const flags = Object.entries(options).flatMap(([name, value]) => [FLAGS[name], String(value)]);
  const biases = Object.entries(logitBias).flatMap(([id, bias]) => ['--logit-bias', `${id}=${bias === -Infinity ? '-inf' : bias}`]);
  const { text, ids, end, prompt_tokens: promptTokens, digest } = JSON.parse(await command([
    'complete', '-m', path, '-p', prompt, '--json', '--quiet', ...(ignoreEnd ? ['--ignore-end'] : []), ...(raw ? ['--raw'] : []), ...flags, ...biases,
  ]));
  return { text, ids, end, promptTokens, digest };
}

test('texts, tokens and logits are those of the command', async () => {
  const model = await load();
  const expected = await Promise.all(CALLS.map(native));
  assert.ok(expected.every(({ ids }) => ids.length >= 8) && new Set(expected.map(({ digest }) => digest)).size === CALLS.length);
  assert.deepEqual(await results(model), expected);
  assert.deepEqual(await results(model), expected, 'with a warm cache');
  model.dispose();
});

test('a model comes from a URL with progress, from a Blob, from bytes, from a server that tells no size', async () => {
  const server = await serve((request, response) => {
    if (request.url === '/sized') response.setHeader('content-length', bytes.length);
    response.write(bytes.subarray(0, 30_000), () => setTimeout(() => response.end(bytes.subarray(30_000)), 20));
  });
  try {
    const [expected] = await Promise.all(CALLS.slice(0, 1).map(native));
    for (const [source, total] of [[`${server.url}sized`, bytes.length], [server.url, undefined], [new Blob([bytes]), bytes.length], [bytes, bytes.length], [new Uint8Array(bytes).buffer, bytes.length]]) {
      const seen = [];
      const model = await load(source, { onProgress: (progress) => seen.push(progress) });
      assert.deepEqual(seen.at(-1), { loaded: bytes.length, total });
      assert.ok(seen.every(({ loaded }, i) => i === 0 || loaded > seen[i - 1].loaded));
      if (typeof source === 'string') assert.ok(seen.length > 1);
      assert.equal((await model.generate(...CALLS[0]).result).text, expected.text);
      assert.deepEqual({ ...model.info, version: '' }, { version: '', build: 'simd128', name: 'chat', architecture: 'llama', context: 256, vocabulary: 264, template: true });
      model.dispose();
    }
  } finally {
    server.close();
  }
});

test('what cannot be loaded says what, where and by how much', async () => {
  const server = await serve((request, response) => {
    if (request.url === '/gone') return response.writeHead(404).end();
    if (request.url === '/broken') {
      response.writeHead(200, { 'content-length': bytes.length });
      return response.write(bytes.subarray(0, 50_000), () => setTimeout(() => response.destroy(), 20));
    }
    response.write(bytes.subarray(0, 30_000)); // in pieces, so that no size is told
    response.end(bytes.subarray(30_000, 60_000));
  });
  try {
    const said = (source, options) => outcome(load(source, options));
    assert.deepEqual(await said(`${server.url}gone`), { name: 'LoadError', code: 'not_found', message: `model: ${server.url}gone: status 404`, got: 404 });
    const broken = await said(`${server.url}broken`);
    assert.equal(broken.code, 'broken_off');
    assert.match(broken.message, new RegExp(`broke off after [1-9][0-9]* of ${bytes.length} bytes`));
    const short = await said(`${server.url}short`);
    assert.equal(short.code, 'invalid_model');
    assert.match(short.message, /tensor \S+: at offset \d+ it needs \d+ bytes, file has \d+/);
    assert.match((await said(bytes.subarray(0, 60_000))).message, /tensor \S+: .* needs \d+ bytes at offset \d+, file has \d+/);
    assert.match((await said(new Blob(['<!doctype html><title>Sorry, no such page</title>']))).message, /not a GGUF file: it starts with "<!do"/);
    assert.match((await said(file('models/rampart/rampart-q4_0.gguf'))).message, /architecture bert: llama, qwen2, qwen3, gemma3 are supported/);
    assert.match((await said(new Uint8Array(0))).message, /not a GGUF file/);
    assert.equal((await said('nowhere.gguf')).code, 'not_found');
    assert.equal((await said({ url: 'x' })).code, 'invalid_source');
    assert.equal((await said('x', { what: 1 })).code, 'unknown_field');
    const none = await said(new Blob([bytes]), { maxMemory: 300_000 });
    assert.deepEqual([none.name, none.code, none.got > 1000], ['OutOfMemoryError', 'out_of_memory', true], none.message);
    assert.match(none.message, /\d+ bytes/);
  } finally {
    server.close();
  }
});

test('a load is ended by its signal, or by what its callback throws', async () => {
  let open = 0;
  const server = await serve((_, response) => {
    open += 1;
    response.on('close', () => (open -= 1));
    response.write(bytes.subarray(0, 40_000)); // and no more
  });
  try {
    const stop = new AbortController();
    await assert.rejects(load(server.url, { signal: stop.signal, onProgress: () => stop.abort() }), { name: 'AbortError' });
    await assert.rejects(load(server.url, { onProgress: () => { throw new RangeError('of the page'); } }), { name: 'RangeError', message: 'of the page' });
    await assert.rejects(load(server.url, { signal: AbortSignal.abort(new Error('before')) }), { message: 'before' });
    for (let tries = 0; open > 0 && tries < 100; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(open, 0, 'no connection is left');
  } finally {
    server.close();
  }
});

const LONG = { maxTokens: 200, ignoreEnd: true };

test('a text is ended within a token, and the next one is whole', async () => {
  const model = await load();
  const { text: whole, ids } = await model.generate('Hello there', LONG).result;
  assert.equal(ids.length, 200);
  const again = async (why) => assert.equal((await model.generate('Hello there', LONG).result).text, whole, why);
  let tokens = 0;
  const stop = new AbortController();
  const onToken = () => (tokens += 1) === 3 && stop.abort(new Error('enough'));
  await assert.rejects(model.generate('Hello there', { ...LONG, signal: stop.signal, onToken }).result, { message: 'enough' });
  assert.equal(tokens, 3);
  await again('after an abort');
  const reading = new AbortController();
  const seen = [];
  const onProgress = ({ done, total }) => (seen.push([done, total]), reading.abort());
  await assert.rejects(model.generate('word '.repeat(40), { raw: true, signal: reading.signal, onProgress }).result, { name: 'AbortError' });
  assert.ok(seen.length === 1 && seen[0][0] === 32 && seen[0][1] > 64, String(seen));
  await again('after an abort while the prompt was read');
  for (const name of ['onText', 'onToken', 'onProgress']) {
    const call = { ...LONG, [name]: () => { throw new SyntaxError(name); } };
    await assert.rejects(model.generate('Hello there', call).result, { name: 'SyntaxError', message: name });
    await again(`after ${name} has thrown`);
  }
  let pieces = 0;
  const left = model.generate('Hello there', LONG);
  for await (const piece of left) {
    assert.ok(piece);
    if ((pieces += 1) === 4) break;
  }
  const { end, ids: some } = await left.result;
  assert.ok(end === 'stopped' && some.length < 200 && some.every((id, at) => id === ids[at]), `${end} ${some.length}`);
  await again('after a loop was left');
  await assert.rejects(model.generate('Hello there', { signal: AbortSignal.abort() }).result, { name: 'AbortError' });
  model.dispose();
});

test('texts wait for each other, and one that fails keeps nobody waiting', async () => {
  const model = await load();
  const expected = (await model.generate('Hello there', LONG).result).text;
  const stop = new AbortController();
  const all = [
    model.generate('Hello there', LONG), model.generate('x', { temperature: -1 }), model.generate('Hello there', { ...LONG, signal: stop.signal }),
    model.generate('Hello there', LONG), model.generate('y', LONG), model.generate('Hello there', LONG),
  ];
  stop.abort();
  all[4].stop();
  const ended = await Promise.allSettled(all.map(({ result }) => result));
  assert.deepEqual(ended.map(({ value, reason }) => value?.text ?? reason.message), [
    expected, 'temperature: -1 is not in 0..=100', 'This operation was aborted', expected, '', expected,
  ]);
  assert.deepEqual([ended[4].value.end, ended[4].value.tokens], ['stopped', 0]);
  model.dispose();
});

test('stop strings, tokens and rates', async () => {
  const model = await load();
  const { text } = await model.generate('Hello there', LONG).result;
  const at = [...text].slice(5, 7).join('');
  const stopped = await model.generate('Hello there', { ...LONG, stop: at }).result;
  assert.deepEqual([stopped.end, stopped.text], ['stop', text.slice(0, text.indexOf(at))]);
  const { tokens, rate, promptRate, promptMs, decodeMs, cachedTokens } = await model.generate('Another text', LONG).result;
  assert.ok(tokens === 200 && rate > 0 && promptRate > 0 && promptMs > 0 && decodeMs > 0 && cachedTokens > 0);
  const { logprobs } = await model.generate('Hello there', { maxTokens: 2, logprobs: 3, ignoreEnd: true }).result;
  assert.ok(logprobs.length === 2 && logprobs[0].top.length === 3 && logprobs[0].logprob <= 0);
  const ids = await model.generate([5, 6, 7], { maxTokens: 2, ignoreEnd: true }).result;
  assert.equal(ids.promptTokens, 3);
  model.dispose();
});

test('mistakes are named, and the model serves on', async () => {
  const model = await load();
  for (const [input, options, field] of [
    [7, {}, 'input'], [[], {}, 'input'], ['x', { colour: 1 }, 'colour'], ['x', { temperature: NaN }, 'temperature'], ['x', { onText: 1 }, 'onText'],
    [[{ role: 'user' }], {}, 'messages[0].content'], ['x', { stop: 7 }, 'stop'], ['x', { logitBias: { 1: 'a' } }, 'logitBias.1'], ['x', { signal: {} }, 'signal'],
  ]) assert.throws(() => model.generate(input, options), { name: 'InputError', field }, field);
  for (const [options, field] of [[{ maxTokens: 0 }, 'maxTokens'], [{ topP: 2 }, 'topP'], [{ seed: -1 }, 'seed'], [{ logitBias: { 9999: 1 } }, 'logitBias']]) {
    await assert.rejects(model.generate('x', options).result, { name: 'InputError', field });
  }
  await assert.rejects(model.generate(Array(300).fill(1)).result, { code: 'prompt_too_long', limit: 256, got: 300 });
  assert.equal((await model.generate('x', { maxTokens: 1 }).result).tokens, 1);
  const waiting = model.generate('Hello there', LONG).result;
  model.dispose();
  await assert.rejects(waiting, { name: 'DisposedError' });
  await assert.rejects(model.generate('x').result, { name: 'DisposedError' });
  assert.throws(() => new LanguageModel(), { name: 'InputError' });
});

test('no memory for a text ends that text alone', async () => {
  const engine = new Engine(await WebAssembly.compile(file('npm/dist/complete.wasm')));
  await engine.load(bytes);
  /** A text whose steps have so much memory. */
  const write = (maxTokens, limit = 0) => {
    engine.exports.limit_memory(0);
    engine.begin(JSON.stringify({ messages: [{ role: 'user', content: 'Hello there' }], max_tokens: maxTokens, ignore_end: true }));
    engine.exports.limit_memory(limit);
    for (let text = ''; ;) {
      const step = engine.step();
      text += step.text;
      if (step.over) return text;
    }
  };
  const expected = write(4);
  const whole = write(200);
  // The least that a short text can be written with.
  let limit = 100_000;
  for (let short; short === undefined; limit += 1000) {
    try {
      short = write(4, limit);
      assert.equal(short, expected);
    } catch (error) {
      assert.deepEqual([error.name, error.code, error.got > 1000, engine.trapped], ['OutOfMemoryError', 'out_of_memory', true, false], error.message);
      assert.match(error.message, /\d+ bytes could not be had/);
    }
  }
  assert.throws(() => write(200, limit), { name: 'OutOfMemoryError', code: 'out_of_memory' });
  assert.equal(write(4, limit), expected, 'it serves on');
  assert.equal(write(200), whole);
});

test('a large model has the text of the command, in one piece of memory and no more', async () => {
  const large = process.env.LACUNA_LARGE_MODEL ?? `${root}target/large.gguf`;
  const { size } = statSync(large);
  const engine = new Engine(await WebAssembly.compile(file('npm/dist/complete.wasm')));
  let most = 0;
  await engine.load(pathToFileURL(large), { onProgress: () => (most = Math.max(most, engine.memoryBytes)) });
  console.log(`Node: ${engine.memoryBytes} bytes for a model of ${size}: ${(most / size).toFixed(3)}`);
  assert.ok(size > 50e6 && most > size && most <= 1.3 * size, `${most} bytes for ${size}`);
  const model = await load(pathToFileURL(large));
  const { text, ids, digest } = await model.generate('Hello there', { maxTokens: 5, ignoreEnd: true, digest: true }).result;
  const told = JSON.parse(await command(['complete', '-m', large, '-p', 'Hello there', '--json', '--quiet', '--ignore-end', '--tokens', '5']));
  assert.deepEqual([text, ids, digest], [told.text, told.ids, told.digest]);
  model.dispose();
});

test('the types name every export', () => {
  const types = readFileSync(`${npm}complete.d.ts`, 'utf8');
  const told = [...types.matchAll(/export class (\w+)/g), ...types.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names]) => names.split(',').map((name) => name.trim()));
  assert.deepEqual(told.sort(), Object.keys(api).sort());
});
