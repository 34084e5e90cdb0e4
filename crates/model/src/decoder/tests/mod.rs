//! Tiny models of every architecture against llama.cpp and f64, and the same bits however a text is fed.

mod arriving;
mod invariance;
mod reference;
mod refused;

use serde_json::Value;
use weights::Gguf;

use super::*;

pub const NAMES: [&str; 6] = ["llama", "llama-linear", "qwen2-yarn", "qwen3", "gemma3", "llama-types"];

pub struct Tiny {
    pub bytes: Vec<u8>,
    pub ids: Vec<u32>,
    /// llama.cpp's, `[ids, vocabulary]`.
    pub logits: Vec<f32>,
}

pub fn tiny(name: &str) -> Tiny {
    let path = format!("{}/../../testdata/decoder/tiny/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(format!("{path}.gguf")).unwrap();
    let fixture: Value = serde_json::from_slice(&std::fs::read(format!("{path}.json")).unwrap()).unwrap();
    let ids = fixture["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect();
    let rows = fixture["logits"].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
    let logits = rows.map(|value| value.as_f64().unwrap() as f32).collect();
    Tiny { bytes, ids, logits }
}

/// Logits after every id, in one pass.
pub fn every(decoder: &Decoder<'_>, ids: &[u32]) -> Vec<f32> {
    let (mut cache, mut workspace) = (decoder.cache(), Workspace::new());
    decoder.forward(&mut [Run { cache: &mut cache, ids, every: true }], &mut workspace).unwrap().to_vec()
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// f32 weights on both sides: what is left is the order of additions, and ggml's table of halves for GELU.
#[test]
fn logits_are_llama_cpps() {
    for (name, bound) in [
        ("llama", 1e-4),
        ("llama-linear", 1e-4),
        ("qwen2-yarn", 1e-4),
        ("qwen3", 1e-4),
        ("gemma3", 1e-2),
        // llama.cpp quantises activations for every type but f32, ours only for q4_0 and q8_0.
        ("llama-types", 0.5),
    ] {
        let tiny = tiny(name);
        let decoder = Decoder::from_gguf(&Gguf::parse(&tiny.bytes).unwrap()).unwrap();
        let difference = largest_difference(&every(&decoder, &tiny.ids), &tiny.logits);
        println!("{name}: {difference:e}");
        assert!(difference < bound, "{name}: logits differ by up to {difference}");
    }
}

#[test]
fn progress_ends_at_the_last_tensor() {
    let tiny = tiny("qwen2-yarn");
    let mut heard = Vec::new();
    Decoder::from_gguf_with(&Gguf::parse(&tiny.bytes).unwrap(), &mut |done, all| heard.push((done, all)))
        .unwrap();
    assert_eq!(heard.last(), Some(&(26, 26)), "{heard:?}");
    assert!(heard.windows(2).all(|pair| pair[0].0 < pair[1].0));
}
