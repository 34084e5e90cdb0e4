import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, Readable } from 'node:stream';
import { after, test } from 'node:test';

import { Redactor, redactLines } from '../index.js';
import { redactBody, redactingFetch, redactValue, restoreValue } from '../middleware.js';
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
  const back = await command(['--restore', map], 'to email_1 and [CITY_1]');
  assert.equal(back.out, 'to ana@example.org and [CITY_1]');
  assert.match(back.err, /\[CITY_1\] is not in the map/);
});

test('the command says what is wrong', async () => {
  for (const [args, input, code, message] of [
    [['--what'], '', 2, /--what/],
    [['--keep', 'TOWN'], 'x', 2, /TOWN/],
    [['--threshold', 'x'], 'x', 2, /--threshold/],
    [['/nowhere/at/all'], '', 1, /nowhere/],
    [[], Buffer.from([0xff, 0xfe]), 1, /UTF-8/],
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
