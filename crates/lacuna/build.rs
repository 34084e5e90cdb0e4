//! Lays out the embedded model and its tokenizer as the library reads them in place.

use std::path::Path;
use std::{env, fs};

use sha2::{Digest, Sha256};

fn main() {
    if env::var_os("CARGO_FEATURE_RAMPART").is_none() {
        return;
    }
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let source = Path::new(&root).join("../../models/rampart/rampart-q4_0.gguf");
    println!("cargo:rerun-if-changed={}", source.display());
    println!("cargo:rerun-if-changed=build.rs");
    let bytes = fs::read(&source).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
    let file = weights::Gguf::parse(&bytes).expect("the committed model is whole");
    let tokenizer = file.str("tokenizer.huggingface.json").expect("the committed model has its tokenizer");
    let table = tokens_build::from_tokenizer_json(tokenizer.as_bytes()).expect("the tokenizer compiles");
    let arch = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
    let packed = model::packed_gguf(&file, &arch).expect("the model packs");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("model.gguf"), packed).expect("OUT_DIR is writable");
    fs::write(Path::new(&out).join("tokenizer.table"), table).expect("OUT_DIR is writable");
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo:rustc-env=LACUNA_MODEL_SHA256={digest}");
}
