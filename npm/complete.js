// Text from small language models, in a worker. complete.d.ts documents every export.
export { LanguageModel } from './src/complete/model.js';
export { relaxedSimd, simd } from './src/features.js';
export { AnswerError, DisposedError, InputError, LacunaError, LoadError, OutOfMemoryError, TrapError } from './src/errors.js';
