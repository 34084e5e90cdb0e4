//! Text to token ids and byte ranges, and back, from compiled tables.
//!
//! A table is made once by `lacuna-tokens-build` and read where it lies: loading checks a header. What comes out is
//! what the tokenizers crate gives for the same tokenizer file: the same ids and the same byte ranges of the original
//! text. `docs/tokens.md` describes the format byte by byte.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod added;
mod bpe;
mod changes;
mod characters;
mod compose;
mod decode;
mod encoding;
pub mod layout;
mod merge;
mod normalize;
mod precompiled;
mod pretokenize;
mod table;
mod tokenizer;
mod trie;
mod unigram;
mod wordpiece;

pub use decode::Stream;
pub use encoding::Encoding;
pub use merge::merge_slot;
pub use table::TableError;
pub use tokenizer::Tokenizer;
