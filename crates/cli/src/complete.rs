//! `lacuna complete`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use guest::{Progress, generate};
use lacuna::complete::{End, Model};
use weights::Gguf;

use crate::{Done, Failure, Outcome, input};

/// Arguments of `lacuna complete`.
#[derive(clap::Args)]
#[command(
    after_help = "The text goes to standard output as it comes, progress and tokens a second to standard error.\n\
    Ctrl-C ends the text where it is. docs/generate.md says where to get a small model."
)]
pub struct Arguments {
    /// A GGUF file of the llama, qwen2, qwen3 or gemma3 family, or the first part of a split one
    #[arg(short, long, value_name = "FILE")]
    model: PathBuf,
    /// What to answer, or with --raw to continue; without it and without --file, standard input
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// Read the prompt from this file
    #[arg(short, long, value_name = "FILE", conflicts_with = "prompt")]
    file: Option<PathBuf>,
    /// Threads to compute on; their number changes no bit [default: the processors]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    #[command(flatten)]
    generation: guest::Arguments,
}

/// Tensors between two releases of the file's pages: a layer of these models has about ten.
const RELEASE_EVERY: usize = 10;

/// Whether a text is being written, which Ctrl-C then ends; at other times it ends the program.
static GENERATING: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let named = |e: &dyn std::fmt::Display| Failure::Work(format!("{}: {e}", arguments.model.display()));
    let source =
        input::Source { text: arguments.prompt.clone(), file: arguments.file.clone(), ndjson: false };
    let prompt = source.text()?;
    ctrlc::set_handler(|| {
        if !GENERATING.load(Ordering::Relaxed) || INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    let start = Instant::now();
    let mut progress = Progress::new(!arguments.generation.quiet);
    let mapped = weights::mmap::open_parts(&arguments.model)?;
    let parts =
        mapped.iter().map(|part| Gguf::parse(part)).collect::<Result<Vec<_>, _>>().map_err(|e| named(&e))?;
    let file = Gguf::join(parts).map_err(|e| named(&e))?;
    let model = Model::from_gguf_with(&file, &mut |done, all| {
        progress.load(done, all);
        // Tensors are repacked one by one: what was read is not needed twice.
        if done % RELEASE_EVERY == 0 || done == all {
            mapped.iter().for_each(|part| part.release());
        }
    })
    .map_err(|e| named(&e))?;
    let loaded = start.elapsed();
    GENERATING.store(true, Ordering::Relaxed);
    let mut out = std::io::stdout().lock();
    let interrupted = || INTERRUPTED.load(Ordering::Relaxed);
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.unwrap_or_else(processors);
    let report =
        generate(&model, &prompt, &arguments.generation, threads, &mut out, &mut progress, &interrupted)?;
    if out.is_terminal() && !arguments.generation.json {
        writeln!(out)?;
    }
    if !arguments.generation.quiet {
        eprintln!("loaded in {:.1} ms; {report}", loaded.as_secs_f64() * 1e3);
    }
    let cut = report.end == End::Broken && interrupted();
    Ok(if cut { Done::Interrupted } else { Done::Well })
}
