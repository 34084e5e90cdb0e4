// One Chromium, two engines, the same prompt: prints one JSON object. `cargo xtask bench generate` sets up and reads it.
// `node generate.js ROUNDS` takes another number of rounds than 3.

import { chromium } from 'playwright-core';

import { files } from '../test/browser/server.js';
import { npm } from '../test/support.js';

const ROUNDS = Number(process.argv[2] ?? 3);
const [PROMPT, TOKENS] = [128, 64];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const server = await files(npm);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(280_000);
  page.on('pageerror', (error) => console.error(String(error)));
  await page.goto(`${server.url}/bench/generate.html`);
  await page.waitForFunction('globalThis.ready', undefined, { timeout: 30_000 });
  const loads = await page.evaluate(() => load());
  // One more token than passes of one token are timed: the first comes out of the prompt's pass.
  const rates = await page.evaluate(([rounds, prompt, tokens]) => globalThis.rounds(1, rounds, prompt, tokens + 1), [ROUNDS, PROMPT, TOKENS]);
  console.log(JSON.stringify({ loads, rates, ...await page.evaluate(() => about()), browser: browser.version() }));
} finally {
  await browser.close();
  await server.close();
}
