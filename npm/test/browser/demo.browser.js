// The demo page, as a person uses it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { npm } from '../support.js';
import { launch } from './chromium.js';
import { files } from './server.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.LACUNA_SCREENSHOTS; // a folder: pictures to look at

let browser;
let server;

before(async () => {
  [browser, server] = await Promise.all([launch(), files(`${npm}demo`)]);
});
after(() => Promise.all([browser?.close(), server?.close()]));

/** Opens the page; whatever it complains about fails the test that looks at `complaints`. */
async function open(settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...settings });
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${server.url}/`);
  await settled(page);
  return { page, context, complaints };
}

/** Waits until the page is ready, or has failed. */
async function settled(page) {
  await page.waitForFunction(() => document.getElementById('state').textContent !== 'Loading');
  assert.match(await page.locator('#state').textContent(), /^Ready/);
}

const shown = (page, text) => page.waitForFunction((text) => document.getElementById('answer').textContent === text, text);

test('text is redacted while one types, and options count', async () => {
  const { page, context, complaints } = await open();
  await page.locator('#text').pressSequentially('I am Ana Lima, ana@example.org', { delay: 5 });
  await shown(page, 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]');
  assert.equal(await page.locator('#answer mark').count(), 3);
  assert.match(await page.locator('#summary').textContent(), /Taken out: email, given name, surname\./);
  await page.getByLabel('Show values').check();
  await shown(page, 'I am Ana Lima, ana@example.org');
  await page.getByLabel('Show values').uncheck();
  await page.locator('.chip', { hasText: 'surname' }).click();
  await shown(page, 'I am [GIVEN_NAME_1] Lima, [EMAIL_1]');
  await page.locator('#none').click();
  await shown(page, 'I am Ana Lima, ana@example.org');
  await page.locator('#all').click();
  await page.locator('#mode').selectOption('rules');
  await shown(page, 'I am Ana Lima, [EMAIL_1]');
  await page.locator('#mode').selectOption('full');
  await shown(page, 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]');
  await page.locator('#threshold').fill('100');
  await page.waitForFunction(() => !document.getElementById('answer').textContent.includes('GIVEN_NAME'));
  await page.locator('#threshold').fill('0');
  await shown(page, 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]');
  await page.locator('#reply').fill('Dear given_name_1, to [EMAIL_1] <b>x</b>');
  await page.waitForFunction(() => document.getElementById('restored').textContent === 'Dear Ana, to ana@example.org <b>x</b>');
  await page.locator('#clear').click();
  await shown(page, '');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('JSON keeps its form, a file can be opened, and the answer copied', async () => {
  const { page, context, complaints } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.locator('#text').fill('{"to": "ana@example.org", "n": 3}');
  await shown(page, '{"to": "[EMAIL_1]", "n": 3}');
  assert.ok(await page.locator('#kind').isVisible());
  await page.locator('#file').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('card 4111 1111 1111 1111') });
  await shown(page, 'card [CREDIT_CARD_1]');
  await page.locator('#copy').click();
  await page.waitForFunction(() => document.getElementById('copy').textContent === 'Copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'card [CREDIT_CARD_1]');
  const drop = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['from 10.0.0.1'], 'b.log'));
    return data;
  });
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: drop });
  await shown(page, 'from [IP_ADDRESS_1]');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('what is no text is not opened, and the page stays as it is', async () => {
  const { page, context, complaints } = await open();
  await page.locator('#text').fill('ana@example.org');
  await shown(page, '[EMAIL_1]');
  for (const [name, buffer, why] of [
    ['a.bin', Buffer.from([0x89, 0x50, 0xff, 0xfe, 0]), /a\.bin was not opened: it is no text/],
    ['zeros.txt', Buffer.alloc(100), /zeros\.txt was not opened: it is no text/],
    ['big.txt', Buffer.alloc((4 << 20) + 1, 'x'), /big\.txt was not opened: it has 4194305 bytes/],
  ]) {
    await page.locator('#file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
    await page.waitForFunction((name) => document.getElementById('state').textContent.startsWith(name), name);
    assert.match(await page.locator('#state').textContent(), why);
    assert.equal(await page.locator('#answer').textContent(), '[EMAIL_1]');
    assert.equal(await page.locator('#text').inputValue(), 'ana@example.org');
  }
  // The same file twice: the second time counts as well.
  const same = { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('from 10.0.0.1') };
  for (let round = 0; round < 2; round++) {
    await page.locator('#file').setInputFiles(same);
    await shown(page, 'from [IP_ADDRESS_1]');
    await page.locator('#clear').click();
    await shown(page, '');
  }
  const folder = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['{"to": "ana@example.org", "id": 12345678901234567890}'], 'b.json'));
    return data;
  });
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: folder });
  await page.waitForFunction(() => document.getElementById('answer').textContent.includes('[EMAIL_1]'));
  assert.match(await page.locator('#answer').textContent(), /12345678901234567890/, 'a number keeps its digits');
  assert.ok(await page.locator('#kind').isVisible());
  assert.notEqual(await page.locator('#times dd:nth-of-type(2)').first().textContent(), '0.0 ms', 'JSON has times as well');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('an answer that is not yet that of the text cannot be taken for it', async () => {
  const { page, context } = await open();
  await page.locator('#text').fill('ana@example.org');
  await shown(page, '[EMAIL_1]');
  const looks = () => page.evaluate(() => [document.getElementById('answer').getAttribute('aria-busy'), document.getElementById('copy').disabled]);
  assert.deepEqual(await looks(), ['false', false]);
  await page.locator('#text').fill('Ana Lima lives in Porto. '.repeat(2000));
  assert.deepEqual(await looks(), ['true', true]);
  await page.locator('#text').fill('');
  await shown(page, '');
  assert.deepEqual(await looks(), ['false', true]);
  await context.close();
});

test('a newer text wins over one that is being read', async () => {
  const { page, context } = await open();
  await page.locator('#text').fill('Ana Lima lives in Porto. '.repeat(2000));
  await page.waitForFunction(() => document.getElementById('state').textContent.startsWith('Reading'));
  await page.locator('#text').fill('ana@example.org');
  await shown(page, '[EMAIL_1]');
  await context.close();
});

for (const [name, settings] of [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { colorScheme: 'light', viewport: { width: 400, height: 860 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing: ${name}`, async () => {
    const { page, context, complaints } = await open(settings);
    await page.locator('#example').click();
    await page.waitForFunction(() => document.querySelectorAll('#answer mark').length > 8);
    await page.locator('#reply').fill('Dear given_name_1, your card [CREDIT_CARD_1] was refunded.');
    await page.waitForFunction(() => document.getElementById('restored').textContent.startsWith('Dear Ana'));
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate(() => axe.run());
    assert.ok(passes.length > 20, 'axe looked');
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`), []);
    const [width, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(width <= inner, `${width} pixels wide in a window of ${inner}`);
    if (shots) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('everything can be reached and used by keyboard', async () => {
  const { page, context } = await open();
  await page.locator('#text').focus();
  await page.keyboard.type('ana@example.org');
  await shown(page, '[EMAIL_1]');
  const reached = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    const [id, visible] = await page.evaluate(() => {
      const { id, value } = document.activeElement;
      const target = document.activeElement.matches('.chip input, #file') ? document.activeElement.parentElement : document.activeElement;
      return [id || value || '', getComputedStyle(document.activeElement).visibility === 'visible' && target.getClientRects().length > 0];
    });
    if (id) reached.add(id);
    assert.ok(visible, `focus is on something hidden: ${id}`);
    if (id === 'EMAIL') {
      await page.keyboard.press('Space');
      await shown(page, 'ana@example.org');
    }
  }
  for (const id of ['answer', 'reveal', 'copy', 'all', 'none', 'threshold', 'mode', 'reply', 'restored', 'GIVEN_NAME', 'SECRET', 'file', 'example', 'clear']) {
    assert.ok(reached.has(id) || ['copy'].includes(id), `${id} was not reached: ${[...reached]}`);
  }
  await context.close();
});

test('the page works without its server, and never asks another one', async () => {
  const own = await files(`${npm}demo`);
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  const hosts = new Set();
  context.on('request', (request) => hosts.add(new URL(request.url()).host));
  await page.goto(`${own.url}/`);
  await settled(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await own.close();
  await assert.rejects(fetch(own.url), 'the server is gone');
  for (const path of ['/', '/index.html', '/?source=pwa']) {
    await page.goto(own.url + path);
    await settled(page);
    await page.locator('#text').fill('I am Ana Lima, ana@example.org');
    await shown(page, 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]');
  }
  assert.deepEqual([...hosts], [new URL(own.url).host]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('typing leaves the page free', async () => {
  const { page, context } = await open();
  const text = 'Please ring Ana Lima back on +351 912 345 678, Rua Augusta 12, Lisboa';
  await page.locator('#text').focus();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
  };
  const before = await busy();
  // Slower than the pause after which a text is read: each key is redacted and drawn.
  await page.keyboard.type(text, { delay: 150 });
  await page.waitForFunction(() => document.querySelectorAll('#answer mark').length > 3);
  const each = (await busy() - before) / text.length;
  console.log(`main thread of the page: ${each.toFixed(1)} ms a key, layout and drawing included`);
  // Processor time, not the clock's: a busy machine does not change it much.
  assert.ok(each > 0 && each <= 16, `${each} ms`);
  assert.ok(page.workers().length > 0, 'the model is in workers');
  await context.close();
});
