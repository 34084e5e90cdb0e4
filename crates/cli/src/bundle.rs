//! `lacuna bundle`: a guest and a model become one Wasm program.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use lacuna::complete::{TABLE, TABLE_KEYS, table};
use weights::{Gguf, Kind};

use crate::{Done, Failure, Outcome, input, quantize};

mod module;

/// Arguments of `lacuna bundle`.
#[derive(clap::Args)]
#[command(after_help = "The program runs in any runtime with wasip1 and SIMD:\n\
    wasmtime run model.wasm \"Why is the sky blue?\" --tokens 100\n\n\
    A guest built with relaxed SIMD (lacuna-guest-relaxed.wasm) is faster and gives the same text; some runtimes\n\
    refuse it.")]
pub struct Arguments {
    /// A GGUF file of a language model, or the first part of a split one
    #[arg(short, long, value_name = "FILE")]
    model: PathBuf,
    /// The guest [default: lacuna-guest.wasm beside this program or one folder up]
    #[arg(short, long, value_name = "FILE")]
    guest: Option<PathBuf>,
    /// Where to write the program
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let guest_path = match &arguments.guest {
        Some(path) => path.clone(),
        None => find_guest()?,
    };
    let guest = input::read(&guest_path)?;
    let named = |e: &dyn std::fmt::Display| Failure::Work(format!("{}: {e}", arguments.model.display()));
    let parts = weights::mmap::open_parts(&arguments.model)?;
    let parts =
        parts.iter().map(|part| Gguf::parse(part)).collect::<Result<Vec<_>, _>>().map_err(|e| named(&e))?;
    let file = Gguf::join(parts).map_err(|e| named(&e))?;
    let model = packed(&file).map_err(|e| named(&e))?;
    let bundle = module::with_model(&guest, &model)
        .map_err(|e| Failure::Work(format!("{}: {e}", guest_path.display())))?;
    let bytes = quantize::write(&arguments.output, &mut |out| {
        bundle.iter().try_for_each(|piece| out.write_all(piece))
    })?;
    println!("{}: {bytes} bytes, of them {} of the model", arguments.output.display(), model.len());
    Ok(Done::Well)
}

/// The model as the guest reads it: matrices packed for Wasm, the tokenizer compiled.
fn packed(file: &Gguf<'_>) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut writer = model::decoder::packed(file, "wasm32", &TABLE_KEYS)?;
    if file.tensor(TABLE).is_err() {
        let table = table(file)?;
        writer.tensor(TABLE, Kind::I8, &[table.len()], Cow::Owned(table))?;
    }
    Ok(writer.to_vec())
}

/// The guest beside this program, or one folder up: `target/lacuna-guest.wasm` for `target/release/lacuna`.
fn find_guest() -> Result<PathBuf, Failure> {
    const NAME: &str = "lacuna-guest.wasm";
    let program = std::env::current_exe()?;
    let folders: Vec<&Path> = program.ancestors().skip(1).take(2).collect();
    let found = folders.iter().map(|folder| folder.join(NAME)).find(|path| path.is_file());
    found.ok_or_else(|| {
        let places: Vec<String> =
            folders.iter().map(|folder| folder.join(NAME).display().to_string()).collect();
        Failure::Work(format!(
            "there is no guest at {}: `cargo xtask guest` builds one, --guest FILE names another",
            places.join(" or ")
        ))
    })
}
