//! Serves the component and runs wasip1 programs with production settings.

fn main() {}
