// What tests of text generation share, in Node and in pages.
import { LanguageModel } from '../complete.js';

/** A long text of the tiny model that depends on every option. */
export const CALLS = [
  ['Hello there', { maxTokens: 60, ignoreEnd: true }],
  ['Hello there', { maxTokens: 30, ignoreEnd: true, temperature: 0.8, topK: 40, topP: 0.95, minP: 0.01, seed: '18446744073709551615' }],
  ['Once upon a time, '.repeat(8), { maxTokens: 20, ignoreEnd: true, raw: true, repetitionPenalty: 1.25, presencePenalty: 0.5, frequencyPenalty: 0.25, penaltyWindow: 16 }],
  ['Hello there', { maxTokens: 8, ignoreEnd: true, logitBias: { 192: -Infinity, 23: 2.5 }, logprobs: 2 }],
];

/** The results of `CALLS`, without their times; texts are checked against what was streamed. */
export async function results(model) {
  const all = [];
  for (const [input, options] of CALLS) {
    const heard = [];
    const { seed, ...rest } = options;
    const generation = model.generate(input, { ...rest, ...(seed && { seed: BigInt(seed) }), digest: true, onText: (text) => heard.push(text) });
    const streamed = [];
    for await (const text of generation) streamed.push(text);
    const { text, ids, end, promptTokens, digest } = await generation.result;
    if (heard.join('') !== text || streamed.join('') !== text) throw new Error(`streamed ${heard} and ${streamed}, not ${text}`);
    all.push({ text, ids, end, promptTokens, digest });
  }
  return all;
}

/** How a load or a text ended, in words. */
export const outcome = (promise) => promise.then(() => 'fine', ({ name, code, message, got }) => ({ name, code, message, got }));

export { LanguageModel };
