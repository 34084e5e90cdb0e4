//! The modules behind the npm package `lacuna-redact`, a feature each: `redact` takes personal data out of text,
//! `complete` writes text with a language model. One instance holds one model.
//!
//! A port, so it translates and nothing else: [`session`] and [`engine`] turn bytes into answers and run anywhere, `abi`
//! is the modules' exports. The loader is JavaScript and lies in npm/.
//!
//! What is absent: every import but a clock. An instance can compute and answer, and has no way to send or store.
#![deny(unsafe_code)]
// Errors are rare, and answer a request as a whole.
#![allow(clippy::result_large_err)]

#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod abi;
#[cfg(feature = "complete")]
pub mod engine;
#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod memory;
#[cfg(feature = "complete")]
mod request;
#[cfg(feature = "redact")]
pub mod session;

/// Which of the two builds this is: same bits, other instructions.
pub const BUILD: &str = if cfg!(target_feature = "relaxed-simd") { "relaxed" } else { "simd128" };
