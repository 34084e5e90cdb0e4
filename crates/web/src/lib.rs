//! The module behind the npm package `lacuna-redact`: one instance holds one model.
//!
//! A port, so it translates and nothing else: [`session`] turns bytes into answers and runs anywhere, `abi` is the
//! module's exports. The loader is JavaScript and lies in npm/.
//!
//! What is absent: every import but a clock. An instance can compute and answer, and has no way to send or store.
#![deny(unsafe_code)]
// Errors are rare, and answer a request as a whole.
#![allow(clippy::result_large_err)]

#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod abi;
#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod memory;
pub mod session;
