//! The tokenizers crate beside ours, text by text. The comparison itself is shared with `verify`.
#![allow(dead_code)] // Each test file uses its part.

#[path = "../../../../verify/src/tokcheck/pair.rs"]
pub mod pair;
#[path = "../../../../verify/src/tokcheck/texts.rs"]
pub mod texts;

pub mod files;

use tokens::Encoding;

pub use pair::Pair;

pub fn root(path: &str) -> String {
    format!("{}/../../testdata/{path}", env!("CARGO_MANIFEST_DIR"))
}

pub fn read(path: &str) -> Vec<u8> {
    let path = root(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub fn pair(json: &[u8]) -> Pair {
    Pair::from_json(json).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares all texts and panics with the first ten differences.
pub fn check(pair: &Pair, texts: impl Iterator<Item = String>) {
    let ours = pair.ours().unwrap();
    let mut encoding = Encoding::new();
    let (mut count, mut tokens) = (0, 0);
    let mut differences = Vec::new();
    for text in texts {
        count += 1;
        match pair.compare(&ours, &text, &mut encoding) {
            Ok(found) => tokens += found,
            Err(difference) => differences.push(difference),
        }
    }
    let first = differences[..differences.len().min(10)].join("\n");
    assert!(differences.is_empty(), "{} of {count} texts differ:\n{first}", differences.len());
    assert!(count > 0 && tokens > 0);
}

/// Texts of the evaluation set.
pub fn dev_texts() -> Vec<String> {
    let file = String::from_utf8(read("eval/dev.jsonl")).unwrap();
    let texts: Vec<String> = file
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_string()
        })
        .collect();
    assert_eq!(texts.len(), 462);
    texts
}
