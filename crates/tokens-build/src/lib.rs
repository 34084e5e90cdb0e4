//! Compiles tokenizer.json or a GGUF vocabulary into a token table.
#![forbid(unsafe_code)]
