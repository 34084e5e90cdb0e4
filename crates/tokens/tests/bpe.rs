//! Byte-level BPE beside the tokenizers crate: SmolLM2's vocabulary under each pre-tokenizer.

extern crate lacuna_tokens as tokens;

mod reference;

use reference::{check, dev_texts, pair::Pair, read, texts};
use serde_json::{Value, json};

fn smollm2() -> Value {
    serde_json::from_slice(&read("tokenizers/smollm2/tokenizer.json")).unwrap()
}

/// SmolLM2's vocabulary with other parts around it.
fn with(parts: &[(&str, Value)]) -> Pair {
    let mut file = smollm2();
    for (name, part) in parts {
        file[*name] = part.clone();
    }
    reference::pair(file.to_string().as_bytes())
}

fn byte_level(prefix: bool, regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": true, "use_regex": regex})
}

fn split(pattern: &str) -> Value {
    let split =
        json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false});
    json!({"type": "Sequence", "pretokenizers": [split, byte_level(false, false)]})
}

const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

fn some_texts() -> impl Iterator<Item = String> {
    dev_texts().into_iter().chain(texts::FIXED.map(String::from)).chain((0..6_000).map(texts::text))
}

fn points() -> impl Iterator<Item = String> {
    let assigned = |point: &u32| !(0x4_0000..0xe_0000).contains(point) || point.is_multiple_of(97);
    (0..0x11_0000)
        .filter(assigned)
        .filter_map(char::from_u32)
        .map(|c| format!("a{c}1{c} {c}.{c}'{c}\n{c}{c} \t{c}"))
}

#[test]
fn smollm() {
    let pair = with(&[]);
    check(&pair, some_texts());
    check(&pair, points());
}

#[test]
fn gpt2() {
    let pair = with(&[("pre_tokenizer", byte_level(false, true))]);
    check(&pair, some_texts());
    check(&pair, points().step_by(5));
}

#[test]
fn llama3() {
    let pair = with(&[("pre_tokenizer", split(LLAMA3))]);
    check(&pair, some_texts());
    check(&pair, points());
}

#[test]
fn qwen2() {
    let pair = with(&[("pre_tokenizer", split(QWEN2))]);
    check(&pair, some_texts());
}

#[test]
fn prefix_space_and_trimmed_offsets() {
    for (prefix, kept) in [(false, false), (false, true), (true, false), (true, true)] {
        let roberta = json!({"type": "RobertaProcessing", "sep": ["<|im_end|>", 2], "cls": ["<|im_start|>", 1],
            "trim_offsets": true, "add_prefix_space": kept});
        let parts = [("pre_tokenizer", byte_level(prefix, true)), ("post_processor", roberta)];
        check(&with(&parts), some_texts().step_by(3));
    }
}

#[test]
fn whole_words_first() {
    let mut file = smollm2();
    file["model"]["ignore_merges"] = json!(true);
    check(&reference::pair(file.to_string().as_bytes()), some_texts().step_by(3));
}

#[test]
fn unknown_bytes() {
    for fuse in [false, true] {
        let mut file = smollm2();
        file["model"]["unk_token"] = json!("<|endoftext|>");
        file["model"]["fuse_unk"] = json!(fuse);
        check(&reference::pair(file.to_string().as_bytes()), some_texts().step_by(3));
    }
}

#[test]
fn vocabulary() {
    with(&[]).compare_vocabulary().unwrap();
}

#[test]
fn composition() {
    let pair = with(&[("pre_tokenizer", split(QWEN2)), ("normalizer", json!({"type": "NFC"}))]);
    check(&pair, some_texts());
    check(&pair, points());
    let assigned = |point: &u32| !(0x4_0000..0xe_0000).contains(point) || point.is_multiple_of(97);
    let points = (0..0x11_0000).filter(assigned).filter_map(char::from_u32);
    check(&pair, points.map(|c| format!("e{c}\u{301}{c}\u{323}\u{1100}{c}\u{1161}\u{11a8}e\u{301}")));
}
