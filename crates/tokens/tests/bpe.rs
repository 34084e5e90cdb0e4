//! Byte-level BPE beside the tokenizers crate: SmolLM2's vocabulary under each pre-tokenizer.

mod reference;

use lacuna_tokens as tokens;
use reference::{Pair, dev_texts, read, texts};
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
    Pair::from_json(file.to_string().as_bytes())
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
    let assigned = |point: &u32| !(0x4_0000..0xe_0000).contains(point) || point % 97 == 0;
    (0..0x11_0000)
        .filter(assigned)
        .filter_map(char::from_u32)
        .map(|c| format!("a{c}1{c} {c}.{c}'{c}\n{c}{c} \t{c}"))
}

#[test]
fn smollm() {
    let pair = with(&[]);
    pair.check(some_texts());
    pair.check(points());
}

#[test]
fn gpt2() {
    let pair = with(&[("pre_tokenizer", byte_level(false, true))]);
    pair.check(some_texts());
    pair.check(points());
}

#[test]
fn llama3() {
    let pair = with(&[("pre_tokenizer", split(LLAMA3))]);
    pair.check(some_texts());
    pair.check(points());
}

#[test]
fn qwen2() {
    let pair = with(&[("pre_tokenizer", split(QWEN2))]);
    pair.check(some_texts());
}

#[test]
fn prefix_space_and_trimmed_offsets() {
    for (prefix, kept) in [(false, false), (false, true), (true, false), (true, true)] {
        let roberta = json!({"type": "RobertaProcessing", "sep": ["<|im_end|>", 2], "cls": ["<|im_start|>", 1],
            "trim_offsets": true, "add_prefix_space": kept});
        with(&[("pre_tokenizer", byte_level(prefix, true)), ("post_processor", roberta)])
            .check(some_texts().step_by(3));
    }
}

#[test]
fn whole_words_first() {
    let mut file = smollm2();
    file["model"]["ignore_merges"] = json!(true);
    Pair::from_json(file.to_string().as_bytes()).check(some_texts().step_by(3));
}

#[test]
fn unknown_bytes() {
    for fuse in [false, true] {
        let mut file = smollm2();
        file["model"]["unk_token"] = json!("<|endoftext|>");
        file["model"]["fuse_unk"] = json!(fuse);
        Pair::from_json(file.to_string().as_bytes()).check(some_texts().step_by(3));
    }
}

#[test]
fn vocabulary() {
    with(&[]).check_vocabulary(bytes_of);
}

/// GPT-2's byte alphabet read backwards, written independently of the crate that makes tables.
fn bytes_of(token: &str) -> Vec<u8> {
    let mut table = std::collections::HashMap::new();
    let mut next = 256;
    for byte in 0..=255u8 {
        let keeps = (b'!'..=b'~').contains(&byte) || (0xa1..=0xac).contains(&byte) || byte >= 0xae;
        let point = if keeps {
            u32::from(byte)
        } else {
            next += 1;
            next - 1
        };
        table.insert(char::from_u32(point).unwrap(), byte);
    }
    token.chars().map(|c| table.get(&c).copied()).collect::<Option<Vec<u8>>>().unwrap_or_else(|| token.into())
}

#[test]
fn composition() {
    let pair = with(&[("pre_tokenizer", split(QWEN2)), ("normalizer", json!({"type": "NFC"}))]);
    pair.check(some_texts());
    pair.check(points());
    let assigned = |point: &u32| !(0x4_0000..0xe_0000).contains(point) || point % 97 == 0;
    let points = (0..0x11_0000).filter(assigned).filter_map(char::from_u32);
    pair.check(points.map(|c| format!("e{c}\u{301}{c}\u{323}\u{1100}{c}\u{1161}\u{11a8}e\u{301}")));
}
