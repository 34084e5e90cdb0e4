// Runs a wasip1 program in Node: `wasi.mjs FILE.wasm [ARGS]…`, standard streams inherited.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [, , file, ...args] = process.argv;
const wasi = new WASI({ version: "preview1", args: [file, ...args], env: {} });
const module = await WebAssembly.compile(readFileSync(file));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exit(wasi.start(instance));
