//! `lacuna convert`.

use std::fs;
use std::path::PathBuf;

use crate::{Done, Failure, Outcome};

/// Arguments of `lacuna convert`.
#[derive(clap::Args)]
#[command(
    after_help = "The directory holds config.json, tokenizer.json and model.safetensors or an ONNX file\n\
    (also under onnx/). docs/models.md goes through it step by step."
)]
pub struct Arguments {
    /// Directory of the model
    directory: PathBuf,
    /// Where to write the GGUF file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// How to store the matrices
    #[arg(long, default_value = "q4_0", value_parser = ["q4_0", "int8"])]
    scheme: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let scheme: convert::Scheme = arguments.scheme.parse().map_err(Failure::Usage)?;
    let bytes = convert::convert_dir(&arguments.directory, scheme)?;
    fs::write(&arguments.output, &bytes)
        .map_err(|e| Failure::Work(format!("{}: {e}", arguments.output.display())))?;
    println!("{}: {} bytes, {}", arguments.output.display(), bytes.len(), scheme.name());
    Ok(Done::Well)
}
