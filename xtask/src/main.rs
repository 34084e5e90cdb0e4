//! Tasks of this workspace.
#![forbid(unsafe_code)]

fn main() {}
