// What the page shows. Text goes in as text, never as markup.

import { HUES, spoken } from './labels.js';

const byId = (id) => document.getElementById(id);

/** More marks than this are not drawn: the page would stall where the text is a whole book. */
const MOST_MARKS = 4000;

function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

function hued(node, label) {
  node.style.setProperty('--hue', HUES.get(label) ?? 90);
  return node;
}

/** Shows a text in which the keys of `map` are placeholders; `reveal` shows the values in their places. */
export function showMarked(target, text, map, reveal) {
  const parts = document.createDocumentFragment();
  let done = 0;
  let marks = 0;
  for (const { 0: placeholder, 1: label, index } of text.matchAll(/\[([A-Z][A-Z0-9_]*)_\d+\]/g)) {
    if (!Object.hasOwn(map, placeholder) || marks++ >= MOST_MARKS) continue;
    const mark = hued(element('mark', { textContent: reveal ? map[placeholder] : placeholder, title: spoken(label) }), label);
    parts.append(text.slice(done, index), mark);
    done = index + placeholder.length;
  }
  parts.append(text.slice(done));
  target.replaceChildren(parts);
}

/** One chip a label; `onChange` runs when one is switched. */
export function makeChips(onChange) {
  for (const label of HUES.keys()) {
    const input = element('input', { type: 'checkbox', value: label, checked: label !== 'DATE_OF_BIRTH' });
    input.addEventListener('change', onChange);
    byId('labels').append(hued(element('label', { className: 'chip' }, input, element('span', {}, spoken(label), element('b'))), label));
  }
}

export const chips = () => Array.from(byId('labels').querySelectorAll('input'));

/** How often each label was found, on its chip. */
export function showCounts(map) {
  const counts = new Map();
  for (const placeholder of Object.keys(map)) {
    const label = placeholder.slice(1, placeholder.lastIndexOf('_'));
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  for (const chip of chips()) chip.nextElementSibling.querySelector('b').textContent = counts.get(chip.value) ?? '';
  return counts;
}

const PHASES = [
  ['detect', 'Rules, spans'], ['encode', 'Tokens'], ['matmul', 'Matrix products'], ['attention', 'Attention'], ['other', 'Other layers'],
];

/** A bar a phase. */
export function showTimes(timings) {
  const longest = Math.max(...PHASES.map(([name]) => timings[name]), 0.001);
  byId('times').replaceChildren(...PHASES.flatMap(([name, title]) => {
    const bar = element('i');
    bar.style.setProperty('--share', `${(100 * timings[name]) / longest}%`);
    const track = element('dd', { className: 'track' }, bar);
    track.setAttribute('aria-hidden', 'true');
    return [element('dt', { textContent: title }), track, element('dd', { textContent: `${timings[name].toFixed(1)} ms` })];
  }));
}
