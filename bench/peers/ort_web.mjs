// onnxruntime-web's pass over a model, one thread, in turns: `ort_web.mjs PATH/onnxruntime-web MODEL.onnx`.
//
// Each line of standard input is `TOKENS RUNS ID,ID,…`; the answer is a line of JSON, {"ms": [one a run]}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [, , modules, model] = process.argv;
const ort = createRequire(`${modules}/package.json`)("onnxruntime-web");
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(model), { executionProviders: ["wasm"] });

for await (const line of createInterface({ input: process.stdin })) {
  const [tokens, runs, list] = line.split(" ");
  const ids = list.split(",").map(BigInt);
  const shape = [1, Number(tokens)];
  const tensor = (values) => new ort.Tensor("int64", BigInt64Array.from(values), shape);
  const all = {
    input_ids: tensor(ids),
    attention_mask: tensor(ids.map(() => 1n)),
    token_type_ids: tensor(ids.map(() => 0n)),
  };
  const feeds = Object.fromEntries(session.inputNames.map((name) => [name, all[name]]));
  const ms = [];
  for (let run = 0; run < Number(runs); run++) {
    const start = performance.now();
    await session.run(feeds);
    ms.push(performance.now() - start);
  }
  console.log(JSON.stringify({ ms }));
}
