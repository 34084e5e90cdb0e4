//! ONNX, safetensors and Hugging Face configurations to GGUF.
//!
//! A token classifier comes as `config.json`, `tokenizer.json` and its weights, either
//! `model.safetensors` or an ONNX file (f32, f16, bf16, or 4-bit `MatMulNBits` with uint8 embeddings).
//! [`convert`] returns the GGUF file that `model::Encoder` reads; [`convert_dir`] finds the files in a
//! directory first. The same input gives the same bytes.
//!
//! **Scheme** `q4_0`: matrices as GGML Q4_0 blocks. A float matrix is quantised with GGML's reference
//! rounding ([`weights::quantize`]); a 4-bit ONNX matrix keeps its own quants, its f32 scales become f16
//! (nearest, ties to even).
//!
//! **Scheme** `int8`: one symmetric int8 scale a row, max |w| / 127. For a 4-bit matrix it is *defined*
//! from the Q4_0 blocks by [`kernels::int8_rows_from_q4_0`], so that it also follows from a q4_0 file at
//! load; a float matrix is quantised once, from its own values, by [`kernels::int8_rows`].
//!
//! Biases, norms and float embeddings are f32; uint8 embeddings keep their bytes.
#![forbid(unsafe_code)]

mod checkpoint;
mod config;
mod encoder;
mod error;
mod files;
mod onnx;
mod onnx_proto;
mod q4_0;
mod safetensors;

pub use error::Error;
pub use files::{Files, Weights, convert_dir};

/// How the matrices of the result are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// GGML Q4_0 blocks: 32 weights of 4 bits and an f16 scale.
    Q4_0,
    /// One symmetric int8 scale a row.
    Int8,
}

impl Scheme {
    /// Its name in `lacuna.scheme` and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Q4_0 => "q4_0",
            Scheme::Int8 => "int8",
        }
    }
}

impl std::str::FromStr for Scheme {
    type Err = String;

    fn from_str(name: &str) -> Result<Scheme, String> {
        match name {
            "q4_0" => Ok(Scheme::Q4_0),
            "int8" => Ok(Scheme::Int8),
            other => Err(format!("unknown scheme {other}: q4_0 and int8 are known")),
        }
    }
}

/// What the files of a model do not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// How matrices are stored.
    pub scheme: Scheme,
    /// For a model whose answers depend on padding (it was deployed with padding and without a mask): the
    /// tokens every text is filled up to. `None`, the rule: short text makes a short pass.
    pub attended: Option<u32>,
}

impl From<Scheme> for Options {
    fn from(scheme: Scheme) -> Options {
        Options { scheme, attended: None }
    }
}

/// Converts a token classifier and returns its GGUF file; a [`Scheme`] alone will do for the options.
///
/// **Errors**: a file that is not of its format, a configuration no encoder here computes, or a tensor
/// that is absent or does not fit; the message names it and the numbers.
pub fn convert(files: &Files<'_>, options: impl Into<Options>) -> Result<Vec<u8>, Error> {
    let options = options.into();
    let config = config::Config::parse(files.config)?;
    let checkpoint = match &files.weights {
        Weights::Onnx(bytes) => onnx::read(bytes)?,
        Weights::Safetensors(bytes) => safetensors::read(bytes)?,
    };
    encoder::write(&config, &checkpoint, files.tokenizer, options)
}
