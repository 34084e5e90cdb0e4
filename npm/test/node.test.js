import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, Readable } from 'node:stream';
import { after, test } from 'node:test';

import { Redactor, redactLines } from '../index.js';
import { redactBody, redactingFetch, redactJson, redactRequest, redactValue, restoreValue } from '../middleware.js';
import { isJson, leaves, replaced } from '../src/json.js';
import { npm, serve } from './support.js';

const redactor = await Redactor.load();
const folder = mkdtempSync(join(tmpdir(), 'lacuna-redact-'));
after(() => {
  redactor.dispose();
  rmSync(folder, { recursive: true });
});

/** Runs the command with `input` on standard input. */
async function command(args, input = '') {
  const child = spawn(process.execPath, [`${npm}bin/lacuna-redact.js`, ...args]);
  child.stdin.on('error', () => {}); // it may refuse its arguments before it reads
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([
    child.stdout.toArray(), child.stderr.toArray(), new Promise((resolve) => child.on('close', resolve)),
  ]);
  return { out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString(), code };
}

test('the command redacts standard input, byte for byte but for the values', async () => {
  const { out, code } = await command([], 'Ana Lima\r\n\tana@example.org — é\n\n');
  assert.equal(code, 0);
  assert.equal(out, '[GIVEN_NAME_1] [SURNAME_1]\r\n\t[EMAIL_1] — é\n\n');
});

test('the command answers with JSON, keeps a map and restores', async () => {
  const map = join(folder, 'map.json');
  const { out } = await command(['--json', '--labels', 'EMAIL', '--map', map], 'Ana, ana@example.org');
  assert.equal(JSON.parse(out).redactedText, 'Ana, [EMAIL_1]');
  assert.deepEqual(JSON.parse(readFileSync(map, 'utf8')), { '[EMAIL_1]': 'ana@example.org' });
  assert.equal(statSync(map).mode & 0o077, 0, 'nobody else may read the map');
  assert.ok(!out.includes('ana@'), 'the map goes to its file alone');
  const secret = join(folder, 'broken.json');
  writeFileSync(secret, 'ana@example.org');
  const broken = await command(['--restore', secret], 'x');
  assert.deepEqual([broken.code, broken.out], [1, '']);
  assert.ok(broken.err.includes('broken.json') && !broken.err.includes('ana@'), broken.err);
  const back = await command(['--restore', map], 'to email_1 and [CITY_1]');
  assert.equal(back.out, 'to ana@example.org and [CITY_1]');
  assert.match(back.err, /\[CITY_1\] is not in the map/);
});

test('the command says what is wrong', async () => {
  for (const [args, input, code, message] of [
    [['--what'], '', 2, /--what/],
    [['--keep', 'TOWN'], 'x', 2, /TOWN/],
    [['--threshold', 'x'], 'x', 2, /--threshold/],
    [['--threshold', ''], 'x', 2, /--threshold/],
    [['--mode', 'half'], 'x', 2, /mode/],
    [['--lines', '--json'], 'x', 2, /--lines .* --json/],
    [['--restore', 'x', '--keep', 'CITY'], 'x', 2, /--restore .* --keep/],
    [['a', 'b'], 'x', 2, /one FILE/],
    [['/nowhere/at/all'], '', 1, /nowhere/],
    [['--model', '/nowhere/at/all'], '', 1, /nowhere/],
    [[], Buffer.from([0xff, 0xfe]), 1, /UTF-8/],
    [[], Buffer.alloc(1 << 24 | 1, 'x'), 2, /16777217 .* 16777216; --lines/],
  ]) {
    const answer = await command(args, input);
    assert.equal(answer.code, code, answer.err);
    assert.match(answer.err, message);
    assert.equal(answer.out, '');
  }
  assert.match((await command(['--help'])).out, /Usage/);
  assert.match((await command(['--version'])).out, /modelSha256/);
});

test('the command redacts logs line by line', async () => {
  const { out } = await command(['--lines'], '10.0.0.1 GET /\nana@example.org POST /x');
  assert.equal(out, '[IP_ADDRESS_1] GET /\n[EMAIL_1] POST /x');
});

const piped = async (chunks, ...limits) => {
  const stream = Readable.from(chunks).pipe(Duplex.fromWeb(redactLines(redactor, ...limits)));
  return Buffer.concat(await stream.toArray()).toString();
};

test('a stream may be cut anywhere, inside characters too', async () => {
  const text = 'Grüße an ana@example.org 🙏\r\n\nlast 10.0.0.1';
  // Line by line: each is a text of its own.
  const expected = text.replaceAll(/[^\r\n]+/g, (line) => redactor.redact(line).redactedText);
  assert.match(expected, /\[EMAIL_1\] 🙏\r\n\nlast \[IP_ADDRESS_1\]$/);
  const bytes = Buffer.from(text);
  for (const size of [1, 3, 7, 1000]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
    assert.equal(await piped(chunks), expected, `pieces of ${size}`);
  }
});

test('the ends of lines are no part of the texts', async () => {
  const heard = [];
  const listener = { redact: (text) => (heard.push(text), { redactedText: text.toUpperCase() }) };
  const stream = Readable.from([Buffer.from('a\r\n\nb')]).pipe(Duplex.fromWeb(redactLines(listener)));
  assert.equal(Buffer.concat(await stream.toArray()).toString(), 'A\r\n\nB');
  assert.deepEqual(heard, ['a', '', 'b']);
});

test('strings may be cut inside a character, and a mark at the start stays', async () => {
  const through = async (chunks) => {
    const stream = redactLines(redactor);
    const writer = stream.writable.getWriter();
    const all = Promise.all([...chunks.map((chunk) => writer.write(chunk)), writer.close()]);
    all.catch(() => {}); // the reader hears of it too
    const out = Buffer.concat(await Readable.fromWeb(stream.readable).toArray()).toString();
    await all;
    return out;
  };
  const text = '\ufeff🙏 to ana@example.org 🙏\n🙏';
  const expected = '\ufeff🙏 to [EMAIL_1] 🙏\n🙏';
  assert.equal(await through(text.split('')), expected, 'one UTF-16 unit at a time');
  assert.equal(await through([text]), expected);
  const bytes = Buffer.from(text);
  assert.equal(await through(Array.from(bytes, (byte) => Buffer.of(byte))), expected);
  assert.equal(await through([new Uint8Array(bytes).buffer]), expected, 'an ArrayBuffer');
  assert.equal(await through([bytes.subarray(0, 5), 'x', bytes.subarray(0, 3)]), '\ufeff\ufffdx\ufeff', 'a string between bytes');
  assert.equal(await through([]), '');
  for (const chunk of [7, null, {}, undefined]) await assert.rejects(through([chunk]), (error) => error.code === 'invalid_text' || error.code === 'ERR_INVALID_ARG_VALUE');
});

test('a long line in small pieces is no trouble, and what nobody reads is not read ahead', async () => {
  const listener = { redact: (text) => ({ redactedText: text }) };
  const piece = Buffer.from('x'.repeat(10));
  const begin = performance.now();
  const stream = Readable.from(Array(100_000).fill(piece)).pipe(Duplex.fromWeb(redactLines(listener)));
  assert.equal(Buffer.concat(await stream.toArray()).length, 1_000_000);
  assert.ok(performance.now() - begin < 20_000, `${performance.now() - begin} ms for a megabyte`);
  let lines = 0;
  const slow = redactLines({ redact: (text) => ((lines += 1), { redactedText: text }) });
  const writer = slow.writable.getWriter();
  const writes = Array.from({ length: 50 }, () => writer.write('line\n'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(lines <= 2, `${lines} lines were read for a reader that takes none`);
  await slow.readable.cancel('done');
  await Promise.allSettled(writes);
});

test('a stream checks what it is given', () => {
  for (const wrong of [undefined, null, {}, 7]) assert.throws(() => redactLines(wrong), { code: 'invalid_field', field: 'redactor' });
  for (const limits of [{ maxLineLength: 'x' }, { maxLineLength: 0 }]) assert.throws(() => redactLines(redactor, {}, limits), { field: 'maxLineLength' });
  assert.throws(() => redactLines(redactor, {}, { max: 1 }), { code: 'unknown_field', field: 'max' });
});

test('a line without end fails and passes nothing on', async () => {
  await assert.rejects(piped([Buffer.from('ana@example.org '.repeat(10))], {}, { maxLineLength: 50 }), { code: 'line_too_long' });
  await assert.rejects(piped([Buffer.from('x\n')], { what: 1 }), { code: 'unknown_field' });
});

test('fetch sends placeholders and gets values back', async () => {
  const bodies = [];
  const server = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    bodies.push(body);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ reply: `"${JSON.parse(body).to}", given_name_1!` }));
  });
  try {
    const fetch = redactingFetch(redactor);
    const body = JSON.stringify({ to: 'ana@example.org', text: 'I am Ana Lima', cc: ['ana@example.org'], card: 4111111111111111, n: 0.2 });
    const response = await fetch(server.url, { method: 'POST', body });
    assert.deepEqual(JSON.parse(bodies[0]), {
      to: '[EMAIL_1]', text: 'I am [GIVEN_NAME_1] [SURNAME_1]', cc: ['[EMAIL_1]'], card: '[CREDIT_CARD_1]', n: 0.2,
    });
    assert.deepEqual(await response.json(), { reply: '"ana@example.org", Ana!' });
    await assert.rejects(fetch(server.url, { method: 'POST', body: new Blob(['x']) }), TypeError);
    await assert.rejects(fetch(new Request(server.url, { method: 'POST', body: 'x' })), TypeError);
    assert.equal(bodies.length, 1, 'what was refused was not sent');
  } finally {
    server.close();
  }
});

test('fetch leaves alone what it does not replace', async () => {
  const bodies = [];
  const picture = Buffer.from([0x89, 0x50, 0xff, 0, 0xfe]);
  const server = await serve(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    if (request.url === '/picture') return response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    if (request.url === '/none') return response.writeHead(204).end();
    if (request.url === '/stream') return response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"to":"[EMAIL_1]"}\n\n');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{ "id": 12345678901234567890, "email_1": "[EMAIL_1]", "a": 1.10 }');
  });
  try {
    const fetch = redactingFetch(redactor);
    const body = '{"id": 12345678901234567890, "a": 1.10, "a": "x\\u0041\\n", "ana@example.org": [true, null, -2e5],  "u": "ana@example.org"}';
    const response = await fetch(server.url, { method: 'POST', body });
    assert.equal(bodies[0], body.replaceAll('ana@example.org', '[EMAIL_1]'));
    assert.equal(await response.text(), '{ "id": 12345678901234567890, "email_1": "ana@example.org", "a": 1.10 }');
    assert.deepEqual(Buffer.from(await (await fetch(`${server.url}picture`, { method: 'POST', body: 'x' })).arrayBuffer()), picture);
    assert.equal((await fetch(`${server.url}none`, { method: 'POST', body: 'x' })).status, 204);
    const stream = await fetch(`${server.url}stream`, { method: 'POST', body: 'to ana@example.org' });
    assert.equal(await stream.text(), 'data: {"to":"ana@example.org"}\n\n');
    assert.equal((await fetch(server.url)).status, 200, 'without a body');
  } finally {
    server.close();
  }
});

test('JSON is read as what it says, one text or one a line, and in events', async () => {
  const bodies = [];
  const answers = [];
  const server = await serve(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    const [type, text] = answers.shift();
    response.writeHead(200, { 'content-type': type }).end(text);
  });
  try {
    const fetch = redactingFetch(redactor);
    const escaped = 'ana\\u0040example.org';
    for (const [body, headers, sent] of [
      [`{"a":"${escaped}"}\n\n[ "${escaped}" ]\n`, {}, '{"a":"[EMAIL_1]"}\n\n[ "[EMAIL_1]" ]\n'],
      [`"${escaped}"`, { 'content-type': 'application/json' }, '"[EMAIL_1]"'],
      ['"to ana@example.org", she said', { 'content-type': 'application/json' }, '"to [EMAIL_1]", she said'],
      ['{"a":\nto ana@example.org', {}, '{"a":\nto [EMAIL_1]'],
    ]) {
      answers.push(['text/plain', '']);
      await fetch(server.url, { method: 'POST', body, headers });
      assert.equal(bodies.at(-1), sent);
    }
    const body = JSON.stringify({ note: 'The secret is ghp_16C7e42F292c6912E7710c838347Ae178B4a', to: '"ana lima"@example.org, ana@example.org' });
    const { value, map } = await redactValue(redactor, JSON.parse(body));
    const [name] = Object.keys(map);
    const data = (text) => `event: x\ndata: {"delta": "${text}"}\n\ndata: ${text}\ndata:[DONE]\n\n`;
    answers.push(['text/event-stream', data(name)]);
    const response = await fetch(server.url, { method: 'POST', body });
    assert.equal(bodies.at(-1), JSON.stringify(value));
    assert.equal(await response.text(), data(map[name]));
  } finally {
    server.close();
  }
});

test('values within JSON come back spelled as JSON', async () => {
  const quoted = { redact: () => ({ items: [{ label: 'SECRET', utf16: [0, 3] }] }), restore: (text, map) => ({ text: text.replaceAll('[SECRET_1]', map['[SECRET_1]']) }) };
  for (const [type, answer, expected] of [
    ['application/json', '{"a":"[SECRET_1]"}', '{"a":"\\"\\n\\\\"}'],
    ['application/x-ndjson', '{"a":"[SECRET_1]"}\n{"b":"[SECRET_1]"}', '{"a":"\\"\\n\\\\"}\n{"b":"\\"\\n\\\\"}'],
    ['text/event-stream', 'data: {"a":"[SECRET_1]"}\n\n', 'data: {"a":"\\"\\n\\\\"}\n\n'],
    ['text/plain', 'a [SECRET_1]', 'a "\n\\'],
  ]) {
    const fetch = redactingFetch(quoted, {}, async () => new Response(answer, { headers: { 'content-type': type } }));
    assert.equal(await (await fetch('http://x', { method: 'POST', body: '"\n\\' })).text(), expected, type);
  }
});

test('fields of a form are redacted as what they say, not as they are escaped', async () => {
  const bodies = [];
  const server = await serve(async (request, response) => {
    bodies.push([request.headers['content-type'], Buffer.concat(await request.toArray()).toString()]);
    response.end('to [EMAIL_1]');
  });
  try {
    const fetch = redactingFetch(redactor);
    const form = 'to=ana%40example.org&text=Mail+ana%40example.org&ben%40example.org=1&a=%26';
    const placeholders = [['to', '[EMAIL_1]'], ['text', 'Mail [EMAIL_1]'], ['[EMAIL_2]', '1'], ['a', '&']];
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8' };
    for (const init of [{ body: form, headers }, { body: new URLSearchParams(form) }]) {
      const response = await fetch(server.url, { method: 'POST', ...init });
      assert.equal(await response.text(), 'to ana@example.org');
      const [type, body] = bodies.at(-1);
      assert.match(type, /^application\/x-www-form-urlencoded/);
      assert.deepEqual(Array.from(new URLSearchParams(body)), placeholders);
    }
  } finally {
    server.close();
  }
});

test('a request of the Fetch kind has its body redacted, or is refused', async () => {
  const post = (body, type) => new Request('http://127.0.0.1/x?y=1', { method: 'POST', body, headers: type ? { 'content-type': type, 'x-own': '7' } : {} });
  const { request, map } = await redactRequest(redactor, post('{"to": "ana@example.org",  "n": 1.0}', 'application/vnd.api+json'));
  assert.deepEqual([request.method, request.url, request.headers.get('x-own')], ['POST', 'http://127.0.0.1/x?y=1', '7']);
  assert.equal(await request.text(), '{"to": "[EMAIL_1]",  "n": 1.0}');
  assert.deepEqual(map, { '[EMAIL_1]': 'ana@example.org' });
  assert.equal(await (await redactRequest(redactor, post('to ana@example.org', 'text/plain'))).request.text(), 'to [EMAIL_1]');
  const form = await redactRequest(redactor, post(new URLSearchParams({ to: 'ana@example.org' })));
  assert.deepEqual(Array.from(await form.request.formData()), [['to', '[EMAIL_1]']]);
  const empty = new Request('http://127.0.0.1/');
  assert.deepEqual(await redactRequest(redactor, empty), { request: empty, map: {} });
  await assert.rejects(redactRequest(redactor, post(Buffer.from('x'), 'image/png')), { code: 'invalid_value', field: 'content-type' });
  await assert.rejects(redactRequest(redactor, post(Buffer.from('x'))), { code: 'invalid_value' });
  await assert.rejects(redactRequest(redactor, post(Buffer.from([0xff]), 'text/plain')), { code: 'invalid_utf8' });
  await assert.rejects(redactRequest(redactor, post('x', 'text/plain'), { what: 1 }), { code: 'unknown_field' });
});

test('every JSON comes through as it is where there is nothing to replace', async () => {
  const texts = [
    '[]', '{}', ' { "a" : [ 1 , -0.5e+10, 1E400, "x", "\\"", "\\\\", "\\u005b", "[", "a:b", "," ] , "" : null }\n', '[[[["deep"]]]]', '["\ud83d\ude4f","\\ud83d"]',
  ];
  for (const text of texts) assert.equal(await replaced(text, (value) => value), text);
  const kinds = Array.from(leaves('{"k" : "s", "n":[-1.5e3, 2E+4, "x:" ]}'), ({ kind, value }) => `${kind} ${value}`);
  assert.deepEqual(kinds, ['key k', 'string s', 'key n', 'number -1.5e3', 'number 2E+4', 'string x:']);
  for (const text of ['', 'x', '"x"', '1', '[', '{"a"}', '[1,]']) {
    assert.equal(isJson(text), false, text);
    await assert.rejects(redactJson(redactor, text), { code: 'invalid_json' });
  }
});

test('what is no JSON value is refused, not passed on', async () => {
  const cycle = [];
  cycle.push(cycle);
  const deep = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000));
  for (const value of [Buffer.from('ana@example.org'), new Date(), new Map(), () => 'x', Symbol('x'), { a: [new Uint8Array(3)] }, cycle, deep]) {
    await assert.rejects(redactValue(redactor, value), { name: 'InputError', code: 'invalid_value' });
    const request = { body: value };
    const nexts = [];
    await redactBody(redactor)(request, {}, (error) => nexts.push(error?.code));
    assert.deepEqual([nexts, request.body === value, request.redactionMap], [['invalid_value'], true, undefined]);
  }
  for (const wrong of [undefined, null, {}, { redact() {} }]) {
    for (const make of [() => redactBody(wrong), () => redactingFetch(wrong)]) assert.throws(make, { field: 'redactor' });
  }
  assert.deepEqual((await redactValue(redactor, undefined)).value, undefined);
});

test('placeholders of a value do not meet those that stand in it, and keys are read by rules', async () => {
  const value = { a: '[EMAIL_1] ana@example.org', 'ben@example.org': { email_3: 'ben@example.org' }, n: 4111111111111111n };
  const { value: redacted, map } = await redactValue(redactor, value);
  assert.deepEqual(redacted, { a: '[EMAIL_1] [EMAIL_2]', '[EMAIL_3]': { email_3: '[EMAIL_3]' }, n: '[CREDIT_CARD_1]' });
  assert.deepEqual(await restoreValue(redactor, redacted, map), { ...value, n: '4111111111111111' });
});

test('middleware redacts the body, or the handler does not run', async () => {
  const request = { body: { name: 'I am Ana Lima', deep: [{ at: 'ana@example.org' }], n: 3, none: null } };
  const nexts = [];
  await redactBody(redactor)(request, {}, (...args) => nexts.push(args));
  assert.deepEqual(request.body, { name: 'I am [GIVEN_NAME_1] [SURNAME_1]', deep: [{ at: '[EMAIL_1]' }], n: 3, none: null });
  assert.equal(request.redactionMap['[EMAIL_1]'], 'ana@example.org');
  assert.deepEqual(nexts, [[]]);
  const refused = { body: 'x' };
  await redactBody(redactor, { what: 1 })(refused, {}, (...args) => nexts.push(args));
  assert.equal(nexts[1][0].code, 'unknown_field');
});

test('values of different strings have different placeholders, and all come back', async () => {
  const value = { a: 'ana@example.org', b: ['ben@example.org', 'ana@example.org'], __proto__: null, ['__proto__']: 'eve@example.org' };
  const { value: redacted, map } = await redactValue(redactor, value);
  assert.deepEqual(redacted.b, ['[EMAIL_2]', '[EMAIL_1]']);
  assert.deepEqual(Object.entries(await restoreValue(redactor, redacted, map)), Object.entries(value));
});
