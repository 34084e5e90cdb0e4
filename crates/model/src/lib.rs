//! Token ids to logits: encoder and decoder.
//!
//! A model borrows its weights from the bytes of a GGUF file and knows no text. Arithmetic is `kernels`' alone.
#![forbid(unsafe_code)]

pub mod decoder;
mod encoder;
mod error;
mod phases;

pub use encoder::{Config, Encoder, Padding, Scheme, Workspace, packed_gguf};
pub use error::Error;
pub use phases::Phases;
