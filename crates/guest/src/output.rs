//! What goes to standard output.

use std::io::{self, Write};
use std::ops::ControlFlow;

use lacuna::complete::{Event, Generated, Logprob};
use serde_json::json;

use crate::Arguments;

/// Streams text, or collects it for one JSON object.
pub(crate) struct Output<'o> {
    out: &'o mut dyn Write,
    json: Option<Collected>,
    logprobs: bool,
    failure: Option<io::Error>,
}

struct Collected {
    text: String,
    tokens: Vec<Logprob>,
    digest: u64,
}

impl<'o> Output<'o> {
    pub fn new(out: &'o mut dyn Write, arguments: &Arguments) -> Output<'o> {
        let json = arguments.json.then(|| Collected {
            text: String::new(),
            tokens: Vec::new(),
            digest: 0xcbf2_9ce4_8422_2325,
        });
        Output { out, json, logprobs: arguments.logprobs.is_some(), failure: None }
    }

    /// Takes an event; breaks when it must, or when nobody reads any more.
    pub fn take(&mut self, event: &Event<'_>, interrupted: bool) -> ControlFlow<()> {
        match (event, &mut self.json) {
            (Event::Text(text), None) => {
                let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
                if let Err(error) = written {
                    self.failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            (Event::Text(text), Some(json)) => json.text += text,
            (Event::Logits(logits), Some(json)) => json.digest = digest(json.digest, logits),
            (Event::Token(token), Some(json)) if self.logprobs => json.tokens.push((*token).clone()),
            _ => {}
        }
        if interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Writes what was collected.
    pub fn finish(self, prompt: &[u32], generated: &Generated) -> io::Result<()> {
        if let Some(error) = self.failure {
            return read_or(error);
        }
        let Some(json) = self.json else { return Ok(()) };
        let mut object = json!({
            "text": json.text,
            "end": generated.end.name(),
            "prompt_tokens": prompt.len(),
            "ids": generated.ids,
            "digest": format!("{:016x}", json.digest),
        });
        if self.logprobs {
            object["logprobs"] = json.tokens.iter().map(logprob).collect();
        }
        writeln!(self.out, "{object}").and_then(|()| self.out.flush()).or_else(read_or)
    }
}

/// A reader that has seen enough closes the pipe: `| head` is no failure.
fn read_or(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

fn logprob(token: &Logprob) -> serde_json::Value {
    let top: Vec<_> = token.top.iter().map(|(id, logprob)| json!({ "id": id, "logprob": logprob })).collect();
    json!({ "id": token.id, "logprob": token.logprob, "top": top })
}

/// FNV-1a over the bits of the logits, every NaN as 0x7fc00000.
fn digest(start: u64, logits: &[f32]) -> u64 {
    logits
        .iter()
        .map(|logit| if logit.is_nan() { 0x7fc0_0000 } else { logit.to_bits() })
        .flat_map(u32::to_le_bytes)
        .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
