//! The lacuna command.
#![forbid(unsafe_code)]

fn main() {}
