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
    /// For a model that was deployed with padding and no attention mask: pad every text to so many tokens
    #[arg(long, value_name = "TOKENS")]
    attended: Option<u32>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let scheme: convert::Scheme = arguments.scheme.parse().map_err(Failure::Usage)?;
    let mut options = convert::Options::from(scheme);
    options.attended = arguments.attended;
    let bytes = convert::convert_dir(&arguments.directory, options)?;
    // A model that could not be used is not written: its tokenizer compiles and is the one of its vocabulary.
    let table = lacuna::tokenizer_table(&bytes)?;
    lacuna::Redactor::new(&bytes, &table, None, &|| 0.0)?;
    fs::write(&arguments.output, &bytes)
        .map_err(|e| Failure::Work(format!("{}: {e}", arguments.output.display())))?;
    println!("{}: {} bytes, {}", arguments.output.display(), bytes.len(), scheme.name());
    Ok(Done::Well)
}
