// The demo: everything is redacted in a worker while one types.

import { RedactorPool } from './lacuna-redact/index.js';
import { redactJson } from './lacuna-redact/middleware.js';
import { isJson } from './lacuna-redact/src/json.js';
import { spoken } from './labels.js';
import { chips, makeChips, showCounts, showMarked, showTimes } from './view.js';

const byId = (id) => document.getElementById(id);

/** Milliseconds without a key before the text is read. */
const PAUSE = 120;
/** Bytes of a file. */
const MOST_BYTES = 4 << 20;

const EXAMPLE = `Hi team,

Ana Lima called again about her order. Please ring her back on +351 912 345 678 or write to ana.lima@example.org. She lives at 12 Rua Augusta, 1100-053 Lisboa.

She paid with 4111 1111 1111 1111; the refund should go to DE89 3704 0044 0532 0130 00. Her colleague Ben Carter logged in from 203.0.113.42 with the token ghp_16C7e42F292c6912E7710c838347Ae178B4a.

Thanks,
Miriam Okafor`;

const PHASES = ['detect', 'encode', 'matmul', 'attention', 'other'];
const NO_TIMES = { detect: 0, encode: 0, matmul: 0, attention: 0, other: 0 };

let pool;
let answer = { text: '', map: {} };
let waiting;
let running;

function options() {
  const labels = chips().filter(({ checked }) => checked).map(({ value }) => value);
  const percent = Number(byId('threshold').value);
  return { labels, mode: byId('mode').value, ...(percent > 0 && { threshold: percent / 100 }) };
}

/** Reads the text after a pause; what was being read before is cancelled. */
function soon() {
  clearTimeout(waiting);
  running?.abort();
  stale(true);
  waiting = setTimeout(now, PAUSE);
}

/** While the answer is not that of the text, it looks so and cannot be copied. */
function stale(is) {
  byId('answer').setAttribute('aria-busy', String(is));
  byId('copy').disabled = is || answer.text === '';
}

async function now() {
  if (!pool) return;
  running = new AbortController();
  const { signal } = running;
  const text = byId('text').value;
  const begin = performance.now();
  try {
    const json = isJson(text);
    const result = json ? await redactStrings(text, signal) : await redactText(text, signal);
    if (!signal.aborted) show(result, performance.now() - begin, json);
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}

async function redactText(text, signal) {
  const { redactedText, map, timings } = await pool.redact(text, { ...options(), map: 'plain' }, {
    signal,
    onProgress: ({ done, total }) => say(`Reading: ${done} of ${total} windows`),
  });
  return { text: redactedText, map, timings };
}

async function redactStrings(text, signal) {
  const timings = { ...NO_TIMES };
  let done = 0;
  const cancellable = {
    restore: pool.restore,
    async redact(text, more) {
      const answer = await pool.redact(text, more, { signal });
      for (const phase of PHASES) timings[phase] += answer.timings[phase];
      done += 1;
      if (done % 20 === 0) say(`Reading: ${done} strings`);
      return answer;
    },
  };
  return { ...await redactJson(cancellable, text, options()), timings };
}

function show(result, milliseconds, isJson) {
  answer = result;
  byId('kind').hidden = !isJson;
  stale(false);
  draw();
  const counts = showCounts(result.map);
  showTimes(result.timings);
  byId('total').textContent = `${milliseconds.toFixed(0)} ms in all`;
  const parts = Array.from(counts, ([label, count]) => (count > 1 ? `${spoken(label)} × ${count}` : spoken(label)));
  byId('summary').textContent = parts.length > 0 ? `Taken out: ${parts.join(', ')}.` : 'Nothing was taken out.';
  say(ready());
  restore();
}

function draw() {
  showMarked(byId('answer'), answer.text, answer.map, byId('reveal').checked);
}

async function restore() {
  const reply = byId('reply').value;
  if (!pool) return;
  try {
    const { text } = await pool.restore(reply, answer.map);
    byId('restored').textContent = text;
    byId('copy-restored').disabled = text === '';
  } catch (error) {
    fail(error);
  }
}

const say = (text) => {
  byId('state').textContent = text;
};
const ready = () => `Ready, ${pool.version.build === 'relaxed' ? 'relaxed SIMD' : 'SIMD128'}`;

function fail(error) {
  say(`Failed: ${error.message}`);
  // Fail closed: an old answer beside a new text would look like its redaction.
  answer = { text: '', map: {} };
  stale(false);
  draw();
  byId('restored').textContent = '';
  byId('copy-restored').disabled = true;
}

async function copy(button, text) {
  const { textContent } = button;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => (button.textContent = textContent), 1200);
}

/** Takes a file's text. One that holds none leaves the page as it is. */
async function open(file) {
  if (!file) return;
  try {
    if (file.size > MOST_BYTES) throw new Error(`it has ${file.size} bytes, this page takes ${MOST_BYTES}`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    if (text.includes('\0')) throw new TypeError();
    byId('text').value = text;
    soon();
  } catch (error) {
    const why = error instanceof TypeError ? 'it is no text in UTF-8' : error.name === 'NotFoundError' ? 'it cannot be read' : error.message;
    say(`${file.name} was not opened: ${why}`);
  }
}

function listen() {
  makeChips(soon);
  showTimes(NO_TIMES);
  byId('text').addEventListener('input', soon);
  byId('reply').addEventListener('input', restore);
  byId('mode').addEventListener('change', soon);
  byId('threshold').addEventListener('input', () => {
    const percent = Number(byId('threshold').value);
    byId('threshold-value').textContent = percent > 0 ? `${percent} %` : 'as built in';
    soon();
  });
  byId('reveal').addEventListener('change', draw);
  byId('copy').addEventListener('click', ({ target }) => copy(target, answer.text));
  byId('copy-restored').addEventListener('click', ({ target }) => copy(target, byId('restored').textContent));
  for (const [id, checked] of [['all', true], ['none', false]]) {
    byId(id).addEventListener('click', () => {
      for (const chip of chips()) chip.checked = checked;
      soon();
    });
  }
  byId('clear').addEventListener('click', () => {
    byId('text').value = '';
    byId('text').focus();
    soon();
  });
  byId('example').addEventListener('click', () => {
    byId('text').value = EXAMPLE;
    soon();
  });
  byId('file').addEventListener('change', ({ target }) => {
    open(target.files[0]);
    target.value = ''; // so that the same file can be opened again
  });
  const drop = byId('drop');
  for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
    drop.addEventListener(name, (event) => {
      const hasFile = event.dataTransfer.types.includes('Files');
      if (hasFile) event.preventDefault();
      drop.classList.toggle('over', hasFile && (name === 'dragenter' || name === 'dragover'));
      if (hasFile && name === 'drop') open(event.dataTransfer.files[0]);
    });
  }
}

async function start() {
  listen();
  try {
    pool = await RedactorPool.load({
      onProgress: ({ loaded, total }) => {
        if (total) byId('loading').value = loaded / total;
      },
    });
  } catch (error) {
    return fail(error);
  } finally {
    byId('loading').hidden = true;
  }
  const { version, build, rulesVersion } = pool.version;
  byId('version').textContent = `Lacuna ${version} (${build}), rules ${rulesVersion}.`;
  say(ready());
  now();
  // Offline from here on, where the page may keep itself.
  navigator.serviceWorker?.register('sw.js').catch(() => {});
}

start();
