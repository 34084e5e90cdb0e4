//! Compiles `tokenizer.json` or a GGUF vocabulary into a token table.
//!
//! Runs in build scripts and, for vocabularies that arrive at run time, in WebAssembly.
#![forbid(unsafe_code)]

mod bert;
mod classes;
mod composition;
mod error;
mod gguf;
mod json;
mod precompiled;
mod trie;
mod twostage;
mod vocabulary;
mod writer;

pub use error::Error;
pub use gguf::{GgufVocabulary, from_gguf_vocabulary};
pub use json::from_tokenizer_json;
#[doc(hidden)]
pub use twostage::compress;
