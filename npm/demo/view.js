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

/**
 * Shows a text in which the keys of `map` are placeholders; `reveal` shows the values in their places. Nodes that show
 * what they did before stay: of a long text, one key changes few.
 */
export function showMarked(target, text, map, reveal) {
  const wanted = pieces(text, map, reveal);
  const had = shown.get(target) ?? [];
  const same = (a, b) => a.text === b.text && a.label === b.label;
  let front = 0;
  while (front < wanted.length && front < had.length && same(wanted[front], had[front])) front += 1;
  let back = 0;
  const most = Math.min(wanted.length, had.length) - front;
  while (back < most && same(wanted.at(-1 - back), had.at(-1 - back))) back += 1;
  for (const { node } of had.slice(front, had.length - back)) node.remove();
  const fresh = wanted.slice(front, wanted.length - back);
  for (const piece of fresh) piece.node = drawn(piece);
  const next = back > 0 ? had.at(-back).node : null;
  const parts = document.createDocumentFragment();
  parts.append(...fresh.map(({ node }) => node));
  target.insertBefore(parts, next);
  shown.set(target, [...had.slice(0, front), ...fresh, ...had.slice(had.length - back)]);
}

/** Target to its pieces, `{text, label, node}`. */
const shown = new WeakMap();

function pieces(text, map, reveal) {
  const out = [];
  // Lines apart, so that what changes is small.
  const plain = (text) => out.push(...(text.match(/[^\n]*\n|[^\n]+/g) ?? []).map((text) => ({ text })));
  let done = 0;
  let marks = 0;
  for (const { 0: placeholder, 1: label, index } of text.matchAll(/\[([A-Z][A-Z0-9_]*)_\d+\]/g)) {
    if (!Object.hasOwn(map, placeholder) || marks++ >= MOST_MARKS) continue;
    plain(text.slice(done, index));
    out.push({ text: reveal ? map[placeholder] : placeholder, label });
    done = index + placeholder.length;
  }
  plain(text.slice(done));
  return out;
}

function drawn({ text, label }) {
  if (label === undefined) return document.createTextNode(text);
  return hued(element('mark', { textContent: text, title: spoken(label) }), label);
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
