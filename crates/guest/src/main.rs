//! The wasip1 guest: `lacuna bundle` gives it a model, and then it is a program of its own.

use std::io::Read;
use std::process::ExitCode;

use clap::Parser;
use guest::{Arguments, Progress, generate};
use lacuna::complete::Model;
use weights::Gguf;

mod bundled;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Generates text with the language model inside this file.
#[derive(Parser)]
#[command(name = "model.wasm", version)]
struct Call {
    /// What to answer, or with --raw to continue; without it, standard input
    prompt: Option<String>,
    #[command(flatten)]
    arguments: Arguments,
}

fn main() -> ExitCode {
    let call = Call::parse();
    match run(&call) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("model.wasm: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(call: &Call) -> Result<(), String> {
    let start = std::time::Instant::now();
    let bytes = bundled::model()
        .ok_or("there is no model in this guest: `lacuna bundle -m FILE -o model.wasm` adds one")?;
    let prompt = match &call.prompt {
        Some(prompt) => prompt.clone(),
        None => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|error| format!("standard input: {error}"))?;
            text
        }
    };
    let mut progress = Progress::new(!call.arguments.quiet);
    let file = Gguf::parse(bytes).map_err(|error| error.to_string())?;
    let model = Model::from_gguf_with(&file, &mut |done, all| progress.load(done, all))
        .map_err(|error| error.to_string())?;
    let loaded = start.elapsed();
    let mut out = std::io::stdout().lock();
    let report = generate(&model, &prompt, &call.arguments, 1, &mut out, &mut progress, &|| false)
        .map_err(|error| error.to_string())?;
    if !call.arguments.quiet {
        eprintln!("loaded in {:.1} ms; {report}", loaded.as_secs_f64() * 1e3);
    }
    Ok(())
}
