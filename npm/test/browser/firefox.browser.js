// The package in another engine: Debian's Firefox.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { Redactor } from '../../index.js';
import { LanguageModel, results } from '../complete.js';
import { digests } from '../digest.js';
import { devTexts, npm, root, texts } from '../support.js';
import { firefox } from './geckodriver.js';
import { files } from './server.js';

let browser;
let server;

before(async () => {
  [browser, server] = await Promise.all([firefox(), files(npm)]);
  await browser.go(`${server.url}/demo/icon.svg`); // a page of this origin, and of nothing else
});
after(() => Promise.all([browser?.close(), server?.close()]));

test('Firefox has the bits of Node, in every build it runs, and in workers', { timeout: 240_000 }, async () => {
  const some = devTexts.slice(-12);
  const redactor = await Redactor.load({ build: 'simd128' });
  const { build: _, ...expected } = await digests(redactor, texts, some);
  redactor.dispose();
  const relaxed = await browser.evaluate(() => import('/index.js').then(({ relaxedSimd }) => relaxedSimd()));
  const builds = relaxed ? ['simd128', 'relaxed'] : ['simd128'];
  for (const build of builds) {
    const got = await browser.evaluate(async (build, texts, some) => {
      const [{ Redactor }, { digests }] = await Promise.all([import('/index.js'), import('/test/digest.js')]);
      return digests(await Redactor.load({ build }), texts, some);
    }, build, texts, some);
    assert.deepEqual(got, { build, ...expected });
  }
  const shared = await browser.evaluate(async (some) => {
    const [{ RedactorPool }, { answersDigest }] = await Promise.all([import('/index.js'), import('/test/digest.js')]);
    const pool = await RedactorPool.load({ workers: 2 });
    const digest = await answersDigest(await pool.redactAll(some));
    pool.dispose();
    return digest;
  }, some);
  assert.equal(shared, expected.answers);
  console.log(`${browser.version}: ${builds.join(' and ')}, ${texts.length} texts, 0 differ`);
});

test('Firefox writes the texts of Node, with their logits', { timeout: 120_000 }, async () => {
  const path = '/test/complete.js';
  const bytes = readFileSync(`${root}testdata/decoder/tiny/chat.gguf`);
  const model = await LanguageModel.load(new Uint8Array(bytes), { build: 'simd128' });
  const expected = await results(model);
  model.dispose();
  const got = await browser.evaluate(async (path, bytes) => {
    const { LanguageModel, results } = await import(path);
    const model = await LanguageModel.load(new Blob([Uint8Array.from(bytes)]));
    const all = await results(model);
    model.dispose();
    return all;
  }, path, Array.from(bytes));
  assert.deepEqual(got, expected);
});

test('the demo redacts in Firefox, and puts values back', { timeout: 120_000 }, async () => {
  await browser.go(`${server.url}/demo/`);
  const shows = (id, text, value) => browser.evaluate(async (id, text, value, input) => {
    const until = async (holds) => {
      for (let tries = 0; tries < 600 && !holds(); tries++) await new Promise((resolve) => setTimeout(resolve, 100));
    };
    await until(() => /^Ready/.test(document.getElementById('state').textContent));
    Object.assign(document.getElementById(input), { value }).dispatchEvent(new Event('input'));
    await until(() => document.getElementById(id).textContent === text);
    return document.getElementById(id).textContent;
  }, id, text, value, id === 'answer' ? 'text' : 'reply');
  assert.equal(await shows('answer', 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]', 'I am Ana Lima, ana@example.org'), 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]');
  assert.equal(await shows('restored', 'Dear Ana', 'Dear given_name_1'), 'Dear Ana');
});

test('what fails in the page fails here', async () => {
  await assert.rejects(browser.evaluate(async () => { throw new TypeError('of the page'); }), /of the page/);
  await assert.rejects(browser.go('about:nothing-there'), /WebDriver/);
});
