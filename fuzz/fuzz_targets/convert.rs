//! Any bytes as the weights of a small classifier: an error or a GGUF file that parses. The first byte
//! chooses the reader.
#![no_main]

use lacuna_convert::{Files, Scheme, Weights, convert};
use libfuzzer_sys::fuzz_target;

const CONFIG: &[u8] = br#"{"model_type": "bert", "hidden_size": 32, "num_attention_heads": 1,
    "num_hidden_layers": 1, "intermediate_size": 32, "max_position_embeddings": 4, "type_vocab_size": 2,
    "vocab_size": 5, "id2label": {"0": "O", "1": "B-A", "2": "I-A", "3": "B-B", "4": "I-B"}}"#;

fuzz_target!(|bytes: &[u8]| {
    let Some((reader, bytes)) = bytes.split_first() else { return };
    let weights = if reader % 2 == 0 { Weights::Onnx(bytes) } else { Weights::Safetensors(bytes) };
    for scheme in [Scheme::Q4_0, Scheme::Int8] {
        let files = Files { config: CONFIG, tokenizer: b"{}", weights };
        if let Ok(model) = convert(&files, scheme) {
            lacuna_weights::Gguf::parse(&model).expect("a converted model parses");
        }
    }
});
