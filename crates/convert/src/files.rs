//! Where the parts of a model come from.

use std::{fs, path::Path};

use crate::{Error, Options};

/// The files of a token classifier, read already.
#[derive(Debug, Clone, Copy)]
pub struct Files<'a> {
    /// `config.json`.
    pub config: &'a [u8],
    /// `tokenizer.json`.
    pub tokenizer: &'a [u8],
    /// The weights.
    pub weights: Weights<'a>,
}

/// The weights of a token classifier.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Weights<'a> {
    /// A whole ONNX file, its tensors inside.
    Onnx(&'a [u8]),
    /// A whole safetensors file.
    Safetensors(&'a [u8]),
}

/// Where weights are looked for, in this order; the first that exists is read.
const WEIGHTS: [&str; 6] = [
    "model.safetensors",
    "model.onnx",
    "model_q4.onnx",
    "onnx/model.onnx",
    "onnx/model_q4.onnx",
    "onnx/model_fp16.onnx",
];

/// Other forms of weights, and what to do about them.
const OTHERS: [(&str, &str); 3] = [
    (
        "model.safetensors.index.json",
        "write one file, with save_pretrained and a max_shard_size above the model's size",
    ),
    ("pytorch_model.bin", "a pickle can run code; save_pretrained writes model.safetensors"),
    (
        "tf_model.h5",
        "AutoModelForTokenClassification.from_pretrained with from_tf loads it, save_pretrained writes it",
    ),
];

/// Converts the token classifier in a directory as Hugging Face lays it out: `config.json`,
/// `tokenizer.json` and the first of the usual names of weights.
///
/// **Errors**: as [`crate::convert`], and files that are absent or cannot be read.
pub fn convert_dir(dir: impl AsRef<Path>, options: impl Into<Options>) -> Result<Vec<u8>, Error> {
    let dir = dir.as_ref();
    let Some(weights) = WEIGHTS.iter().map(|name| dir.join(name)).find(|path| path.is_file()) else {
        let mut problem = format!("no weights in it: looked for {}", WEIGHTS.join(", "));
        for (name, why) in OTHERS.iter().filter(|(name, _)| dir.join(name).is_file()) {
            problem += &format!("; {name} is not read: {why}");
        }
        let source = std::io::Error::new(std::io::ErrorKind::NotFound, problem);
        return Err(Error::File { path: dir.display().to_string(), source });
    };
    let config = read(&dir.join("config.json"))?;
    let tokenizer = read(&dir.join("tokenizer.json"))?;
    let bytes = read(&weights)?;
    let weights = match weights.extension() {
        Some(extension) if extension == "safetensors" => Weights::Safetensors(&bytes),
        _ => Weights::Onnx(&bytes),
    };
    crate::convert(&Files { config: &config, tokenizer: &tokenizer, weights }, options)
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| Error::File { path: path.display().to_string(), source })
}
