//! `lacuna inspect`.

use std::path::PathBuf;

use weights::{Gguf, Value};

use crate::{Done, Failure, Outcome};

/// Arguments of `lacuna inspect`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The GGUF file
    file: PathBuf,
}

/// Longest text of a metadata value that is shown whole.
const SHOWN: usize = 60;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let named = |e: &dyn std::fmt::Display| Failure::Work(format!("{}: {e}", arguments.file.display()));
    let bytes = weights::mmap::Mapped::open(&arguments.file).map_err(|e| named(&e))?;
    let file = Gguf::parse(&bytes).map_err(|e| named(&e))?;
    println!(
        "GGUF version {}, {} bytes, tensors aligned to {}",
        file.version(),
        bytes.len(),
        file.alignment()
    );
    println!("\nmetadata");
    for (key, value) in file.keys() {
        println!("  {key} = {}", shown(&value));
    }
    println!("\ntensors");
    let (mut count, mut total) = (0, 0);
    for tensor in file.tensors() {
        let shape = format!("{} x {}", tensor.rows(), tensor.columns());
        println!(
            "  {:<40} {:<6} {shape:>15} {:>12} bytes",
            tensor.name,
            tensor.kind.name(),
            tensor.bytes.len()
        );
        count += 1;
        total += tensor.bytes.len();
    }
    println!("\n{count} tensors, {total} bytes");
    Ok(Done::Well)
}

fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Str(text) if text.chars().count() > SHOWN => {
            format!("{:?}… ({} bytes)", text.chars().take(SHOWN).collect::<String>(), text.len())
        }
        Value::Str(text) => format!("{text:?}"),
        Value::Array(array) => {
            let first: Vec<_> = array.iter().take(4).map(|value| shown(&value)).collect();
            let more = if array.len() > 4 { ", …" } else { "" };
            format!("[{}{more}] ({} values)", first.join(", "), array.len())
        }
        Value::Bool(value) => value.to_string(),
        Value::F32(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        other => other.unsigned().map_or_else(|| format!("{other:?}"), |number| number.to_string()),
    }
}
