//! Text to token ids and byte ranges, and back, from compiled tables.
#![forbid(unsafe_code)]
