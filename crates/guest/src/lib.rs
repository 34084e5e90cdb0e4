//! Text generation as a program: what `lacuna complete` and the wasip1 guest have in common.
//!
//! Standard output is the generated text alone (or one JSON object); progress and rates go to standard error.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arguments;
mod output;
mod progress;

use std::io;
use std::time::{Duration, Instant};

pub use arguments::Arguments;
use lacuna::complete::{End, Error, Message, Model, Session};
pub use progress::Progress;

/// Bytes of one page of Wasm memory that a bundle leaves free below its model, for what libc allocates itself.
pub const FREE_BELOW: u32 = 16 * 65536;

/// The two words of the guest that hold where its model lies, and how long it is.
pub const MODEL_SYMBOL: &str = "LACUNA_MODEL";

/// How a generation went.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// Tokens of the prompt.
    pub prompt: usize,
    /// Time until the first token could be chosen.
    pub prompt_time: Duration,
    /// Tokens generated.
    pub tokens: usize,
    /// Time from the first token to the last.
    pub decode_time: Duration,
    /// Why it ended.
    pub end: End,
}

impl Report {
    /// Tokens of the prompt a second.
    pub fn prompt_rate(&self) -> f64 {
        self.prompt as f64 / self.prompt_time.as_secs_f64().max(1e-9)
    }

    /// Passes of one token a second: the first token comes out of the prompt's own pass.
    pub fn decode_rate(&self) -> f64 {
        self.tokens.saturating_sub(1) as f64 / self.decode_time.as_secs_f64().max(1e-9)
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        write!(
            f,
            "prompt: {} tokens in {:.1} ms, {:.1} tokens/s; text: {} tokens in {:.1} ms, {:.1} tokens/s; ended: {}",
            self.prompt,
            ms(self.prompt_time),
            self.prompt_rate(),
            self.tokens,
            ms(self.decode_time),
            self.decode_rate(),
            self.end.name()
        )
    }
}

/// The ids of `text`: as a turn of the user in the model's chat template, or as it is.
///
/// # Errors
/// The file has no template, or the template fails.
pub fn prompt(model: &Model<'_>, text: &str, arguments: &Arguments) -> Result<Vec<u32>, Error> {
    if arguments.raw {
        return Ok(model.prompt(text));
    }
    let system = arguments.system.as_deref().map(Message::system);
    let turns: Vec<Message<'_>> = system.into_iter().chain([Message::user(text)]).collect();
    model.chat(&turns)
}

/// Generates after `text`, writes to `out` as it comes, and returns how it went. A true answer of `interrupted` ends
/// the text where it is.
///
/// # Errors
/// What [`Session::generate`] refuses, and an `out` that cannot be written.
pub fn generate(
    model: &Model<'_>,
    text: &str,
    arguments: &Arguments,
    threads: usize,
    out: &mut dyn io::Write,
    progress: &mut Progress,
    interrupted: &dyn Fn() -> bool,
) -> Result<Report, Failure> {
    let options = arguments.options();
    let ids = prompt(model, text, arguments)?;
    let mut session = Session::with_threads(model, threads);
    let mut output = output::Output::new(out, arguments);
    let (start, mut first) = (Instant::now(), None);
    let generated = session.generate(&ids, &options, &mut |event| {
        if let lacuna::complete::Event::Prompt { done, all } = event {
            progress.prompt(done, all);
            first = (done == all).then(Instant::now);
        }
        output.take(&event, interrupted())
    })?;
    let first = first.unwrap_or_else(Instant::now);
    let report = Report {
        prompt: ids.len() - generated.cached,
        prompt_time: first - start,
        tokens: generated.ids.len(),
        decode_time: first.elapsed(),
        end: generated.end,
    };
    output.finish(&ids, &generated)?;
    Ok(report)
}

/// Why nothing, or not all, was generated.
#[derive(Debug)]
pub enum Failure {
    /// The model, the prompt or an option.
    Generation(Error),
    /// Standard output.
    Output(io::Error),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Generation(error) => error.fmt(f),
            Failure::Output(error) => write!(f, "standard output: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Generation(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}
