// What a first visitor waits for once the bytes are there; runs in a page.
import { Redactor } from '../../index.js';
import { relaxedSimd } from '../../src/features.js';

/** Milliseconds from the bytes of module and model to the first redaction, several times, and the bytes of both. */
export async function firstRedactions(rounds) {
  const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
  const build = relaxedSimd() ? 'relaxed' : 'simd128';
  const wasm = await bytesOf(build === 'relaxed' ? '/dist/lacuna-relaxed.wasm' : '/dist/lacuna.wasm');
  const model = await bytesOf('/dist/rampart-q4_0.gguf');
  const times = [];
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    const fresh = unlike(wasm, round);
    const begin = performance.now();
    const redactor = await Redactor.load({ model, build, modules: { [build]: await WebAssembly.compile(fresh) } });
    const { redactedText } = redactor.redact('I am Ana Lima, ana@example.org');
    times.push(performance.now() - begin);
    if (redactedText !== 'I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]') throw new Error(redactedText);
    memory = redactor.memoryBytes;
    redactor.dispose();
  }
  return { times, memory, model: model.length };
}

/** The same module with another custom section: engines keep what they have compiled, by its bytes. */
function unlike(wasm, round) {
  const section = [0, 3, 1, 'x'.charCodeAt(0), round];
  const bytes = new Uint8Array(wasm.length + section.length);
  bytes.set(wasm);
  bytes.set(section, wasm.length);
  return bytes;
}
