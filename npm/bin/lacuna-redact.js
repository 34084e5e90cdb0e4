#!/usr/bin/env node
// npx lacuna-redact < file: the text with placeholders in place of personal data.

import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { InputError, LacunaError, Redactor } from '../index.js';

const HELP = `Usage: lacuna-redact [OPTIONS] [FILE]

Replaces personal data in FILE, or in standard input, by placeholders like [EMAIL_1]. Nothing leaves this machine.

  --json               answer with JSON: the items with their positions beside the text
  --lines              one line after another, as they come (logs)
  --labels A,B         redact only these labels
  --keep A,B           leave these labels in the text
  --threshold N        leave what is less sure than N (0 to 1)
  --mode full|rules    rules and model, or rules alone
  --map FILE           write the map of placeholders to values, which holds the personal data
  --restore FILE       put the values of a map back into the text
  --model FILE         another model file
  -h, --help           this text
  --version            version, build and model

Exit codes: 0 done, 1 failed, 2 wrong arguments.
`;

const FLAGS = {
  json: { type: 'boolean' },
  lines: { type: 'boolean' },
  labels: { type: 'string' },
  keep: { type: 'string' },
  threshold: { type: 'string' },
  mode: { type: 'string' },
  map: { type: 'string' },
  restore: { type: 'string' },
  model: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
};

class Usage extends Error {}

function parsed() {
  try {
    const { values, positionals } = parseArgs({ options: FLAGS, allowPositionals: true });
    if (positionals.length > 1) throw new Error(`one FILE at most, got ${positionals.length}`);
    const given = (names) => names.filter((name) => values[name] !== undefined).map((name) => `--${name}`);
    const options = ['json', 'labels', 'keep', 'threshold', 'mode', 'map'];
    if (values.lines && given(['json', 'map']).length > 0) throw new Error(`--lines does not go with ${given(['json', 'map'])}`);
    const beside = given([...options, 'lines']);
    if (values.restore !== undefined && beside.length > 0) throw new Error(`--restore does not go with ${beside.join(', ')}`);
    return { flags: values, file: positionals[0] };
  } catch (error) {
    throw new Usage(error.message);
  }
}

function redactOptions({ labels, keep, threshold, mode, map }) {
  const options = {};
  const names = (list) => list.split(',').map((name) => name.trim());
  if (labels !== undefined) options.labels = names(labels);
  if (keep !== undefined) options.keep = names(keep);
  if (threshold !== undefined) options.threshold = threshold.trim() === '' ? NaN : Number(threshold);
  if (Number.isNaN(options.threshold)) throw new Usage(`--threshold: ${JSON.stringify(threshold)} is no number`);
  if (mode !== undefined) options.mode = mode;
  if (map !== undefined) options.map = 'plain';
  return options;
}

async function input(file) {
  const bytes = file === undefined ? await everything(process.stdin) : await readFile(file);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${file ?? 'standard input'}: not UTF-8; convert it first, e.g. with iconv`);
  }
}

async function everything(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/** The map of `--restore`. Why it is no JSON is not said: the engine's words would quote values. */
async function mapOf(file) {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file}: holds no JSON; --map writes such a file`);
  }
}

async function print(text) {
  await new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

async function lines(redactor, options, file) {
  const [{ Duplex }, { pipeline }, { createReadStream }, { redactLines }] = await Promise.all([
    import('node:stream'), import('node:stream/promises'), import('node:fs'), import('../index.js'),
  ]);
  const from = file === undefined ? process.stdin : createReadStream(file);
  await pipeline(from, Duplex.fromWeb(redactLines(redactor, options)), process.stdout, { end: false });
}

async function main() {
  const { flags, file } = parsed();
  if (flags.help) return print(HELP);
  const options = redactOptions(flags);
  // A path, whatever signs are in it.
  const redactor = await Redactor.load(flags.model === undefined ? {} : { model: pathToFileURL(resolve(flags.model)) });
  if (flags.version) return print(`${JSON.stringify(redactor.version)}\n`);
  if (flags.lines) return lines(redactor, options, file);
  if (flags.restore !== undefined) {
    const { text, unknown } = redactor.restore(await input(file), await mapOf(flags.restore));
    for (const name of unknown) process.stderr.write(`lacuna-redact: ${name} is not in the map and was left as it is\n`);
    return print(text);
  }
  const answer = redactor.redact(await input(file), options);
  if (flags.map !== undefined) await writeFile(flags.map, `${JSON.stringify(answer.map, null, 2)}\n`, { mode: 0o600 });
  // The map goes to its file alone.
  await print(flags.json ? `${JSON.stringify({ ...answer, map: undefined })}\n` : answer.redactedText);
}

/** An error in one line, in the words of the command where the package's are for programs. */
function told(error) {
  if (error.code === 'text_too_large') return `the text has ${error.got} UTF-16 units, the limit is ${error.limit}; --lines reads line by line`;
  return error instanceof LacunaError || error.message ? error.message : error;
}

try {
  await main();
} catch (error) {
  // A reader that went away (`| head`) is no failure of ours.
  if (error.code !== 'EPIPE') {
    process.stderr.write(`lacuna-redact: ${told(error)}\n`);
    process.exitCode = error instanceof Usage || error instanceof InputError ? 2 : 1;
  }
}
