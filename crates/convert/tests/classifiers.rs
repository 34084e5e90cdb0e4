//! Small classifiers of both styles (`tools/make_tiny_classifiers.py`): every file they come in gives the
//! same GGUF, and what does not fit is named.

use std::{fs, path::PathBuf};

use half::{bf16, f16};
use lacuna_convert::{Files, Options, Scheme, Weights, convert, convert_dir};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use weights::{Gguf, Kind};

fn path(style: &str, name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/classifiers").join(style).join(name)
}

fn read(style: &str, name: &str) -> Vec<u8> {
    fs::read(path(style, name)).unwrap()
}

/// Converts with the files of the model changed.
fn converted(
    style: &str,
    scheme: Scheme,
    onnx: bool,
    change: impl Fn(&mut Vec<u8>, &str),
) -> Result<Vec<u8>, String> {
    let name = if onnx { "model.onnx" } else { "model.safetensors" };
    let [config, tokenizer, bytes] = ["config.json", "tokenizer.json", name].map(|name| {
        let mut bytes = read(style, name);
        change(&mut bytes, name);
        bytes
    });
    let weights = if onnx { Weights::Onnx(&bytes) } else { Weights::Safetensors(&bytes) };
    let files = Files { config: &config, tokenizer: &tokenizer, weights };
    convert(&files, scheme).map_err(|error| error.to_string())
}

fn floats(view: &TensorView<'_>) -> Vec<f32> {
    let halves = view.data().as_chunks().0.iter();
    match view.dtype() {
        Dtype::F16 => halves.map(|&half| f16::from_le_bytes(half).to_f32()).collect(),
        Dtype::BF16 => halves.map(|&half| bf16::from_le_bytes(half).to_f32()).collect(),
        other => panic!("{other:?}"),
    }
}

/// A safetensors file with other tensors: `change` gets name, shape and values.
fn rewritten(bytes: &[u8], change: impl Fn(&str, &mut Vec<usize>, &mut Vec<f32>)) -> Vec<u8> {
    let file = SafeTensors::deserialize(bytes).unwrap();
    let wide: Vec<(String, Vec<usize>, Vec<u8>)> = file
        .iter()
        .map(|(name, view)| {
            let (mut shape, mut values) = (view.shape().to_vec(), floats(&view));
            change(name, &mut shape, &mut values);
            (name.to_string(), shape, values.iter().flat_map(|value| value.to_le_bytes()).collect())
        })
        .collect();
    let views = wide
        .iter()
        .map(|(name, shape, data)| (name.clone(), TensorView::new(Dtype::F32, shape.clone(), data).unwrap()));
    safetensors::serialize(views, None).unwrap()
}

#[test]
fn every_file_gives_the_same_model() {
    for style in ["bert", "xlmr"] {
        for scheme in [Scheme::Q4_0, Scheme::Int8] {
            let halves = converted(style, scheme, false, |_, _| ()).unwrap();
            let onnx = converted(style, scheme, true, |_, _| ()).unwrap();
            let floats = converted(style, scheme, false, |bytes, name| {
                if name == "model.safetensors" {
                    *bytes = rewritten(bytes, |_, _, _| ());
                }
            });
            assert!(halves == onnx, "{style}: safetensors and ONNX differ");
            assert!(halves == floats.unwrap(), "{style}: halves and floats differ");
            let four_bit = converted(style, scheme, true, |bytes, name| {
                if name == "model.onnx" {
                    *bytes = read(style, "model_q4.onnx");
                }
            });
            assert!(halves == four_bit.unwrap(), "{style}: floats and 4 bits differ");
            assert!(halves == convert_dir(path(style, ""), scheme).unwrap());
        }
    }
}

#[test]
fn the_configuration_is_in_the_metadata() {
    for (style, offset, context, pad, types, epsilon) in
        [("bert", 0, 40, 0, 2, 1e-12), ("xlmr", 2, 38, 1, 1, 1e-5)]
    {
        let bytes = convert_dir(path(style, ""), Scheme::Q4_0).unwrap();
        let file = Gguf::parse(&bytes).unwrap();
        assert_eq!(file.u32("lacuna.position_offset"), Ok(offset));
        assert_eq!(file.u32("bert.context_length"), Ok(context));
        assert_eq!(file.u32("tokenizer.ggml.padding_token_id"), Ok(pad));
        assert_eq!(file.f32("bert.attention.layer_norm_epsilon"), Ok(epsilon));
        assert_eq!(file.str("lacuna.scheme"), Ok("q4_0"));
        let labels: Vec<_> = file.strings("lacuna.labels").unwrap().collect();
        assert_eq!(labels, ["O", "B-GIVEN_NAME", "I-GIVEN_NAME", "B-EMAIL", "I-EMAIL"]);
        assert_eq!(file.str("tokenizer.huggingface.json").unwrap().as_bytes(), read(style, "tokenizer.json"));
        assert_eq!(file.tensor("token_types.weight").unwrap().rows(), types);
        assert_eq!(file.tensor("position_embd.weight").unwrap().rows(), 40);
        // The weights are made so that Q4_0 keeps them.
        let stored = read(style, "model.safetensors");
        let stored = SafeTensors::deserialize(&stored).unwrap();
        let values = floats(&stored.tensor("classifier.weight").unwrap());
        assert_eq!(*file.tensor("cls.weight").unwrap().dequantized().unwrap(), values);
    }
}

#[test]
fn padding_that_counts_is_in_the_metadata() {
    let padded = |tokens| {
        let mut options = Options::from(Scheme::Q4_0);
        options.attended = Some(tokens);
        convert_dir(path("xlmr", ""), options).map_err(|error| error.to_string())
    };
    let bytes = padded(38).unwrap();
    let file = Gguf::parse(&bytes).unwrap();
    assert_eq!((file.str("lacuna.padding"), file.u32("lacuna.window")), (Ok("attended"), Ok(38)));
    let wanted = "config.json: max_position_embeddings: padding to 39 tokens, the model takes 1 to 38";
    assert_eq!(padded(39).unwrap_err(), wanted);
}

#[test]
fn int8_rows_have_their_scale() {
    let bytes = convert_dir(path("bert", ""), Scheme::Int8).unwrap();
    let file = Gguf::parse(&bytes).unwrap();
    let exact = convert_dir(path("bert", ""), Scheme::Q4_0).unwrap();
    let exact = Gguf::parse(&exact).unwrap();
    for name in ["cls.weight", "blk.1.ffn_down.weight", "blk.0.attn_q.weight"] {
        let (quants, scales) = (file.tensor(name).unwrap(), file.tensor(&format!("{name}.scale")).unwrap());
        assert_eq!((quants.kind, scales.columns()), (Kind::I8, quants.rows()));
        let weights = exact.tensor(name).unwrap().dequantized().unwrap();
        let rows = weights.chunks(quants.columns()).zip(quants.bytes.chunks(quants.columns()));
        for ((weights, quants), &scale) in rows.zip(&*scales.f32s().unwrap()) {
            let most = weights.iter().fold(0f32, |most, weight| most.max(weight.abs()));
            assert_eq!(scale, most / 127.0);
            for (weight, &quant) in weights.iter().zip(quants) {
                assert!((weight - f32::from(quant as i8) * scale).abs() <= scale * 0.5001, "{name}");
            }
        }
    }
}

/// Replaces text in `config.json` and returns the message.
fn config(from: &str, to: &str) -> String {
    converted("xlmr", Scheme::Q4_0, false, |bytes, name| {
        if name == "config.json" {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(from), "{from}");
            *bytes = text.replace(from, to).into_bytes();
        }
    })
    .expect_err(to)
}

#[test]
fn a_configuration_no_encoder_computes_is_refused() {
    for (from, to, message) in [
        ("\"xlm-roberta\"", "\"deberta\"", "config.json: model_type: deberta: bert, roberta"),
        (
            "TokenClassification",
            "MaskedLM",
            "config.json: architectures: XLMRobertaForMaskedLM: none is a token classifier",
        ),
        ("\"gelu\"", "\"gelu_new\"", "config.json: hidden_act: gelu_new: only \"gelu\""),
        ("\"absolute\"", "\"relative_key\"", "config.json: position_embedding_type: relative_key"),
        (
            "\"hidden_size\": 64",
            "\"hidden_size\": 66",
            "config.json: hidden_size: 66 is not a multiple of 32",
        ),
        (
            "\"num_attention_heads\": 4",
            "\"num_attention_heads\": 3",
            "config.json: num_attention_heads: 3 heads do not divide hidden_size 64",
        ),
        (
            "\"num_attention_heads\": 4",
            "\"num_attention_heads\": 16",
            "config.json: num_attention_heads: 16 heads of 4 values: a head needs a multiple of 8",
        ),
        (
            "\"intermediate_size\": 96",
            "\"intermediate_size\": 100",
            "config.json: intermediate_size: 100 is not a multiple of 32",
        ),
        ("\"hidden_size\": 64", "\"hidden_size\": -1", "config.json: hidden_size: -1 is not a whole number"),
        ("\"hidden_size\"", "\"width\"", "config.json: hidden_size: is missing"),
        ("\"2\": \"I-GIVEN_NAME\"", "\"7\": \"X\"", "config.json: id2label: 5 labels, but none with id 2"),
        ("\"pad_token_id\": 1", "\"pad_token_id\": -1", "config.json: pad_token_id: -1 is not a token id"),
        ("\"pad_token_id\": 1", "\"pad_token_id\": 40", "config.json: max_position_embeddings: 40 positions"),
        (
            "\"layer_norm_eps\": 1e-05",
            "\"layer_norm_eps\": 0",
            "config.json: layer_norm_eps: 0 is not between",
        ),
        (
            "\"vocab_size\": 500",
            "\"vocab_size\": 501",
            "tensor roberta.embeddings.word_embeddings.weight: the",
        ),
        ("\"2\": \"I-GIVEN_NAME\"", "\"2\": 7", "config.json: id2label: label 2 is 7, which is not text"),
        (
            "\"layer_norm_eps\": 1e-05",
            "\"layer_norm_eps\": \"1\"",
            "config.json: layer_norm_eps: \"1\" is not a number",
        ),
        (
            "\"num_hidden_layers\": 2",
            "\"num_hidden_layers\": 1",
            "config.json: num_hidden_layers: 1, and the file has roberta.encoder.layer.1.attention",
        ),
        (
            "\"num_hidden_layers\": 2",
            "\"num_hidden_layers\": 3",
            "tensor roberta.encoder.layer.2.attention.self",
        ),
        ("{", "", "config.json: "),
    ] {
        let said = config(from, to);
        assert!(said.starts_with(message), "{from} to {to}: {said}");
    }
}

#[test]
fn a_weight_that_is_not_finite_is_named() {
    let words = "bert.embeddings.word_embeddings.weight";
    for (scheme, tensor, value, message) in [
        (Scheme::Q4_0, "classifier.weight", f32::NAN, "q4_0 value 3 is NaN: no scale holds it"),
        (Scheme::Int8, "classifier.weight", f32::NAN, "value 3 is NaN: not a finite number"),
        (Scheme::Int8, "classifier.bias", f32::INFINITY, "value 3 is inf: not a finite number"),
        (Scheme::Q4_0, words, f32::NEG_INFINITY, "value 3 is -inf: not a finite number"),
        (Scheme::Q4_0, "bert.embeddings.LayerNorm.weight", f32::NAN, "value 3 is NaN: not a finite number"),
    ] {
        let said = converted("bert", scheme, false, |bytes, name| {
            if name == "model.safetensors" {
                *bytes = rewritten(bytes, |name, _, values| {
                    if name == tensor {
                        values[3] = value;
                    }
                });
            }
        });
        assert_eq!(said.unwrap_err(), format!("tensor {tensor}: {message}"));
    }
}

#[test]
fn weights_cut_short_or_missing_are_errors() {
    for onnx in [true, false] {
        let whole = read("bert", if onnx { "model.onnx" } else { "model.safetensors" }).len();
        for length in [0, 1, 7, 8, 9, 100, whole / 3, whole / 2, whole - 1] {
            let said = converted("bert", Scheme::Q4_0, onnx, |bytes, name| {
                if name.starts_with("model") {
                    bytes.truncate(length);
                }
            });
            assert!(said.is_err(), "{length} of {whole} bytes, onnx: {onnx}");
        }
    }
    let said = convert_dir(path("", ""), Scheme::Q4_0).unwrap_err().to_string();
    assert!(said.contains("no weights in it: looked for model.safetensors, model.onnx"), "{said}");
    // Weights in another form are named.
    let directory = std::env::temp_dir().join(format!("lacuna-weights-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("model.safetensors.index.json"), "{}").unwrap();
    let said = convert_dir(&directory, Scheme::Q4_0).unwrap_err().to_string();
    fs::remove_dir_all(&directory).unwrap();
    assert!(said.contains("; model.safetensors.index.json is not read: write one file"), "{said}");
}

/// Seeded damage to the ONNX and safetensors files: a model or an error, never a panic.
#[test]
fn random_damage_never_panics() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let (mut good, mut bad) = (0, 0);
    for round in 0..240 {
        let places: Vec<(u64, u8)> = (0..1 + random() % 40).map(|_| (random(), random() as u8)).collect();
        let result = converted("bert", Scheme::Int8, round % 2 == 0, |bytes, name| {
            if name.starts_with("model") {
                // Half of the rounds damage the directory: a safetensors header, the start of a graph.
                let reach = if round % 4 < 2 { 4096 } else { bytes.len() };
                for &(at, byte) in &places {
                    bytes[at as usize % reach] = byte;
                }
            }
        });
        match result {
            Ok(_) => good += 1,
            Err(_) => bad += 1,
        }
    }
    assert!(good > 10 && bad > 10, "{good} converted, {bad} refused");
}
