//! Small tokenizer files of every kind, and what becomes of one here and in the tokenizers crate.

use super::{Pair, read, texts};
use serde_json::{Value, json};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

const TEXTS: [&str; 9] = [
    "",
    " ",
    "Anna's house, 12 345!  x",
    "a [MASK] b<s>c</s> ab abc",
    "é e\u{301} ﬁ \u{2581}a ##b \u{1f468}\u{200d}\u{1f469} 한국 日本",
    "  leading\n\n\ttrailing  ",
    "aaaa bbbb abababab hello world",
    "\0\u{7f}\u{ad}",
    "don't DON'T we'll",
];

/// GPT-2's alphabet with a few merges.
pub fn byte_level_model() -> Value {
    let mut vocabulary = serde_json::Map::new();
    let printable = |byte: &u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let others = (0x100..).take((0..0x100).filter(|byte| !printable(byte)).count());
    for point in (0..0x100).filter(printable).chain(others) {
        vocabulary.insert(char::from_u32(point).unwrap().to_string(), json!(vocabulary.len()));
    }
    let merges =
        [("a", "b"), ("Ġ", "a"), ("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("Ġ", "hello")];
    for (left, right) in merges {
        vocabulary.insert(format!("{left}{right}"), json!(vocabulary.len()));
    }
    for special in ["<s>", "</s>", "<unk>"] {
        vocabulary.insert(special.into(), json!(vocabulary.len()));
    }
    let merges: Vec<String> = merges.map(|(left, right)| format!("{left} {right}")).into();
    json!({"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
        "end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
        "vocab": vocabulary, "merges": merges})
}

pub fn added(tokens: &[(&str, u32)]) -> Value {
    tokens
        .iter()
        .map(|(content, id)| {
            json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true})
        })
        .collect()
}

pub fn file(tokens: &[(&str, u32)], parts: [Value; 5]) -> Value {
    let [normalizer, pre_tokenizer, post_processor, decoder, model] = parts;
    json!({"version": "1.0", "truncation": null, "padding": null, "added_tokens": added(tokens),
        "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "post_processor": post_processor,
        "decoder": decoder, "model": model})
}

pub fn byte_level(prefix: bool, regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": true, "use_regex": regex})
}

pub fn template() -> Value {
    json!({"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [263], "tokens": ["<s>"]},
            "</s>": {"id": "</s>", "ids": [264], "tokens": ["</s>"]}}})
}

const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

pub fn gpt2() -> Value {
    let roberta = json!({"type": "RobertaProcessing", "sep": ["</s>", 264], "cls": ["<s>", 263],
        "trim_offsets": true, "add_prefix_space": false});
    let parts = [Value::Null, byte_level(false, true), roberta, byte_level(true, true), byte_level_model()];
    file(&[("<s>", 263), ("</s>", 264)], parts)
}

pub fn llama3() -> Value {
    let split =
        json!({"type": "Split", "pattern": {"Regex": LLAMA3}, "behavior": "Isolated", "invert": false});
    let before = json!({"type": "Sequence", "pretokenizers": [split, byte_level(false, false)]});
    let after = json!({"type": "Sequence", "processors": [byte_level(true, false), template()]});
    let parts = [json!({"type": "NFC"}), before, after, byte_level(true, true), byte_level_model()];
    file(&[("<s>", 263), ("</s>", 264)], parts)
}

pub fn smollm() -> Value {
    let digits = json!({"type": "Digits", "individual_digits": true});
    let before = json!({"type": "Sequence", "pretokenizers": [digits, byte_level(false, true)]});
    let parts = [Value::Null, before, Value::Null, byte_level(true, true), byte_level_model()];
    file(&[("<s>", 263), ("</s>", 264)], parts)
}

/// BPE over characters with byte fall-back, as Llama 2 has it.
pub fn sentencepiece() -> Value {
    let mut vocabulary = serde_json::Map::new();
    for special in ["<unk>", "<s>", "</s>"] {
        vocabulary.insert(special.into(), json!(vocabulary.len()));
    }
    (0..256).for_each(|byte| drop(vocabulary.insert(format!("<0x{byte:02X}>"), json!(byte + 3))));
    for piece in ["a", "b", "h", "e", "l", "o", "\u{2581}", "ab", "\u{2581}a", "he", "ll"] {
        vocabulary.insert(piece.into(), json!(vocabulary.len()));
    }
    let model = json!({"type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
        "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
        "vocab": vocabulary, "merges": [["a", "b"], ["\u{2581}", "a"], ["h", "e"], ["l", "l"]]});
    let normalizer = json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u{2581}"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "\u{2581}"}]});
    let decoder = json!({"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "\u{2581}"}, "content": " "}, {"type": "ByteFallback"},
        {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]});
    file(&[("<unk>", 0), ("<s>", 1), ("</s>", 2)], [normalizer, Value::Null, Value::Null, decoder, model])
}

pub fn bert() -> Value {
    serde_json::from_slice(&read("classifiers/bert/tokenizer.json")).unwrap()
}

pub fn unigram(normalizer: Value) -> Value {
    let mut file: Value = serde_json::from_slice(&read("classifiers/xlmr/tokenizer.json")).unwrap();
    file["normalizer"] = normalizer;
    file
}

pub fn strips() -> Value {
    json!({"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": true, "strip_right": false},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}, {"type": "Lowercase"}]})
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What the reference gives, or nothing if it panics: an outcome like others, which is not printed.
fn quietly<T>(act: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                told(panic);
            }
        }));
    });
    QUIET.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(act)).ok();
    QUIET.set(false);
    outcome
}

/// What came of a changed file.
#[derive(Debug)]
pub enum Verdict {
    Same,
    /// Refused by both, here with this message.
    BothRefuse(String),
    /// Refused here alone, with this message.
    Refused(String),
    /// Taken by both, until the reference panics on a text.
    ReferencePanics,
    Differs(String),
}

pub fn verdict(file: &Value, generated: usize) -> Verdict {
    let json = file.to_string();
    let ours = tokens_build::from_tokenizer_json(json.as_bytes());
    let theirs = quietly(|| tokenizers::Tokenizer::from_bytes(json.as_bytes()));
    let (table, reference) = match (ours, theirs) {
        (Err(error), None | Some(Err(_))) => return Verdict::BothRefuse(error.to_string()),
        (Err(error), Some(Ok(_))) => return Verdict::Refused(error.to_string()),
        (Ok(_), Some(Err(error))) => return Verdict::Differs(format!("the reference refuses it: {error}")),
        (Ok(_), None) => return Verdict::Differs("the reference panics".into()),
        (Ok(table), Some(Ok(reference))) => (table, reference),
    };
    let pair = Pair { reference, table };
    let ours = pair.ours().unwrap();
    let mut encoding = tokens::Encoding::new();
    for text in TEXTS.map(String::from).into_iter().chain((18..18 + generated).map(texts::text)) {
        // A panic here is ours, and no answer.
        ours.encode_with_specials(&text, &mut encoding);
        ours.decode(&encoding.ids, false);
        match quietly(|| pair.compare(&ours, &text, &mut encoding)) {
            Some(Ok(_)) => {}
            Some(Err(difference)) => return Verdict::Differs(difference),
            None => return Verdict::ReferencePanics,
        }
    }
    Verdict::Same
}
