// Prints the digests of all logits and answers of one build, or of the last LONGER answers only:
// `node digest.js simd128|relaxed [LONGER]`. A browser runs the same functions.
import { Redactor } from '../index.js';

/** SHA-256 over the logits' bits, text by text. */
export async function logitsDigest(rows) {
  const total = rows.reduce((sum, row) => sum + row.length, 0);
  const all = new Float32Array(total);
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return hex(await crypto.subtle.digest('SHA-256', all));
}

/** SHA-256 over redacted texts and items, as JSON. */
export async function answersDigest(answers) {
  const text = JSON.stringify(answers.map(({ redactedText, items }) => [redactedText, items]));
  return hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Both digests of a redactor. */
export async function digests(redactor, texts, longer) {
  return {
    build: redactor.version.build,
    logits: await logitsDigest(texts.map((text) => redactor.logits(text).logits)),
    answers: await answersDigest(longer.map((text) => redactor.redact(text))),
  };
}

if (typeof process === 'object' && process.argv[1]?.endsWith('digest.js')) {
  const { texts, devTexts } = await import('./support.js');
  const redactor = await Redactor.load({ build: process.argv[2] });
  const longer = devTexts.slice(-Number(process.argv[3] ?? devTexts.length));
  console.log(JSON.stringify(await digests(redactor, texts, longer)));
}
