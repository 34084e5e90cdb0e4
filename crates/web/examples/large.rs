//! Writes a language model of some 60 MB with random weights and 40,000 tokens, for tests of how much memory loading
//! takes: `large TINY.gguf OUT.gguf`, where the tiny model gives everything but sizes.

use std::fs;
use std::process::ExitCode;

use weights::{Error, Gguf, Kind, Value, Writer};

const HIDDEN: usize = 512;
const WIDE: usize = 1536;
const LAYERS: usize = 24;
/// Tokens of two letters beside the tiny model's: as many merges as published vocabularies have.
const PAIRS: usize = 40_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        eprintln!("usage: large TINY.gguf OUT.gguf");
        return ExitCode::from(2);
    };
    let written = fs::read(from)
        .map_err(|why| format!("{from}: {why}"))
        .and_then(|bytes| large(&bytes).map_err(|why| format!("{from}: {why}")))
        .and_then(|bytes| fs::write(to, bytes).map_err(|why| format!("{to}: {why}")));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("large: {why}");
            ExitCode::FAILURE
        }
    }
}

fn large(tiny: &[u8]) -> Result<Vec<u8>, Error> {
    let tiny = Gguf::parse(tiny)?;
    let mut writer = Writer::new();
    for (key, value) in tiny.keys() {
        writer.set(key, value);
    }
    for (key, value) in [
        ("llama.embedding_length", HIDDEN),
        ("llama.feed_forward_length", WIDE),
        ("llama.block_count", LAYERS),
        ("llama.attention.head_count", 8),
        ("llama.attention.head_count_kv", 4),
        ("llama.rope.dimension_count", HIDDEN / 8),
        ("llama.attention.key_length", HIDDEN / 8),
        ("llama.attention.value_length", HIDDEN / 8),
    ] {
        writer.set(key, value as u32);
    }
    let vocabulary = vocabulary(&tiny, &mut writer)?;
    writer.set("llama.vocab_size", vocabulary as u32);
    let mut random = Random(1);
    let mut matrix = |writer: &mut Writer<'_>, name: &str, rows: usize, columns: usize| {
        writer.tensor(name, Kind::Q4_0, &[columns, rows], random.q4_0(rows * columns / 32))
    };
    let ones: Vec<u8> = (0..HIDDEN).flat_map(|_| 1.0f32.to_le_bytes()).collect();
    matrix(&mut writer, "token_embd.weight", vocabulary, HIDDEN)?;
    writer.tensor("output_norm.weight", Kind::F32, &[HIDDEN], ones.clone())?;
    for layer in 0..LAYERS {
        let name = |what: &str| format!("blk.{layer}.{what}.weight");
        writer.tensor(&name("attn_norm"), Kind::F32, &[HIDDEN], ones.clone())?;
        writer.tensor(&name("ffn_norm"), Kind::F32, &[HIDDEN], ones.clone())?;
        for (what, rows, columns) in [
            ("attn_q", HIDDEN, HIDDEN),
            ("attn_k", HIDDEN / 2, HIDDEN),
            ("attn_v", HIDDEN / 2, HIDDEN),
            ("attn_output", HIDDEN, HIDDEN),
            ("ffn_gate", WIDE, HIDDEN),
            ("ffn_up", WIDE, HIDDEN),
            ("ffn_down", HIDDEN, WIDE),
        ] {
            matrix(&mut writer, &name(what), rows, columns)?;
        }
    }
    Ok(writer.to_vec())
}

/// The tiny model's tokens and pairs of its letters, which are merges; returns how many tokens there are.
fn vocabulary(tiny: &Gguf<'_>, writer: &mut Writer<'_>) -> Result<usize, Error> {
    let mut tokens: Vec<String> = tiny.strings("tokenizer.ggml.tokens")?.map(String::from).collect();
    let mut merges: Vec<String> = tiny.strings("tokenizer.ggml.merges")?.map(String::from).collect();
    let known: Vec<String> = tokens.clone();
    let letters: Vec<&String> = known.iter().filter(|token| token.chars().count() == 1).collect();
    let pairs = letters.iter().flat_map(|left| letters.iter().map(move |right| (left, right)));
    let new = pairs.filter(|(left, right)| !known.contains(&format!("{left}{right}"))).take(PAIRS);
    for (left, right) in new {
        tokens.push(format!("{left}{right}"));
        merges.push(format!("{left} {right}"));
    }
    let mut types: Vec<i32> = match tiny.get("tokenizer.ggml.token_type") {
        Some(Value::Array(types)) => types
            .iter()
            .map(|value| value.unsigned().and_then(|value| i32::try_from(value).ok()).unwrap_or(1))
            .collect(),
        _ => vec![1; known.len()],
    };
    types.resize(tokens.len(), 1);
    writer.set("tokenizer.ggml.tokens", &tokens[..]);
    writer.set("tokenizer.ggml.merges", &merges[..]);
    writer.set("tokenizer.ggml.token_type", &types[..]);
    Ok(tokens.len())
}

/// Xorshift: the same bytes everywhere.
struct Random(u64);

impl Random {
    /// Blocks of small scale.
    fn q4_0(&mut self, blocks: usize) -> Vec<u8> {
        // 2^-7 as f16.
        const SCALE: [u8; 2] = 0x2000u16.to_le_bytes();
        let mut bytes = Vec::with_capacity(blocks * 18);
        for _ in 0..blocks {
            bytes.extend(SCALE);
            for _ in 0..2 {
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 7;
                self.0 ^= self.0 << 17;
                bytes.extend(self.0.to_le_bytes());
            }
        }
        bytes
    }
}
