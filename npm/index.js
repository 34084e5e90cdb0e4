// Takes personal data out of text, where the text is. README.md shows how; index.d.ts documents every export.
export { Redactor } from './src/redactor.js';
export { RedactorPool } from './src/pool.js';
export { redactLines } from './src/lines.js';
export { relaxedSimd, simd } from './src/features.js';
export { AnswerError, DisposedError, InputError, LacunaError, LoadError, OutOfMemoryError, TrapError } from './src/errors.js';
