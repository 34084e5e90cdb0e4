//! Files and ids that are refused, and how.

use weights::{Kind, Value, Writer};

use super::*;

/// The tiny llama with some keys set otherwise.
fn with(name: &str, change: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
    let tiny = tiny(name);
    let file = Gguf::parse(&tiny.bytes).unwrap();
    let mut writer = Writer::new();
    for (key, value) in file.keys() {
        writer.set(key, value);
    }
    for tensor in file.tensors() {
        let dims = if tensor.rows() == 1 { vec![tensor.dims[0]] } else { tensor.dims[..2].to_vec() };
        writer.tensor(tensor.name, tensor.kind, &dims, tensor.bytes).unwrap();
    }
    change(&mut writer);
    writer.to_vec()
}

fn error(bytes: &[u8]) -> String {
    Decoder::from_gguf(&Gguf::parse(bytes).unwrap()).unwrap_err().to_string()
}

#[test]
fn settings_no_model_has() {
    let cases: [(&str, u32, &str); 7] = [
        ("llama.block_count", 0, "key llama.block_count: 0 is not in 1..=512"),
        ("llama.block_count", 4_000_000_000, "key llama.block_count: 4000000000 is not in 1..=512"),
        (
            "llama.attention.head_count_kv",
            3,
            "key llama.attention.head_count_kv: 4 query heads are not groups of 3",
        ),
        ("llama.attention.value_length", 4, "key llama.attention.value_length: 4 differs from 8 of keys"),
        ("llama.rope.dimension_count", 3, "key llama.rope.dimension_count: 3 is odd"),
        ("llama.rope.dimension_count", 10, "key llama.rope.dimension_count: 10 is not in 1..=8"),
        (
            "llama.feed_forward_length",
            47,
            "tensor blk.0.ffn_gate.weight: the model needs 47 rows of 32, the file has 48 of 32",
        ),
    ];
    for (key, value, message) in cases {
        assert_eq!(error(&with("llama", |writer| writer.set(key, Value::U32(value)))), message);
    }
    let mamba = with("llama", |writer| writer.set("general.architecture", "mamba"));
    assert_eq!(error(&mamba), "architecture mamba: llama, qwen2, qwen3, gemma3 are supported");
    let scaled = with("llama", |writer| writer.set("llama.rope.scaling.type", "longrope"));
    assert_eq!(error(&scaled), "key llama.rope.scaling.type: longrope: none, linear and yarn are known");
}

#[test]
fn tensors_that_are_missing_or_cannot_be_multiplied() {
    let more = with("llama", |writer| writer.set("llama.block_count", 3u32));
    assert!(
        error(&more).starts_with("tensor blk.2.attn_norm.weight: not among the file's"),
        "{}",
        error(&more)
    );
    let tiny = tiny("llama-types");
    let file = Gguf::parse(&tiny.bytes).unwrap();
    let mut writer = Writer::new();
    file.keys().for_each(|(key, value)| writer.set(key, value));
    for tensor in file.tensors() {
        let dims = if tensor.rows() == 1 { vec![tensor.dims[0]] } else { tensor.dims[..2].to_vec() };
        if tensor.name == "blk.1.attn_k.weight" {
            writer.tensor(tensor.name, Kind::I8, &dims, vec![0; dims[0] * dims[1]]).unwrap();
        } else {
            writer.tensor(tensor.name, tensor.kind, &dims, tensor.bytes).unwrap();
        }
    }
    assert_eq!(error(&writer.to_vec()), "tensor blk.1.attn_k.weight: i8 cannot be multiplied");
}

#[test]
fn ids_that_cannot_be_run_change_nothing() {
    let tiny = tiny("llama");
    let decoder = Decoder::from_gguf(&Gguf::parse(&tiny.bytes).unwrap()).unwrap();
    let (mut cache, mut workspace) = (decoder.cache(), Workspace::new());
    let mut run = |ids: &[u32]| {
        let result = decoder.forward(&mut [Run { cache: &mut cache, ids, every: false }], &mut workspace);
        let outcome = result.map(<[f32]>::len).map_err(|error| error.to_string());
        (outcome, cache.len())
    };
    assert_eq!(run(&[]), (Err("a run needs at least one id".into()), 0));
    assert_eq!(run(&[1, 64]), (Err("id 64 at 1 is not below the vocabulary's 64".into()), 0));
    assert_eq!(run(&[1; 257]), (Err("257 positions are over the model's 256".into()), 0));
    assert_eq!(run(&[1; 256]), (Ok(64), 256));
    assert_eq!(run(&[1]), (Err("257 positions are over the model's 256".into()), 256));
}
