//! The tokenizer proofs alone: `tokcheck [--quick] [wordpiece|unigram|bpe]...`.
#![forbid(unsafe_code)]

#[path = "../src/tokcheck/mod.rs"]
mod tokcheck;

use tokcheck::Kind;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let mut differ = 0;
    for (name, kind) in [("wordpiece", Kind::WordPiece), ("unigram", Kind::Unigram), ("bpe", Kind::Bpe)] {
        if arguments.iter().any(|a| !a.starts_with("--")) && !arguments.iter().any(|a| a == name) {
            continue;
        }
        let outcome = tokcheck::check(kind, quick, 0, 1);
        outcome.differences.iter().take(8).for_each(|difference| println!("  {difference}"));
        differ += outcome.differences.len();
        let Outcome { texts, tokens, .. } = outcome;
        println!("tokcheck[{name}]: {texts} texts, {tokens} tokens, {} differ", outcome.differences.len());
    }
    assert!(differ == 0);
}

use tokcheck::Outcome;
