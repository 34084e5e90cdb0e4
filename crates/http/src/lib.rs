//! The wasi:http component: one file with the model inside.
//!
//! A port, so it translates and nothing else: [`routes`] turns a request into an answer and runs anywhere,
//! `wasi` moves the bytes. All JSON comes from `lacuna::json`.
//!
//! What is absent: outbound requests, files, environment, state between requests, and any log of the text.
#![deny(unsafe_code)]

pub mod routes;

#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod export;
#[cfg(target_family = "wasm")]
mod wasi;
