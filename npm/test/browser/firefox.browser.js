// The package in another engine: Debian's Firefox, driven over WebDriver BiDi.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import puppeteer from 'puppeteer-core';

import { Redactor } from '../../index.js';
import { digests } from '../digest.js';
import { devTexts, npm, texts } from '../support.js';
import { files } from './server.js';

let browser;
let server;

before(async () => {
  [browser, server] = await Promise.all([
    puppeteer.launch({
      browser: 'firefox',
      executablePath: process.env.LACUNA_FIREFOX ?? '/usr/bin/firefox-esr',
      headless: true,
      // No calls home: they would wait for a network that may not be there.
      extraPrefsFirefox: { 'app.normandy.enabled': false, 'services.settings.server': 'data:,', 'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false },
    }),
    files(npm),
  ]);
});
after(() => Promise.all([browser?.close(), server?.close()]));

test('Firefox has the bits of Node, in every build it runs, and in workers', { timeout: 240_000 }, async () => {
  const some = devTexts.slice(-12);
  const redactor = await Redactor.load({ build: 'simd128' });
  const { build: _, ...expected } = await digests(redactor, texts, some);
  redactor.dispose();
  const page = await browser.newPage();
  await page.goto(`${server.url}/demo/icon.svg`);
  const relaxed = await page.evaluate(() => import('/index.js').then(({ relaxedSimd }) => relaxedSimd()));
  const builds = relaxed ? ['simd128', 'relaxed'] : ['simd128'];
  for (const build of builds) {
    const got = await page.evaluate(async (build, texts, some) => {
      const [{ Redactor }, { digests }] = await Promise.all([import('/index.js'), import('/test/digest.js')]);
      return digests(await Redactor.load({ build }), texts, some);
    }, build, texts, some);
    assert.deepEqual(got, { build, ...expected });
  }
  const shared = await page.evaluate(async (some) => {
    const [{ RedactorPool }, { answersDigest }] = await Promise.all([import('/index.js'), import('/test/digest.js')]);
    const pool = await RedactorPool.load({ workers: 2 });
    const digest = await answersDigest(await pool.redactAll(some));
    pool.dispose();
    return digest;
  }, some);
  assert.equal(shared, expected.answers);
  console.log(`${await browser.version()}: ${builds.join(' and ')}, ${texts.length} texts, 0 differ`);
});
