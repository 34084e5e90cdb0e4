//! `lacuna quantize`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use weights::{Gguf, Kind};

use crate::{Done, Failure, Outcome};

/// Arguments of `lacuna quantize`.
#[derive(clap::Args)]
#[command(
    after_help = "Vectors (norms, biases) and matrices whose rows are not whole blocks stay as they are.\n\
    Converting a quantised file loses a little more each time: start from the finest one there is."
)]
pub struct Arguments {
    /// The GGUF file, or the first part of a split one
    file: PathBuf,
    /// Where to write the new file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The type of the matrices
    #[arg(short, long, value_parser = ["f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1"])]
    r#type: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let kind = [Kind::F32, Kind::F16, Kind::BF16, Kind::Q8_0, Kind::Q4_0, Kind::Q4_1, Kind::Q5_0, Kind::Q5_1]
        .into_iter()
        .find(|kind| kind.name().eq_ignore_ascii_case(&arguments.r#type))
        .ok_or_else(|| Failure::Usage(format!("no type {}", arguments.r#type)))?;
    let named = |e: &dyn std::fmt::Display| Failure::Work(format!("{}: {e}", arguments.file.display()));
    let parts = weights::mmap::open_parts(&arguments.file)?;
    let parts =
        parts.iter().map(|part| Gguf::parse(part)).collect::<Result<Vec<_>, _>>().map_err(|e| named(&e))?;
    let file = Gguf::join(parts).map_err(|e| named(&e))?;
    let writer = weights::quantize_file(&file, kind).map_err(|e| named(&e))?;
    let bytes = write(&arguments.output, &mut |out| writer.write(out))?;
    println!("{}: {bytes} bytes, {}", arguments.output.display(), kind.name());
    Ok(Done::Well)
}

/// Writes a file beside its final place and moves it there when it is whole, so that the input may be the output and
/// a full disk leaves no half file.
pub fn write(
    path: &Path,
    content: &mut dyn FnMut(&mut BufWriter<std::fs::File>) -> std::io::Result<()>,
) -> Result<u64, Failure> {
    let named = |e: std::io::Error| Failure::Work(format!("{}: {e}", path.display()));
    let name =
        path.file_name().ok_or_else(|| Failure::Usage(format!("{} is no file name", path.display())))?;
    let mut partial = name.to_owned();
    partial.push(format!(".{}.part", std::process::id()));
    let partial = path.with_file_name(partial);
    let written = (|| {
        let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(&partial)?);
        content(&mut out)?;
        out.flush()?;
        let bytes = out.get_ref().metadata()?.len();
        std::fs::rename(&partial, path)?;
        Ok(bytes)
    })();
    if written.is_err() {
        // What was begun is of no use; that it cannot be removed changes nothing.
        let _ = std::fs::remove_file(&partial);
    }
    written.map_err(named)
}
