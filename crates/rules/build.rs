//! Compiles `data/` into the tables that `src/tables.rs` includes.

use std::{env, fs, path::Path};

fn main() {
    let read = |name: &str| {
        println!("cargo::rerun-if-changed={name}");
        fs::read_to_string(name).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let (shapes, words) = (read("data/shapes.txt"), read("data/words.txt"));
    let source = rules_build::compile(&shapes, &words).unwrap_or_else(|e| panic!("{e}"));
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("tables.rs"), source).expect("OUT_DIR is writable");
}
