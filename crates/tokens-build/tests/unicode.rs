//! The committed classes are those of the crates that the reference asks, for every code point.

mod classes;

#[test]
fn classes_are_the_references() {
    let committed = include_bytes!("../src/classes.bin");
    let file = classes::file();
    assert_eq!(
        committed.len(),
        file.len(),
        "write classes.bin again: cargo run -p lacuna-tokens-build --example classes"
    );
    let differ = committed.iter().zip(&file).position(|(a, b)| a != b);
    assert_eq!(differ, None, "write classes.bin again: cargo run -p lacuna-tokens-build --example classes");
}
