//! Where texts come from and which model reads them.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use lacuna::Redactor;
use serde_json::Value;

use crate::{Done, Failure, Outcome};

/// The text of a command: an argument, a file or standard input.
#[derive(clap::Args)]
pub struct Source {
    /// The text; without it and without --file, standard input is read to its end
    pub text: Option<String>,
    /// Read the text from this file
    #[arg(short, long, value_name = "FILE", conflicts_with = "text")]
    pub file: Option<PathBuf>,
    /// Read one JSON object a line, {"id": …, "text": "…"}, and answer one a line, in order
    #[arg(long)]
    pub ndjson: bool,
}

/// The model of a command.
#[derive(clap::Args)]
pub struct Model {
    /// Use this GGUF token classifier in place of the built-in model
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// How the weights are multiplied [default: as the model file has them]
    #[arg(long, value_parser = ["q4_0", "int8"])]
    pub scheme: Option<String>,
}

impl Source {
    /// The whole input as text.
    pub fn text(&self) -> Result<String, Failure> {
        if let Some(text) = &self.text {
            return Ok(text.clone());
        }
        let (name, bytes) = match &self.file {
            Some(path) => (path.display().to_string(), read(path)?),
            None => {
                invite();
                let mut bytes = Vec::new();
                io::stdin().read_to_end(&mut bytes)?;
                ("standard input".to_string(), bytes)
            }
        };
        String::from_utf8(bytes).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            Failure::Work(format!("{name}: not UTF-8 (byte {at}); convert it first, e.g. with iconv"))
        })
    }

    /// The lines of the input, one after another.
    fn lines(&self) -> Result<Box<dyn BufRead + '_>, Failure> {
        Ok(match (&self.text, &self.file) {
            (Some(text), _) => Box::new(text.as_bytes()),
            (None, Some(path)) => Box::new(io::BufReader::new(open(path)?)),
            (None, None) => {
                invite();
                Box::new(io::stdin().lock())
            }
        })
    }

    /// Answers every NDJSON line with `answer`, several at once, and prints the answers in order.
    pub fn answer_lines(&self, answer: &(dyn Fn(&Line) -> Result<Value, Value> + Sync)) -> Outcome {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut input = self.lines()?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut failed = false;
        let mut number = 0;
        loop {
            let mut batch = Vec::new();
            while batch.len() < 8 * threads {
                let mut line = Vec::new();
                if input.read_until(b'\n', &mut line)? == 0 {
                    break;
                }
                number += 1;
                if !line.trim_ascii().is_empty() {
                    batch.push((number, line));
                }
            }
            if batch.is_empty() {
                return Ok(if failed { Done::InPart } else { Done::Well });
            }
            let share = batch.len().div_ceil(threads);
            let answers: Vec<(Value, bool)> = std::thread::scope(|scope| {
                let workers: Vec<_> = batch
                    .chunks(share)
                    .map(|lines| {
                        scope.spawn(move || lines.iter().map(|line| one(line, answer)).collect::<Vec<_>>())
                    })
                    .collect();
                workers
                    .into_iter()
                    .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                    .collect()
            });
            for (value, good) in answers {
                failed |= !good;
                writeln!(out, "{value}")?;
            }
            out.flush()?;
        }
    }
}

/// One line of NDJSON.
pub struct Line {
    /// Whatever the line gave as its `id`.
    pub id: Value,
    /// The text.
    pub text: String,
}

fn one((number, bytes): &(usize, Vec<u8>), answer: &dyn Fn(&Line) -> Result<Value, Value>) -> (Value, bool) {
    let (id, result) = match line(*number, bytes) {
        Ok(line) => (line.id.clone(), answer(&line)),
        Err((id, error)) => (id, Err(error.to_value())),
    };
    let mut out = serde_json::Map::new();
    out.insert("id".into(), id);
    let good = result.is_ok();
    match result {
        Ok(Value::Object(fields)) => out.extend(fields),
        Ok(other) => drop(out.insert("answer".into(), other)),
        Err(error) => drop(out.insert("error".into(), error)),
    }
    (out.into(), good)
}

fn line(number: usize, bytes: &[u8]) -> Result<Line, (Value, lacuna::json::ApiError)> {
    let fail = |id: Value, mut error: lacuna::json::ApiError| {
        error.message = format!("line {number}: {}", error.message);
        (id, error)
    };
    let mut object = lacuna::json::object(bytes).map_err(|e| fail(Value::Null, e))?;
    let id = object.remove("id").unwrap_or(Value::Null);
    let text = match object.remove("text") {
        Some(Value::String(text)) => text,
        _ => {
            let mut error = lacuna::json::ApiError::new(400, "invalid_field", "\"text\" must be a string");
            error.field = Some("text".into());
            return Err(fail(id, error));
        }
    };
    if let Some(field) = object.keys().next() {
        let message = format!("unknown field {field:?}; a line holds \"id\" and \"text\"");
        let mut error = lacuna::json::ApiError::new(400, "unknown_field", message);
        error.field = Some(field.clone());
        return Err(fail(id, error));
    }
    Ok(Line { id, text })
}

impl Model {
    /// Builds the redactor and hands it to `work`.
    pub fn with<T>(&self, work: impl FnOnce(&Redactor<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
        let scheme = match self.scheme.as_deref() {
            Some("int8") => Some(model::Scheme::Int8),
            Some(_) => Some(model::Scheme::Q4_0),
            None => None,
        };
        let Some(path) = &self.model else {
            return work(&Redactor::embedded_timed(scheme, &|| 0.0)?);
        };
        let named = |e: &dyn std::fmt::Display| Failure::Work(format!("{}: {e}", path.display()));
        let file = weights::mmap::Mapped::open(path).map_err(|e| named(&e))?;
        let table = lacuna::tokenizer_table(&file).map_err(|e| named(&e))?;
        let redactor = Redactor::new(&file, &table, scheme, &|| 0.0).map_err(|e| named(&e))?;
        work(&redactor)
    }
}

/// Reads a file; the error names it.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|e| Failure::Work(format!("{}: {e}", path.display())))
}

fn open(path: &Path) -> Result<fs::File, Failure> {
    fs::File::open(path).map_err(|e| Failure::Work(format!("{}: {e}", path.display())))
}

/// A person who types nothing would wait for ever otherwise.
fn invite() {
    if io::stdin().is_terminal() {
        eprintln!("lacuna: reading standard input; end it with Ctrl-D");
    }
}
