import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { DisposedError, InputError, LoadError, OutOfMemoryError, Redactor, relaxedSimd, simd, TrapError } from '../index.js';
import { MODEL_SOURCE_SHA256 } from '../dist/manifest.js';
import { Instance } from '../src/instance.js';
import { file, sha256 } from './support.js';

const redactor = await Redactor.load();
after(() => redactor.dispose());

test('a text is redacted, with the contracted fields', () => {
  const answer = redactor.redact('I am Ana Lima, ana@example.org, card 4111 1111 1111 1111');
  assert.equal(answer.redactedText, 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1], card [CREDIT_CARD_1]');
  assert.deepEqual(Object.keys(answer), ['redactedText', 'items', 'windows', 'tokens', 'timings']);
  assert.deepEqual(answer.items.map(({ label }) => label), ['GIVEN_NAME', 'SURNAME', 'EMAIL', 'CREDIT_CARD']);
  const { confidence, ...email } = answer.items[2];
  assert.deepEqual(email, { label: 'EMAIL', placeholder: '[EMAIL_1]', start: 15, end: 30, utf16: [15, 30], bytes: [15, 30], source: 'rule', ...(email.subtype && { subtype: email.subtype }) });
  assert.ok(confidence > 0.5 && confidence <= 1);
  assert.equal(answer.windows, 1);
  assert.ok(answer.timings.total > 0 && answer.timings.forward > 0);
});

test('utf16 positions slice the original, and code points and bytes agree with them', () => {
  const text = '🙏🏽 Köszönöm, Kovács Ágnes! 日本 — agnes@példa.hu, +36 30 123 4567 🙏';
  const { items } = redactor.redact(text, { map: 'plain' });
  assert.ok(items.length >= 2, JSON.stringify(items));
  for (const { utf16, start, end, bytes } of items) {
    const value = text.slice(...utf16);
    assert.equal([...text].slice(start, end).join(''), value);
    assert.equal(Buffer.from(text).subarray(...bytes).toString(), value);
  }
});

test('lone surrogates are read as U+FFFD, and positions stay', () => {
  const text = `a\ud800b ana@example.org \udc00`;
  const { redactedText, items } = redactor.redact(text);
  assert.equal(redactedText, 'a\ufffdb [EMAIL_1] \ufffd');
  assert.equal(text.slice(...items[0].utf16), 'ana@example.org');
});

test('values come back, tolerant and strict', () => {
  const answer = redactor.redact('Write to Ana Lima, ana@example.org');
  const { restore } = answer;
  assert.deepEqual(restore('Dear given_name_1 ([EMAIL_1]), [CITY_7]'), {
    text: 'Dear Ana (ana@example.org), [CITY_7]', restored: 2, unknown: ['[CITY_7]'],
  });
  assert.equal(restore('Dear given_name_1 ([EMAIL_1])', { mode: 'strict' }).text, 'Dear given_name_1 (ana@example.org)');
  assert.equal(answer.restore(answer.redactedText).text, 'Write to Ana Lima, ana@example.org');
  assert.equal(redactor.restore('[X_1] \ud800', { '[X_1]': 'y' }).text, 'y \ufffd');
});

test('the map is in the answer only if asked for', () => {
  assert.equal(redactor.redact('ana@example.org').map, undefined);
  assert.deepEqual(redactor.redact('ana@example.org', { map: 'plain' }).map, { '[EMAIL_1]': 'ana@example.org' });
  assert.ok(!JSON.stringify(redactor.redact('ana@example.org')).includes('ana@'), 'a copy holds no personal data');
});

test('options do what the API says', () => {
  const text = 'Ana Lima, ana@example.org';
  assert.equal(redactor.redact(text, { keep: ['EMAIL'] }).redactedText, '[GIVEN_NAME_1] [SURNAME_1], ana@example.org');
  assert.equal(redactor.redact(text, { labels: ['EMAIL'] }).redactedText, 'Ana Lima, [EMAIL_1]');
  assert.equal(redactor.redact(text, { mode: 'rules' }).redactedText, 'Ana Lima, [EMAIL_1]');
  assert.equal(redactor.redact(text, { mode: 'rules' }).windows, 0);
  const { items } = redactor.redact(text, { explain: true });
  assert.ok(items.find(({ label }) => label === 'GIVEN_NAME').explain.modelLabel, JSON.stringify(items));
});

const refused = (code, field) => (error) => {
  assert.ok(error instanceof InputError, String(error));
  assert.equal(error.code, code);
  if (field) assert.equal(error.field, field);
  return true;
};

test('bad input is a typed error', () => {
  for (const text of [null, undefined, 7, {}, [], Symbol('x'), () => 'x', new String('x')]) {
    assert.throws(() => redactor.redact(text), refused('invalid_text', 'text'));
  }
  assert.throws(() => redactor.redact('x', null), refused('invalid_field'));
  assert.throws(() => redactor.redact('x', []), refused('invalid_field'));
  assert.throws(() => redactor.redact('x', { what: 1 }), refused('unknown_field', 'what'));
  assert.throws(() => redactor.redact('x', { text: 'y' }), refused('unknown_field', 'text'));
  assert.throws(() => redactor.redact('x', { keep: ['TOWN'] }), refused('invalid_field', 'keep'));
  assert.throws(() => redactor.redact('x', { threshold: 2 }), refused('invalid_field', 'threshold'));
  assert.throws(() => redactor.redact('x', { keep: () => [] }), refused('invalid_field', 'keep'));
  assert.throws(() => redactor.redact('x', { keep: 1n }), refused('invalid_field'));
  assert.throws(() => redactor.restore('x', null), refused('invalid_field', 'map'));
  assert.throws(() => redactor.restore('x', { a: 1 }), refused('invalid_field', 'map.a'));
  assert.throws(() => redactor.restore('x', {}, { mode: 'loose' }), refused('invalid_field', 'mode'));
  assert.throws(() => redactor.restore('x', {}, { mode: 1n }), refused('invalid_field', 'mode'));
  assert.throws(() => redactor.restore('x', {}, { map: {} }), refused('unknown_field', 'map'));
  assert.throws(() => redactor.restore('x', {}, null), refused('invalid_field', 'options'));
  for (const map of [[], ['x'], new Map([['[A_1]', 'x']]), 'x', 7]) {
    assert.throws(() => redactor.restore('x', map), refused('invalid_field', 'map'));
  }
  assert.throws(() => redactor.restore(null, {}), refused('invalid_text'));
  assert.equal(redactor.redact('').redactedText, '');
});

test('what JSON would drop in silence is refused by name', () => {
  class Options { keep = ['EMAIL']; }
  for (const options of [new Map([['keep', ['EMAIL']]]), new Set(), new Date(), Promise.resolve({}), new Options(), Object.create({ keep: ['EMAIL'] }), 'x', 7, true, () => ({})]) {
    assert.throws(() => redactor.redact('x', options), refused('invalid_field', 'options'));
  }
  const cycle = {};
  cycle.cycle = cycle;
  for (const [field, value] of [
    ['keep', new Set(['EMAIL'])], ['keep', 'EMAIL'], ['keep', [() => 'EMAIL']], ['keep', null], ['threshold', new Map([['EMAIL', 0.5]])], ['threshold', NaN],
    ['threshold', Infinity], ['threshold', '0.5'], ['threshold.EMAIL', { EMAIL: () => 1 }], ['threshold.EMAIL', { EMAIL: 7 }], ['labels', [1]], ['explain', 'yes'],
    ['mode', 'half'], ['mode', new String('full')], ['consistency', 1], ['map', true], ['map', Symbol('plain')],
  ]) {
    assert.throws(() => redactor.redact('x', { [field.split('.')[0]]: value }), refused('invalid_field', field), field);
  }
  assert.throws(() => redactor.redact('x', { threshold: cycle }), refused('invalid_field'));
  assert.throws(() => redactor.redact('x', { keep: ['\ud800'] }), InputError);
  // Not given is not given.
  assert.equal(redactor.redact('ana@example.org', { keep: undefined, threshold: undefined }).redactedText, '[EMAIL_1]');
  assert.equal(redactor.redact('ana@example.org', Object.assign(Object.create(null), { keep: ['EMAIL'] })).redactedText, 'ana@example.org');
});

test('placeholders beside, inside and around each other come back once', () => {
  const map = { '[A_1]': 'x', '[A_11]': 'y', '[B_1]': '[A_1]' };
  const strict = (text) => redactor.restore(text, map, { mode: 'strict' });
  const tolerant = (text) => redactor.restore(text, map);
  for (const restore of [strict, tolerant]) {
    assert.deepEqual(restore('[A_1][A_11][A_1]'), { text: 'xyx', restored: 3, unknown: [] });
    assert.equal(restore('[[A_1]]').text, '[x]');
    assert.deepEqual(restore('[B_1]'), { text: '[A_1]', restored: 1, unknown: [] }, 'values are not read again');
    assert.deepEqual(restore('[A_2] [A_2] [A_'), { text: '[A_2] [A_2] [A_', restored: 0, unknown: ['[A_2]'] });
    assert.deepEqual(restore(''), { text: '', restored: 0, unknown: [] });
  }
  assert.equal(tolerant('[a 1], A-11 and \\[B_1\\]').text, 'x, y and [A_1]');
  assert.equal(strict('[a_1], A_11, [A_01]').text, '[a_1], A_11, [A_01]');
  assert.equal(redactor.restore('[A_1]', { ['__proto__']: 'p', '[A_1]': 'x\ud800' }).text, 'x\ufffd');
});

test('what stands in a text as a placeholder is no name for a value', () => {
  const text = 'We write [EMAIL_1] for an address such as ana@example.org';
  const { redactedText, restore } = redactor.redact(text);
  assert.equal(redactedText, 'We write [EMAIL_1] for an address such as [EMAIL_2]');
  assert.equal(restore(redactedText, { mode: 'strict' }).text, text);
});

test('a text of ten million characters is answered', async () => {
  const redactor = await Redactor.load(); // one of its own: memory does not shrink
  const text = `${'Nothing to see here, and no names. '.repeat(300_000)} ana@example.org`;
  assert.ok(text.length > 10_000_000);
  const { redactedText, items } = redactor.redact(text, { mode: 'rules' });
  assert.equal(redactedText, text.replace('ana@example.org', '[EMAIL_1]'));
  assert.deepEqual(items[0].utf16, [text.length - 15, text.length]);
  assert.throws(() => redactor.redact('x'.repeat(20_000_000)), { code: 'text_too_large', limit: 1 << 24, got: 20_000_000 });
  redactor.dispose();
});

test('what is not built is refused, not ignored', () => {
  for (const options of [{ map: 'sealed' }, { key: 'k' }, { operators: { DEFAULT: { type: 'mask' } } }]) {
    assert.throws(() => redactor.redact('x', options), refused('unsupported'));
  }
  assert.throws(() => redactor.restore('x', {}, { sealed: 'y' }), refused('unsupported', 'sealed'));
});

test('a text over the limit is refused with both numbers', async () => {
  const small = await Redactor.load({ maxTextLength: 10 });
  assert.throws(() => small.redact('x'.repeat(11)), { code: 'text_too_large', limit: 10, got: 11 });
  small.dispose();
});

test('load refuses what it does not know', async () => {
  await assert.rejects(Redactor.load({ modle: 1 }), refused('unknown_field', 'modle'));
  await assert.rejects(Redactor.load(null), refused('invalid_field'));
  await assert.rejects(Redactor.load({ maxMemory: -1 }), refused('invalid_field', 'maxMemory'));
  await assert.rejects(Redactor.load({ build: 'avx' }), refused('invalid_field', 'build'));
  for (const [field, value] of [
    ['model', null], ['build', null], ['cache', 'no'], ['sha256', 'abc'], ['sha256', 7], ['signal', {}], ['onProgress', 7], ['modules', 7],
    ['modules.simd128', 7], ['maxMemory', '1'], ['maxMemory', 1.5], ['maxTextLength', null],
  ]) {
    const given = field === 'modules.simd128' ? { modules: { simd128: value } } : { [field]: value };
    await assert.rejects(Redactor.load(given), refused('invalid_field', field), field);
  }
  await assert.rejects(Redactor.load({ workers: 2 }), refused('unknown_field', 'workers'));
  await assert.rejects(Redactor.load({ modules: { avx: 'x' } }), refused('unknown_field', 'avx'));
  assert.throws(() => new Redactor(), refused('invalid_field'));
  const another = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  await assert.rejects(Redactor.load({ build: 'simd128', modules: { simd128: another } }), { code: 'invalid_module' });
  await assert.rejects(Redactor.load({ model: new Response('gone', { status: 404 }) }), { code: 'not_found', got: 404 });
  const read = new Response('x');
  await read.text();
  await assert.rejects(Redactor.load({ model: read }), { code: 'invalid_source' });
  await assert.rejects(Redactor.load({ model: 7 }), (error) => error instanceof LoadError);
  await assert.rejects(Redactor.load({ model: '/nowhere.gguf' }), { code: 'not_found' });
  await assert.rejects(Redactor.load({ model: new Uint8Array(100) }), { code: 'invalid_model' });
  await assert.rejects(Redactor.load({ signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('a model as converted is laid out at load and answers the same', async () => {
  const bytes = file('models/rampart/rampart-q4_0.gguf');
  const plain = await Redactor.load({ model: bytes, sha256: sha256(bytes) });
  const text = 'I am Ana Lima from Porto';
  const { timings: _a, ...theirs } = plain.redact(text);
  const { timings: _b, ...ours } = redactor.redact(text);
  assert.deepEqual(theirs, ours);
  plain.dispose();
  // However the bytes come.
  for (const model of [bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), new Blob([bytes]), new Response(bytes)]) {
    const seen = [];
    const one = await Redactor.load({ model, sha256: sha256(bytes), onProgress: ({ loaded }) => seen.push(loaded) });
    assert.equal(one.redact('ana@example.org').redactedText, '[EMAIL_1]');
    if (!(model instanceof ArrayBuffer)) assert.equal(seen.at(-1), bytes.length);
    one.dispose();
  }
});

test('a limit of memory that no address reaches is none', async () => {
  for (const maxMemory of [2 ** 32, 2 ** 32 + 1, 2 ** 40]) {
    const redactor = await Redactor.load({ maxMemory });
    assert.equal(redactor.redact('ana@example.org').redactedText, '[EMAIL_1]');
    redactor.dispose();
  }
});

test('the version names build and model', () => {
  const { build, modelSha256, model, rulesVersion, version } = redactor.version;
  assert.equal(build, relaxedSimd() ? 'relaxed' : 'simd128');
  assert.equal(modelSha256, MODEL_SOURCE_SHA256);
  assert.equal(modelSha256, sha256(file('models/rampart/rampart-q4_0.gguf')));
  assert.ok(model && rulesVersion && version);
  assert.ok(simd());
});

test('want of memory is a typed error, whether the module stopped or not, and the next call works', async () => {
  const long = 'Ana Lima lives in Porto. '.repeat(400_000);
  for (const [spare, stopped] of [[1 << 20, false], [12 << 20, true]]) {
    const tight = await Redactor.load({ maxMemory: redactor.memoryBytes + spare });
    assert.throws(() => tight.redact(long), (error) => {
      assert.ok(error instanceof OutOfMemoryError, String(error));
      assert.equal(error.cause instanceof WebAssembly.RuntimeError, stopped, String(error.cause));
      return error.code === 'out_of_memory' && error.got > 0;
    });
    assert.equal(tight.redact('ana@example.org').redactedText, '[EMAIL_1]');
    tight.dispose();
  }
  await assert.rejects(Redactor.load({ maxMemory: 1 << 20 }), (error) => error instanceof OutOfMemoryError);
});

test('where the engine has no memory for an instance, or for a copy of the answer, that is the same error', async () => {
  const none = new RangeError('Array buffer allocation failed');
  const { Instance: Made } = WebAssembly;
  WebAssembly.Instance = function () {
    throw none;
  };
  try {
    await assert.rejects(Redactor.load(), (error) => error instanceof OutOfMemoryError && error.cause === none);
  } finally {
    WebAssembly.Instance = Made;
  }
  const { slice } = ArrayBuffer.prototype;
  ArrayBuffer.prototype.slice = () => {
    throw none;
  };
  try {
    assert.throws(() => redactor.redact('ana@example.org'), (error) => error instanceof OutOfMemoryError && error.cause === none && error.got > 100);
  } finally {
    ArrayBuffer.prototype.slice = slice;
  }
  assert.equal(redactor.redact('ana@example.org').redactedText, '[EMAIL_1]');
});

test('a trapped instance is replaced', async () => {
  const victim = await Redactor.load();
  const { logits } = Instance.prototype;
  // What a defect would do: the engine stops the module.
  let calls = 0;
  Instance.prototype.logits = function () {
    calls += 1;
    this.trapped = true;
    throw new TrapError('trapped', 'unreachable');
  };
  try {
    assert.throws(() => victim.logits('x'), (error) => error instanceof TrapError);
  } finally {
    Instance.prototype.logits = logits;
  }
  assert.equal(calls, 1);
  assert.equal(victim.redact('ana@example.org').redactedText, '[EMAIL_1]');
  assert.equal(victim.logits('Ana').ids.length, 3);
  victim.dispose();
});

test('after dispose there are only errors', async () => {
  const gone = await Redactor.load();
  const { restore } = gone.redact('ana@example.org');
  gone.dispose();
  gone.dispose();
  assert.equal(gone.memoryBytes, 0);
  assert.equal(gone.alive, false);
  for (const call of [() => gone.redact('x'), () => gone.restore('x', {}), () => restore('[EMAIL_1]')]) {
    assert.throws(call, (error) => error instanceof DisposedError && error.code === 'disposed');
  }
});
