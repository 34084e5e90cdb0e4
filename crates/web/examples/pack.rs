//! Lays a converted model out for the browser: `pack MODEL.gguf OUT.gguf`. Prints the SHA-256 of both and
//! the size of the result.

use std::fs;
use std::path::Path;

use lacuna_web::session::SOURCE_SHA256;
use sha2::{Digest, Sha256};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        eprintln!("usage: pack MODEL.gguf OUT.gguf");
        std::process::exit(2);
    };
    let file = fs::read(from).unwrap_or_else(|e| fail(from, &e));
    let name = Path::new(from).file_stem().unwrap_or_default().to_string_lossy();
    let source = digest(&file);
    let keys = [("general.name", name.as_ref()), (SOURCE_SHA256, source.as_str())];
    let packed = lacuna::pack(&file, "wasm32", &keys).unwrap_or_else(|e| fail(from, &e));
    fs::write(to, &packed).unwrap_or_else(|e| fail(to, &e));
    println!("{source} {} {}", digest(&packed), packed.len());
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn fail(path: &str, why: &dyn std::fmt::Display) -> ! {
    eprintln!("pack: {path}: {why}");
    std::process::exit(1);
}
