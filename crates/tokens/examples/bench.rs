//! Times our tokenizer beside the tokenizers crate, natively or as a wasip1 program: `cargo xtask bench tokens` builds
//! it, runs it and makes rows of what it prints.
//!
//! `bench pairs RUNS`: milliseconds for 1 MB of mixed text, ours and the peer's, turn by turn.
//! `bench load RUNS`: microseconds to load a table. `bench gguf RUNS`: milliseconds from a GGUF file to a table.
//! `bench linear RUNS`: milliseconds for awkward texts of 512 KB and of 1 MB.

extern crate lacuna_tokens as tokens;

use std::hint::black_box;
use std::time::Instant;
use tokens::{Encoding, Tokenizer};

#[path = "../../../verify/src/tokcheck/texts.rs"]
#[allow(dead_code)]
mod texts;

const KINDS: [(&str, &[u8]); 3] = [
    ("wordpiece", include_bytes!("../../../testdata/tokenizers/rampart/tokenizer.json")),
    ("unigram", include_bytes!("../../../testdata/eval/unigram31k/tokenizer.json")),
    ("bpe", include_bytes!("../../../testdata/tokenizers/smollm2/tokenizer.json")),
];

const MEGABYTE: usize = 1 << 20;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let runs: usize = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let only = arguments.next();
    let kinds = KINDS.into_iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name));
    match &what[..] {
        "pairs" => kinds.for_each(|(name, json)| pairs(name, json, runs)),
        "ours" => kinds.for_each(|(name, json)| ours(name, json, runs)),
        "load" => kinds.for_each(|(name, json)| load(name, json, runs)),
        "linear" => kinds.for_each(|(name, json)| linear(name, json, runs)),
        "gguf" => gguf(runs),
        _ => {
            eprintln!("usage: bench pairs|ours|load|linear|gguf [RUNS] [KIND]");
            std::process::exit(2);
        }
    }
}

fn table(json: &[u8]) -> Vec<u8> {
    tokens_build::from_tokenizer_json(json).expect("a tokenizer of the test data")
}

/// Milliseconds that `act` takes.
fn ms(act: impl FnOnce()) -> f64 {
    let start = Instant::now();
    act();
    start.elapsed().as_secs_f64() * 1e3
}

/// 1 MB in documents: the evaluation texts (prose, forms, code and chat in 19 languages) and mixtures of words of
/// many scripts, in turn. Mixtures do not repeat, so that caches of words help as much as they do in life.
fn documents() -> Vec<String> {
    let mut documents = Vec::new();
    let mut bytes = 0;
    let lines = include_str!("../../../testdata/eval/dev.jsonl").lines().cycle();
    for (index, line) in lines.enumerate() {
        let item: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let text = item["text"].as_str().expect("a text");
        for document in [text.to_string(), texts::mixture(&mut texts::Random::new(index as u64))] {
            bytes += document.len();
            documents.push(document);
        }
        if bytes >= MEGABYTE {
            return documents;
        }
    }
    documents
}

fn pairs(name: &str, json: &[u8], runs: usize) {
    let table = table(json);
    let ours = Tokenizer::from_table(&table).expect("a table");
    let peer = tokenizers::Tokenizer::from_bytes(json).expect("the same file");
    let documents = documents();
    let mut encoding = Encoding::new();
    for _ in 0..=runs {
        let mut counts = (0, 0);
        let mine = ms(|| {
            for text in &documents {
                ours.encode(text, &mut encoding);
                counts.0 += black_box(&encoding).len();
            }
        });
        let theirs = ms(|| {
            for text in &documents {
                counts.1 += black_box(peer.encode(&text[..], false).expect("a text")).len();
            }
        });
        assert_eq!(counts.0, counts.1, "both have cut the text into the same tokens");
        println!("{name} {mine} {theirs}");
    }
}

fn ours(name: &str, json: &[u8], runs: usize) {
    let table = table(json);
    let ours = Tokenizer::from_table(&table).expect("a table");
    let documents = documents();
    let mut encoding = Encoding::new();
    for _ in 0..=runs {
        let mine = ms(|| {
            for text in &documents {
                ours.encode(text, &mut encoding);
                black_box(&encoding);
            }
        });
        println!("{name} {mine}");
    }
}

fn load(name: &str, json: &[u8], runs: usize) {
    const TIMES: u32 = 1_000;
    let table = table(json);
    for _ in 0..=runs {
        let all = ms(|| {
            for _ in 0..TIMES {
                black_box(Tokenizer::from_table(black_box(&table)).expect("a table"));
            }
        });
        println!("{name} {}", all * 1e3 / f64::from(TIMES));
    }
}

/// Texts that make some tokenizers take quadratic time.
fn awkward(size: usize) -> Vec<(&'static str, String)> {
    let random = &mut texts::Random::new(7);
    let repeat = |unit: &str| unit.repeat(size / unit.len());
    vec![
        ("word", (0..size).map(|_| char::from(b'a' + random.below(26) as u8)).collect()),
        ("letter", repeat("a")),
        ("scripts", repeat("aяñ東한ก")),
        ("spaces", repeat(" ")),
        ("digits", repeat("7")),
        ("marks", repeat("\u{301}\u{323}")),
        ("flags", repeat("\u{1f1e9}\u{1f1ea}")),
        ("syllables", repeat("각ᄀ")),
        ("unknown", repeat("\u{10fffd}\u{e000}")),
    ]
}

fn linear(name: &str, json: &[u8], runs: usize) {
    let table = table(json);
    let ours = Tokenizer::from_table(&table).expect("a table");
    let mut encoding = Encoding::new();
    for ((shape, half), (_, whole)) in awkward(MEGABYTE / 2).into_iter().zip(awkward(MEGABYTE)) {
        for _ in 0..=runs {
            let mut time = |text: &str| {
                ms(|| {
                    ours.encode(text, &mut encoding);
                    black_box(&encoding);
                })
            };
            println!("{name} {shape} {} {}", time(&half), time(&whole));
        }
    }
}

/// SmolLM2's vocabulary as its GGUF file has it, without the tensors.
fn vocabulary_file() -> Vec<u8> {
    let file: serde_json::Value = serde_json::from_slice(KINDS[2].1).expect("a tokenizer file");
    let vocab = file["model"]["vocab"].as_object().expect("a vocabulary");
    let mut tokens = vec![""; vocab.len()];
    for (token, id) in vocab {
        tokens[id.as_u64().expect("an id") as usize] = token;
    }
    let mut types = vec![1i32; tokens.len()];
    for added in file["added_tokens"].as_array().expect("added tokens") {
        types[added["id"].as_u64().expect("an id") as usize] = 3;
    }
    let merges = file["model"]["merges"].as_array().expect("merges");
    let merges: Vec<&str> = merges.iter().map(|merge| merge.as_str().expect("a merge")).collect();
    let mut writer = weights::Writer::new();
    writer.set("general.architecture", "llama");
    writer.set("tokenizer.ggml.model", "gpt2");
    writer.set("tokenizer.ggml.pre", "smollm");
    writer.set("tokenizer.ggml.tokens", &tokens[..]);
    writer.set("tokenizer.ggml.token_type", &types[..]);
    writer.set("tokenizer.ggml.merges", &merges[..]);
    writer.set("tokenizer.ggml.bos_token_id", 1u32);
    writer.set("tokenizer.ggml.eos_token_id", 2u32);
    writer.to_vec()
}

fn gguf(runs: usize) {
    let file = vocabulary_file();
    let expected = table(KINDS[2].1).len();
    for _ in 0..=runs {
        let mut built = Vec::new();
        let time = ms(|| built = compile(black_box(&file)));
        Tokenizer::from_table(&built).expect("a table");
        assert!(built.len() > expected / 2, "{} bytes, {expected} from the tokenizer file", built.len());
        println!("gguf {time}");
    }
}

fn compile(bytes: &[u8]) -> Vec<u8> {
    let file = weights::Gguf::parse(bytes).expect("a GGUF file");
    let strings = |key: &str| -> Vec<&str> { file.strings(key).expect("an array of strings").collect() };
    let token_types = match file.get("tokenizer.ggml.token_type") {
        Some(weights::Value::Array(array)) => {
            array.iter().map(|value| value.unsigned().map_or(0, |value| value as i32)).collect()
        }
        _ => Vec::new(),
    };
    let vocabulary = tokens_build::GgufVocabulary {
        model: file.str("tokenizer.ggml.model").expect("a model"),
        pre: file.str("tokenizer.ggml.pre").expect("a pre-tokenizer"),
        tokens: strings("tokenizer.ggml.tokens"),
        token_types,
        merges: strings("tokenizer.ggml.merges"),
        bos: file.u32("tokenizer.ggml.bos_token_id").ok(),
        eos: file.u32("tokenizer.ggml.eos_token_id").ok(),
        ..Default::default()
    };
    tokens_build::from_gguf_vocabulary(&vocabulary).expect("a vocabulary")
}
