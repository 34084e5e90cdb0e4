//! An encoder's GGUF: llama.cpp's names, this project's schemes.

use weights::{Kind, Writer};

use crate::{
    Error, Options, Scheme,
    checkpoint::{Checkpoint, Data, Stored},
    config::Config,
};

/// The matrices of a layer: Hugging Face's name, llama.cpp's, outputs, inputs.
type MatrixRow = (&'static str, &'static str, fn(&Config) -> (usize, usize));

const MATRICES: [MatrixRow; 6] = [
    ("attention.self.query", "attn_q", |c| (c.hidden, c.hidden)),
    ("attention.self.key", "attn_k", |c| (c.hidden, c.hidden)),
    ("attention.self.value", "attn_v", |c| (c.hidden, c.hidden)),
    ("attention.output.dense", "attn_output", |c| (c.hidden, c.hidden)),
    ("intermediate.dense", "ffn_up", |c| (c.feed_forward, c.hidden)),
    ("output.dense", "ffn_down", |c| (c.hidden, c.feed_forward)),
];

const NORMS: [(&str, &str); 2] =
    [("attention.output.LayerNorm", "attn_output_norm"), ("output.LayerNorm", "layer_output_norm")];

/// Writes the encoder `config` describes from the tensors of `checkpoint`.
pub(crate) fn write(
    config: &Config,
    checkpoint: &Checkpoint,
    tokenizer: &[u8],
    options: Options,
) -> Result<Vec<u8>, Error> {
    let mut out = Output { writer: Writer::new(), scheme: options.scheme };
    metadata(&mut out.writer, config, tokenizer, options)?;
    let prefix = config.prefix;
    let (hidden, labels) = (config.hidden, config.labels.len());
    let embeddings = [
        ("word_embeddings", "token_embd", config.vocabulary),
        ("position_embeddings", "position_embd", config.positions),
        ("token_type_embeddings", "token_types", config.token_types),
    ];
    for (from, to, rows) in embeddings {
        let name = format!("{prefix}.embeddings.{from}.weight");
        out.embedding(checkpoint.get(&name, &[rows, hidden])?, &name, &format!("{to}.weight"))?;
    }
    out.norm(checkpoint, &format!("{prefix}.embeddings.LayerNorm"), "token_embd_norm", hidden)?;
    for layer in 0..config.layers {
        let from = |name: &str| format!("{prefix}.encoder.layer.{layer}.{name}");
        for (name, to, shape) in MATRICES {
            let (rows, columns) = shape(config);
            out.linear(checkpoint, &from(name), &format!("blk.{layer}.{to}"), rows, columns)?;
        }
        for (name, to) in NORMS {
            out.norm(checkpoint, &from(name), &format!("blk.{layer}.{to}"), hidden)?;
        }
    }
    let beyond = format!("{prefix}.encoder.layer.{}.", config.layers);
    if let Some(name) = checkpoint.0.keys().find(|name| name.starts_with(&beyond)) {
        return Err(Error::config(
            "num_hidden_layers",
            format!("{}, and the file has {name}", config.layers),
        ));
    }
    out.linear(checkpoint, "classifier", "cls", labels, hidden)?;
    Ok(out.writer.to_vec())
}

fn metadata(
    writer: &mut Writer<'_>,
    config: &Config,
    tokenizer: &[u8],
    options: Options,
) -> Result<(), Error> {
    const TOKENIZER: &str = "tokenizer.json";
    let text = std::str::from_utf8(tokenizer)
        .map_err(|error| Error::format(TOKENIZER, format!("not UTF-8 at byte {}", error.valid_up_to())))?;
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map_err(|error| Error::format(TOKENIZER, error.to_string()))?;
    // Sizes are within config::MAX_SIZE.
    let size = |size: usize| size as u32;
    writer.set("general.architecture", "bert");
    writer.set("bert.block_count", size(config.layers));
    writer.set("bert.embedding_length", size(config.hidden));
    writer.set("bert.feed_forward_length", size(config.feed_forward));
    writer.set("bert.attention.head_count", size(config.heads));
    writer.set("bert.context_length", size(config.context()));
    writer.set("bert.attention.layer_norm_epsilon", config.epsilon);
    writer.set("bert.attention.causal", false);
    writer.set("lacuna.scheme", options.scheme.name());
    writer.set("lacuna.labels", config.labels.as_slice());
    let (padding, window) = match options.attended {
        None => ("none", size(config.context())),
        Some(window) if (1..=size(config.context())).contains(&window) => ("attended", window),
        Some(window) => {
            let problem = format!("padding to {window} tokens, the model takes 1 to {}", config.context());
            return Err(Error::config("max_position_embeddings", problem));
        }
    };
    if padding == "attended" && config.pad_id.is_none() {
        return Err(Error::config("pad_token_id", "is missing, and the model is to be padded"));
    }
    writer.set("lacuna.padding", padding);
    writer.set("lacuna.window", window);
    writer.set("lacuna.position_offset", size(config.position_offset));
    if let Some(id) = config.pad_id {
        writer.set("tokenizer.ggml.padding_token_id", id);
    }
    writer.set("tokenizer.huggingface.json", text);
    Ok(())
}

struct Output {
    writer: Writer<'static>,
    scheme: Scheme,
}

impl Output {
    /// A bias, or a norm's weight: f32.
    fn vector(&mut self, checkpoint: &Checkpoint, from: &str, to: &str, length: usize) -> Result<(), Error> {
        match &checkpoint.get(from, &[length])?.data {
            Data::F32(values) => {
                check_finite(from, values)?;
                Ok(self.writer.tensor(to, Kind::F32, &[length], le_bytes(values))?)
            }
            _ => Err(Error::tensor(from, "is quantised, expected a float type")),
        }
    }

    fn norm(&mut self, checkpoint: &Checkpoint, from: &str, to: &str, length: usize) -> Result<(), Error> {
        for part in ["weight", "bias"] {
            self.vector(checkpoint, &format!("{from}.{part}"), &format!("{to}.{part}"), length)?;
        }
        Ok(())
    }

    /// uint8 keeps its bytes as I8 (byte - 128) with scale and zero beside it; floats stay f32.
    ///
    /// value = `lacuna.scale.NAME` * (i8 - `lacuna.zero.NAME`): the zero is the file's, minus 128 too.
    fn embedding(&mut self, stored: &Stored, from: &str, to: &str) -> Result<(), Error> {
        let dims = [stored.dims[1], stored.dims[0]];
        match &stored.data {
            Data::F32(values) => {
                check_finite(from, values)?;
                self.writer.tensor(to, Kind::F32, &dims, le_bytes(values))?;
            }
            Data::U8 { bytes, scale, zero } => {
                let moved: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_sub(128)).collect();
                self.writer.set(&format!("lacuna.scale.{to}"), *scale);
                self.writer.set(&format!("lacuna.zero.{to}"), f32::from(*zero) - 128.0);
                self.writer.tensor(to, Kind::I8, &dims, moved)?;
            }
            Data::Q4_0(_) => return Err(Error::tensor(from, "an embedding in 4 bits is not read")),
        }
        Ok(())
    }

    fn linear(
        &mut self,
        checkpoint: &Checkpoint,
        from: &str,
        to: &str,
        rows: usize,
        columns: usize,
    ) -> Result<(), Error> {
        let name = format!("{from}.weight");
        let stored = checkpoint.get(&name, &[rows, columns])?;
        let weight = format!("{to}.weight");
        match (self.scheme, &stored.data) {
            (_, Data::U8 { .. }) => return Err(Error::tensor(&name, "a matrix in uint8 is not read")),
            (Scheme::Q4_0, Data::Q4_0(blocks)) => {
                self.writer.tensor(&weight, Kind::Q4_0, &[columns, rows], blocks.clone())?;
            }
            (Scheme::Q4_0, Data::F32(values)) => {
                let blocks = weights::quantize(Kind::Q4_0, values)
                    .map_err(|error| Error::tensor(&name, error.to_string()))?;
                self.writer.tensor(&weight, Kind::Q4_0, &[columns, rows], blocks)?;
            }
            (Scheme::Int8, Data::Q4_0(blocks)) => {
                let (quants, scales) = kernels::int8_rows_from_q4_0(rows, columns, blocks)
                    .map_err(|error| Error::tensor(&name, error.to_string()))?;
                self.int8(&weight, columns, &quants, &scales)?;
            }
            (Scheme::Int8, Data::F32(values)) => {
                check_finite(&name, values)?;
                let (quants, scales) = kernels::int8_rows(columns, values);
                self.int8(&weight, columns, &quants, &scales)?;
            }
        }
        self.vector(checkpoint, &format!("{from}.bias"), &format!("{to}.bias"), rows)
    }

    fn int8(&mut self, weight: &str, columns: usize, quants: &[i8], scales: &[f32]) -> Result<(), Error> {
        let rows = scales.len();
        let quants: Vec<u8> = quants.iter().map(|&quant| quant as u8).collect();
        self.writer.tensor(weight, Kind::I8, &[columns, rows], quants)?;
        Ok(self.writer.tensor(&format!("{weight}.scale"), Kind::F32, &[rows], le_bytes(scales))?)
    }
}

fn check_finite(name: &str, values: &[f32]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::tensor(name, format!("value {at} is {}: not a finite number", values[at]))),
    }
}

fn le_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
