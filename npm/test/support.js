// What several tests need.
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const npm = fileURLToPath(new URL('..', import.meta.url));
export const file = (path) => readFileSync(new URL(`../../${path}`, import.meta.url));

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** The 40 texts whose logits ONNX Runtime was asked for, those of one pass. */
export const texts = JSON.parse(file('testdata/eval/ort_texts.json'))
  .filter(({ truncated }) => !truncated)
  .map(({ text }) => text);

/** Every tenth development text, and one of several windows. */
export const devTexts = [
  ...file('testdata/eval/dev.jsonl').toString().trim().split('\n').filter((_, i) => i % 10 === 0).map((line) => JSON.parse(line).text),
  texts.slice(0, 20).join('\n'),
];

/** What the native command prints. */
export const command = async (args) => (await run(process.env.LACUNA_COMMAND ?? `${root}target/debug/lacuna`, args)).stdout;

/** A server on the loopback; `answer` is what it does. */
export async function serve(answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
