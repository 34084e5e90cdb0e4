// One Chromium, three engines, the same texts: prints one JSON object. `cargo xtask bench web` sets up and reads it.
// `node run.js ROUNDS` takes another number of rounds than 15.

import { texts } from '../test/support.js';
import { files } from '../test/browser/server.js';
import { npm } from '../test/support.js';
import { chromium } from 'playwright-core';

const ROUNDS = Number(process.argv[2] ?? 15);
const NAMES = ['lacuna', 'ort', 'transformers'];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const server = await files(npm);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(String(error)));
  let bytes = 0;
  const sizes = {};
  page.on('response', async (response) => (bytes += Number(response.headers()['content-length'] ?? 0)));
  await page.goto(`${server.url}/bench/page.html`);
  await page.waitForFunction('globalThis.ready');
  const result = { starts: {}, forward: {}, download: sizes, labels: {} };
  // Loads in turns, each over a warm server; the first engine's page script counts to it.
  for (const name of NAMES) {
    const before = name === 'lacuna' ? 0 : bytes;
    result.starts[name] = await page.evaluate(([name, ids]) => start(name, ids), [name, [101, 102, 103, 104]]);
    sizes[name] = bytes - before;
  }
  const whole = await page.evaluate((text) => ids(text.slice(0, 1200)), texts.join(' '));
  const cut = (length) => [...whole.slice(0, length - 1), whole.at(-1)];
  for (const length of [24, 256]) {
    if (whole.length < length) throw new Error(`the text has ${whole.length} tokens only`);
    result.forward[length] = await page.evaluate(([names, ids, rounds]) => turns(names, ids, rounds), [NAMES, cut(length), length === 24 ? 3 * ROUNDS : ROUNDS]);
  }
  const all = await page.evaluate((texts) => texts.map((text) => ids(text)), texts);
  for (const name of NAMES) result.labels[name] = await page.evaluate(([name, all]) => labels(name, all), [name, all]);
  const agree = (name) => result.labels.lacuna.filter((label, i) => label === result.labels[name][i]).length;
  result.agreement = Object.fromEntries(NAMES.slice(1).map((name) => [name, [agree(name), result.labels.lacuna.length]]));
  delete result.labels;
  result.pool = { workers: 2, times: await page.evaluate(([text, rounds]) => pools(text, 2, rounds), [texts.slice(0, 20).join('\n'), 5]) };
  result.build = await page.evaluate(() => build());
  result.memory = {};
  for (const name of NAMES) result.memory[name] = await page.evaluate((name) => memory(name), name);
  const { times, memory, model } = await page.evaluate((rounds) => firsts(rounds), ROUNDS);
  result.first = { times, memory: memory / model };
  result.browser = browser.version();
  console.log(JSON.stringify(result));
} finally {
  await browser.close();
  await server.close();
}
