//! Writes `src/classes.bin` from the crates that the reference asks.

#[path = "../tests/classes/mod.rs"]
mod classes;

fn main() -> std::io::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/classes.bin");
    let bytes = classes::file();
    println!("{path}: {} bytes", bytes.len());
    std::fs::write(path, bytes)
}
