//! Takes personal data out of text, with the same bits on every machine.
#![forbid(unsafe_code)]

#[cfg(feature = "complete")]
pub mod complete;
