// What a caller asks of a language model, as the module's JSON.

import { wellFormed } from '../answer.js';
import { checkObject, checkWatch, isPlain, refuse } from '../check.js';

/** Of the module, in JavaScript's spelling. */
const OPTIONS = [
  'maxTokens', 'temperature', 'topK', 'topP', 'minP', 'repetitionPenalty', 'presencePenalty', 'frequencyPenalty',
  'penaltyWindow', 'seed', 'logprobs', 'special', 'ignoreEnd', 'digest', 'stop', 'logitBias',
];
/** Of the call alone. */
const HERE = ['raw', 'signal', 'onText', 'onToken', 'onProgress'];

/** The module's JSON of one call. Ranges are the module's to check. */
export function requestJson(input, options = {}) {
  checkObject(options, 'generate', [...OPTIONS, ...HERE]);
  checkWatch(options);
  for (const name of ['onText', 'onToken']) {
    if (options[name] !== undefined && typeof options[name] !== 'function') throw refuse(name, 'a function', options[name]);
  }
  const request = inputOf(input, options.raw);
  for (const name of OPTIONS) {
    if (options[name] !== undefined) request[snake(name)] = optionOf(name, options[name]);
  }
  return JSON.stringify(request);
}

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function inputOf(input, raw) {
  if (raw !== undefined && typeof raw !== 'boolean') throw refuse('raw', 'true or false', raw);
  if (typeof input === 'string') {
    return raw ? { prompt: wellFormed(input) } : { messages: [{ role: 'user', content: wellFormed(input) }] };
  }
  if (!Array.isArray(input) || input.length === 0) throw refuse('input', 'a string, or a list of messages or tokens', input);
  if (input.every((id) => typeof id === 'number')) return { ids: input };
  const messages = input.map((message, at) => {
    if (!isPlain(message)) throw refuse(`messages[${at}]`, 'an object of role and content', message);
    checkObject(message, `messages[${at}]`, ['role', 'content']);
    for (const name of ['role', 'content']) {
      if (typeof message[name] !== 'string') throw refuse(`messages[${at}].${name}`, 'a string', message[name]);
    }
    return { role: wellFormed(message.role), content: wellFormed(message.content) };
  });
  return { messages };
}

function optionOf(name, value) {
  if (name === 'stop') {
    const texts = typeof value === 'string' ? [value] : value;
    if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string')) throw refuse(name, 'a string or a list of strings', value);
    return texts.map(wellFormed);
  }
  if (name === 'logitBias') {
    if (!isPlain(value)) throw refuse(name, 'an object of token to number', value);
    return Object.entries(value).map(([id, bias]) => {
      if (typeof bias !== 'number' || Number.isNaN(bias)) throw refuse(`${name}.${id}`, 'a number', bias);
      return [id, bias === -Infinity ? '-inf' : bias];
    });
  }
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw refuse(name, 'a finite number', value);
  if (typeof value !== 'number' && typeof value !== 'boolean') throw refuse(name, 'a number or a flag', value);
  return value;
}
