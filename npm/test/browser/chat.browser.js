// The page that chats, as a person uses it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { LanguageModel } from '../complete.js';
import { npm, root } from '../support.js';
import { launch } from './chromium.js';
import { files } from './server.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.LACUNA_SCREENSHOTS; // a folder: pictures to look at
const path = `${root}testdata/decoder/tiny/chat.gguf`;
const bytes = readFileSync(path);

let browser;
let server;

before(async () => {
  [browser, server] = await Promise.all([launch(), files(`${npm}demo`)]);
});
after(() => Promise.all([browser?.close(), server?.close()]));

/** Opens the page; whatever it complains about fails the test that looks at `complaints`. */
async function open(settings = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 900 }, ...settings });
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.route('**/model.gguf', (route) => route.fulfill({ body: bytes, contentType: 'application/octet-stream' }));
  await page.goto(`${server.url}/chat.html`);
  return { page, context, complaints };
}

const state = (page, text) => page.waitForFunction((text) => document.getElementById('state').textContent === text, text);
const said = (page) => page.locator('.assistant .said').last();
/** A text is whole, and the page waits for the next message. */
const done = (page) => page.waitForFunction(() => /wrote/.test(document.getElementById('rate').textContent) && !document.getElementById('send').disabled);

test('a file is chosen, and a conversation streams', async () => {
  const { page, context, complaints } = await open();
  assert.ok(await page.locator('#send').isDisabled());
  await page.locator('#file').setInputFiles(path);
  await state(page, 'Ready');
  assert.match(await page.locator('#about').textContent(), /^chat \(llama\): 0\.1 MB in .*, a context of 256 tokens/);
  await page.locator('summary').click();
  await page.locator('#tokens').fill('40');
  await page.locator('#say').fill('Hello there');
  await page.keyboard.press('Enter');
  await done(page);
  const model = await LanguageModel.load(new Uint8Array(bytes), { build: 'simd128' });
  const first = await model.generate('Hello there', { maxTokens: 40 }).result;
  assert.equal(await said(page).textContent(), first.text);
  assert.match(await page.locator('#rate').textContent(), new RegExp(`^${first.tokens} tokens.*: .*wrote \\d+ tokens/s$`));
  await page.locator('#say').fill('And then?');
  await page.locator('#send').click();
  await done(page);
  const turns = [{ role: 'user', content: 'Hello there' }, { role: 'assistant', content: first.text }, { role: 'user', content: 'And then?' }];
  assert.equal(await said(page).textContent(), (await model.generate(turns, { maxTokens: 40 }).result).text);
  model.dispose();
  await page.locator('#clear').click();
  assert.equal(await page.locator('.turn').count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a model by address, markup that stays text, and what goes wrong in words', async () => {
  const { page, context, complaints } = await open();
  await page.locator('#url').fill(`${server.url}/nowhere.gguf`);
  await page.locator('#load').click();
  await page.waitForFunction(() => document.getElementById('about').textContent.includes('status 404'));
  assert.equal(await page.locator('#state').textContent(), 'None yet');
  complaints.length = 0; // the browser's own words about the 404
  await page.locator('#url').fill(`${server.url}/model.gguf`);
  await page.keyboard.press('Enter');
  await state(page, 'Ready');
  await page.locator('#say').fill('<img src=x onerror="window.hurt = 1"><b>bold</b>');
  await page.keyboard.press('Enter');
  await done(page);
  assert.equal(await page.locator('.user .said').textContent(), '<img src=x onerror="window.hurt = 1"><b>bold</b>');
  assert.equal(await page.locator('.turn img, .turn b').count(), 0);
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  await page.locator('#say').fill('word '.repeat(300));
  await page.locator('#send').click();
  await page.waitForFunction(() => document.querySelector('.failed')?.textContent.includes('the model takes 256'));
  await page.locator('#clear').click();
  await page.locator('#say').fill('Hello there');
  await page.locator('#send').click();
  await done(page);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('Stop and Escape end a text, and the next one comes', async () => {
  const { page, context } = await open();
  await page.locator('#file').setInputFiles(path);
  await state(page, 'Ready');
  await page.locator('summary').click();
  await page.locator('#tokens').fill('200');
  // The tiny model writes faster than a person: the press comes with the first piece of text.
  const endBy = (act) => page.evaluate((act) => new Promise((resolve) => {
    const talk = document.getElementById('talk');
    const watch = new MutationObserver(() => {
      if (!talk.querySelector('.turn:last-child.assistant .said')?.textContent) return;
      watch.disconnect();
      if (act === 'stop') document.getElementById('stop').click();
      else document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
      resolve();
    });
    watch.observe(talk, { childList: true, subtree: true, characterData: true });
    document.getElementById('say').value = 'Hello there';
    document.getElementById('send').click();
  }), act);
  for (const act of ['stop', 'escape']) {
    await endBy(act);
    await done(page);
    assert.match(await page.locator('#rate').textContent(), /, stopped: /);
    await page.locator('#clear').click();
  }
  await page.locator('#say').fill('Hello there');
  await page.keyboard.press('Enter');
  await done(page);
  assert.ok((await said(page).textContent()).length > 0);
  await context.close();
});

for (const [name, settings] of [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { colorScheme: 'dark', viewport: { width: 360, height: 800 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing: ${name}`, async () => {
    const { page, context, complaints } = await open(settings);
    await page.locator('#file').setInputFiles(process.env.LACUNA_CHAT_MODEL ?? path);
    await state(page, 'Ready');
    await page.locator('#say').fill('Why is the sky blue?');
    await page.keyboard.press('Enter');
    await done(page);
    await page.locator('summary').click();
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate(() => axe.run());
    assert.ok(passes.length > 20, 'axe looked');
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`), []);
    const [width, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(width <= inner, `${width} pixels wide in a window of ${inner}`);
    if (shots) await page.screenshot({ path: `${shots}/chat-${name}.png`, fullPage: true });
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('everything can be reached and used by keyboard, and both pages know of each other', async () => {
  const { page, context } = await open();
  await page.locator('#file').setInputFiles(path);
  await state(page, 'Ready');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'say');
  await page.keyboard.type('Hello there');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('again');
  assert.equal(await page.locator('#say').inputValue(), 'Hello there\nagain');
  await page.keyboard.press('Enter');
  await done(page);
  const reached = new Set();
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.localName));
    if (await page.evaluate(() => document.activeElement.localName === 'summary' && !document.activeElement.parentElement.open)) await page.keyboard.press('Enter');
  }
  for (const id of ['file', 'url', 'load', 'talk', 'say', 'send', 'clear', 'summary', 'system', 'temperature', 'seed', 'tokens', 'a']) assert.ok(reached.has(id), `${id} was not reached: ${[...reached]}`);
  await page.locator('nav a').click();
  await page.waitForURL(`${server.url}/`);
  await page.locator('nav a').click();
  await page.waitForURL(`${server.url}/chat.html`);
  await context.close();
});

test('nothing is asked of anybody but the page\'s server and the model\'s', async () => {
  const { page, context } = await open();
  const hosts = new Set();
  context.on('request', (request) => hosts.add(new URL(request.url()).host));
  await page.reload();
  await page.locator('#url').fill(`${server.url}/model.gguf`);
  await page.locator('#load').click();
  await state(page, 'Ready');
  await page.locator('#say').fill('Hello there');
  await page.keyboard.press('Enter');
  await done(page);
  assert.deepEqual([...hosts], [new URL(server.url).host]);
  const policy = await page.locator('meta[http-equiv]').getAttribute('content');
  assert.match(policy, /default-src 'none'/);
  assert.ok(!/unsafe-inline|unsafe-eval(?<!wasm-unsafe-eval)/.test(policy));
  await context.close();
});
