//! Token ids to logits: encoder and decoder.
#![forbid(unsafe_code)]

pub mod decoder;
