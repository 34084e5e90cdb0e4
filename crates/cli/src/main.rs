//! The `lacuna` command. Every subcommand is a module; this file reads arguments and reports errors.
#![forbid(unsafe_code)]

mod bundle;
mod complete;
mod convert;
mod input;
mod inspect;
mod logits;
mod quantize;
mod redact;
mod restore;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Takes personal data out of text, on this machine, with the same answer on every machine.
#[derive(Parser)]
#[command(
    name = "lacuna",
    version,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 done, 1 failed (the message says what and where), 2 wrong arguments,\n\
                  3 some lines of an NDJSON input were refused (their answers say why), 130 ended by Ctrl-C.\n\n\
                  Try: lacuna redact \"I am Ana Lima, ana@example.org\""
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Replace names, addresses, numbers and secrets by placeholders like [EMAIL_1]
    Redact(redact::Arguments),
    /// Put the values of a map back into a redacted text
    Restore(restore::Arguments),
    /// Show the token ids the model reads and where they stand
    Tokens(logits::Arguments),
    /// Show the model's plain answer: one row of numbers a token, no rules, no windows
    Logits(logits::Arguments),
    /// List what a GGUF model file holds
    Inspect(inspect::Arguments),
    /// Make a GGUF file from a token classifier's ONNX or safetensors files
    Convert(convert::Arguments),
    /// Change the type of a GGUF file's matrices
    Quantize(quantize::Arguments),
    /// Generate text with a language model from a GGUF file
    Complete(complete::Arguments),
    /// Make one self-contained WebAssembly program of a language model
    Bundle(bundle::Arguments),
    /// Serve the HTTP component on this machine (needs lacuna-host)
    Serve(serve::Arguments),
}

/// What a command ends with when it did its work.
enum Done {
    /// Everything.
    Well,
    /// Some lines were refused, and their answers say so.
    InPart,
    /// Ctrl-C ended it.
    Interrupted,
}

type Outcome = Result<Done, Failure>;

/// Why a command did not do its work.
#[derive(Debug)]
enum Failure {
    /// The arguments do not fit together.
    Usage(String),
    /// Anything else.
    Work(String),
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Work(error.to_string())
    }
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Redact(arguments) => redact::run(&arguments),
        Command::Restore(arguments) => restore::run(&arguments),
        Command::Tokens(arguments) => logits::tokens(&arguments),
        Command::Logits(arguments) => logits::logits(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Quantize(arguments) => quantize::run(&arguments),
        Command::Complete(arguments) => complete::run(&arguments),
        Command::Bundle(arguments) => bundle::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
    };
    match outcome {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::InPart) => ExitCode::from(3),
        Ok(Done::Interrupted) => ExitCode::from(130),
        Err(Failure::Work(message)) => {
            eprintln!("lacuna: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            eprintln!("lacuna: {message}\nFor more: lacuna --help");
            ExitCode::from(2)
        }
    }
}
