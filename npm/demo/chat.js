// The chat: a model in a worker, text as it comes.

import { LanguageModel } from './lacuna-redact/complete.js';

const byId = (id) => document.getElementById(id);

let model;
let loading; // its AbortController
let writing; // the text under way
let turns = []; // {role, content}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
const say = (text) => (byId('state').textContent = text);

/** What can be pressed now. */
function enable() {
  const idle = Boolean(model) && !writing && !loading;
  byId('say').disabled = !model || Boolean(loading);
  byId('send').disabled = !idle;
  byId('stop').disabled = !writing;
  byId('clear').disabled = !idle || turns.length === 0;
  byId('load').disabled = Boolean(loading) || Boolean(writing);
  byId('file').disabled = byId('load').disabled;
  byId('cancel').hidden = !loading;
  byId('loading').hidden = !loading;
}

/** Loads a model in place of the one before: two would not always fit. */
async function load(source, name) {
  if (loading || writing) return;
  model?.dispose();
  model = undefined;
  loading = new AbortController();
  clear();
  enable();
  say('Loading');
  byId('loading').removeAttribute('value');
  const begin = performance.now();
  let bytes = 0;
  try {
    model = await LanguageModel.load(source, {
      signal: loading.signal,
      onProgress({ loaded, total }) {
        bytes = loaded;
        if (total) byId('loading').value = loaded / total;
        say(total ? `${megabytes(loaded)} of ${megabytes(total)}` : megabytes(loaded));
      },
    });
    const { architecture, build, context, name: called, version } = model.info;
    say('Ready');
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    byId('about').textContent = `${called ?? name} (${architecture}): ${megabytes(bytes)} in ${seconds} s, a context of ${context} tokens, ${megabytes(await model.memoryBytes())} of memory.`;
    byId('version').textContent = `Lacuna ${version} (${build === 'relaxed' ? 'relaxed SIMD' : 'SIMD128'}).`;
    byId('empty').textContent = 'Ask it something.';
  } catch (error) {
    say('None yet');
    byId('about').textContent = error.name === 'AbortError' ? 'Loading was cancelled.' : `Not loaded: ${error.message}`;
  } finally {
    loading = undefined;
    enable();
    if (model) byId('say').focus();
  }
}

/** Shows a turn; text goes in as text, never as markup. */
function turn(role, text = '') {
  byId('empty').hidden = true;
  const node = document.createElement('div');
  node.className = `turn ${role}`;
  const who = document.createElement('p');
  who.className = 'who';
  who.textContent = role === 'user' ? 'You' : 'Model';
  const said = document.createElement('div');
  said.className = 'said';
  said.textContent = text;
  node.append(who, said);
  byId('talk').append(node);
  follow(true);
  return said;
}

/** Keeps the end in sight, unless somebody reads further up. */
function follow(always) {
  const talk = byId('talk');
  if (always || talk.scrollHeight - talk.scrollTop - talk.clientHeight < 60) talk.scrollTop = talk.scrollHeight;
}

function settings() {
  const number = (id) => Number(byId(id).value);
  return { temperature: number('temperature'), seed: number('seed'), maxTokens: number('tokens') };
}

async function ask() {
  const text = byId('say').value.trim();
  if (!model || writing || text === '') return;
  byId('say').value = '';
  turns.push({ role: 'user', content: text });
  turn('user', text);
  const said = turn('assistant');
  said.setAttribute('aria-busy', 'true');
  const system = byId('system').value.trim();
  const told = system ? [{ role: 'system', content: system }] : [];
  byId('rate').textContent = 'Reading';
  try {
    writing = model.generate([...told, ...turns], {
      ...settings(),
      onProgress: ({ done, total }) => (byId('rate').textContent = `Reading: ${done} of ${total} tokens`),
    });
    enable();
    for await (const piece of writing) {
      said.append(piece);
      follow();
    }
    finished(await writing.result);
  } catch (error) {
    const why = error.code === 'prompt_too_long' ? `${error.message}. “New” begins another conversation.` : error.message;
    said.append(said.textContent ? `\n[${why}]` : why);
    said.classList.add('failed');
    byId('rate').textContent = '';
    // A turn without an answer would be read again each time.
    turns.pop();
  } finally {
    said.setAttribute('aria-busy', 'false');
    writing = undefined;
    enable();
    byId('say').focus();
  }
}

const ENDS = { stopped: ', stopped', length: ', as long as allowed', context: ', the context is full' };

function finished({ text, tokens, rate, promptRate, promptTokens, cachedTokens, end }) {
  turns.push({ role: 'assistant', content: text });
  const read = promptTokens - cachedTokens;
  const reading = read > 8 ? `read ${promptRate.toFixed(0)}/s, ` : '';
  byId('rate').textContent = `${tokens} tokens${ENDS[end] ?? ''}: ${reading}wrote ${rate.toFixed(rate < 10 ? 1 : 0)} tokens/s`;
}

function clear() {
  turns = [];
  byId('talk').querySelectorAll('.turn').forEach((node) => node.remove());
  byId('empty').hidden = false;
  byId('rate').textContent = '';
  enable();
}

byId('open').addEventListener('submit', (event) => {
  event.preventDefault();
  const url = byId('url').value.trim();
  if (url) load(url, url.split('/').pop());
  else byId('url').focus();
});
byId('file').addEventListener('change', ({ target }) => {
  const [file] = target.files;
  if (file) load(file, file.name);
  target.value = ''; // so that the same file can be opened again
});
byId('cancel').addEventListener('click', () => loading?.abort());
byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
byId('say').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  ask();
});
byId('stop').addEventListener('click', () => writing?.stop());
document.addEventListener('keydown', (event) => event.key === 'Escape' && writing?.stop());
byId('clear').addEventListener('click', () => {
  clear();
  byId('say').focus();
});
byId('temperature').addEventListener('input', ({ target }) => {
  byId('temperature-value').textContent = Number(target.value) === 0 ? '0, the most likely text' : target.value;
});
enable();
