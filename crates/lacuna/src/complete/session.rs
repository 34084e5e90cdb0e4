//! A conversation with a model: its cache, and the loop that generates.

use std::ops::ControlFlow;

use model::decoder::{Cache, Run, Workspace};

use super::sample::{Sampler, largest, log_sum_exp};
use super::stop::Stops;
use super::{Error, Model, Options};

/// Prompt ids a pass: progress is told this often.
const PIECE: usize = 256;

/// One sequence. What a new prompt has in common with the last text is not computed again; the logits are the same
/// bits either way.
#[derive(Debug)]
pub struct Session<'m, 'a> {
    model: &'m Model<'a>,
    cache: Cache,
    ids: Vec<u32>,
    workspace: Workspace,
}

/// What happens on the way.
#[derive(Debug)]
pub enum Event<'e> {
    /// So much of the prompt was read.
    Prompt {
        /// Ids read, or found in the cache.
        done: usize,
        /// Ids of the prompt.
        all: usize,
    },
    /// Logits of the next token, before penalties.
    Logits(&'e [f32]),
    /// A token was chosen.
    Token(&'e Logprob),
    /// Text that is certain.
    Text(&'e str),
}

/// A chosen token; log-probabilities are those of the model, before penalties and temperature.
#[derive(Clone, Debug, PartialEq)]
pub struct Logprob {
    /// The token.
    pub id: u32,
    /// Its log-probability, when asked for.
    pub logprob: Option<f32>,
    /// The most likely tokens, when asked for.
    pub top: Vec<(u32, f32)>,
}

/// Why a generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The model ended its text.
    End,
    /// A stop string was met.
    Stop,
    /// As many tokens as were allowed.
    Length,
    /// The model's context is full.
    Context,
    /// The caller broke off.
    Broken,
}

impl End {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            End::End => "end",
            End::Stop => "stop",
            End::Length => "length",
            End::Context => "context",
            End::Broken => "broken",
        }
    }
}

/// What was generated.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The tokens, the end token included.
    pub ids: Vec<u32>,
    /// Why it ended.
    pub end: End,
    /// Ids of the prompt that the cache had.
    pub cached: usize,
}

impl<'m, 'a> Session<'m, 'a> {
    /// An empty session.
    pub fn new(model: &'m Model<'a>) -> Session<'m, 'a> {
        Session::with_threads(model, 1)
    }

    /// An empty session that computes on up to `threads` threads. Their number changes no bit.
    pub fn with_threads(model: &'m Model<'a>, threads: usize) -> Session<'m, 'a> {
        let workspace = Workspace::with_threads(threads);
        Session { model, cache: model.decoder().cache(), ids: Vec::new(), workspace }
    }

    /// Bytes of the cache.
    pub fn cache_bytes(&self) -> usize {
        self.cache.bytes()
    }

    /// Continues `prompt`. A break of `on_event` ends the generation; the session can be used again.
    ///
    /// **Errors**: an option out of range; a prompt that is empty, or longer than the model's context.
    pub fn generate(
        &mut self,
        prompt: &[u32],
        options: &Options,
        on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Generated, Error> {
        let config = self.model.decoder().config();
        options.check(config.vocabulary)?;
        if prompt.len() > config.context {
            let (positions, limit) = (prompt.len(), config.context);
            return Err(model::decoder::Error::Context { positions, limit }.into());
        }
        let common = self.ids.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        // The last id is always run: its logits are needed.
        let cached = common.min(prompt.len().saturating_sub(1)).min(self.cache.len());
        self.cache.truncate(cached);
        self.ids.truncate(cached);
        let mut generated = Generated { ids: Vec::new(), end: End::Length, cached };
        let mut logits = Vec::new();
        let mut rest = &prompt[cached..];
        loop {
            let (piece, after) = rest.split_at(rest.len().min(PIECE));
            self.run(piece, &mut logits)?;
            rest = after;
            let event = Event::Prompt { done: prompt.len() - rest.len(), all: prompt.len() };
            if on_event(event).is_break() {
                generated.end = End::Broken;
                return Ok(generated);
            }
            if rest.is_empty() {
                break;
            }
        }
        self.tokens(prompt, options, logits, &mut generated, on_event)?;
        Ok(generated)
    }

    fn tokens(
        &mut self,
        prompt: &[u32],
        options: &Options,
        mut logits: Vec<f32>,
        generated: &mut Generated,
        on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let tokenizer = self.model.tokenizer();
        let mut stream = tokenizer.stream().with_special();
        let mut stops = Stops::new(&options.stop);
        let mut sampler = Sampler::new(options.seed);
        let mut history = prompt.to_vec();
        let context = self.model.decoder().config().context;
        let mut stopped = false;
        for index in 0..options.max_tokens {
            if on_event(Event::Logits(&logits)).is_break() {
                generated.end = End::Broken;
                break;
            }
            let id = sampler.choose(&logits, &history, options);
            generated.ids.push(id);
            history.push(id);
            let chosen = logprob(&logits, id, options.logprobs);
            if on_event(Event::Token(&chosen)).is_break() {
                generated.end = End::Broken;
                break;
            }
            let ends = self.model.ends().contains(&id);
            let special = tokenizer.is_special(id);
            let text = stream.push(id);
            // Bytes of a character that the special token cut off come before it.
            let own = if special { tokenizer.token(id).map_or(0, <[u8]>::len).min(text.len()) } else { 0 };
            let hidden = if text.is_char_boundary(text.len() - own) { own } else { 0 };
            let (before, token) = text.split_at(text.len() - hidden);
            let shown = !special || options.special;
            let (mut out, mut stop) = stops.push(before, !special || hidden > 0 || options.special);
            if !stop && !token.is_empty() {
                let (more, met) = stops.push(token, shown);
                (out, stop) = (out + &more, met);
            }
            if !out.is_empty() && on_event(Event::Text(&out)).is_break() {
                generated.end = End::Broken;
                break;
            }
            if stop {
                (generated.end, stopped) = (End::Stop, true);
                break;
            }
            if ends && !options.ignore_end {
                generated.end = End::End;
                break;
            }
            if index + 1 == options.max_tokens {
                break;
            }
            if self.cache.len() == context {
                generated.end = End::Context;
                break;
            }
            self.run(&[id], &mut logits)?;
        }
        if !stopped && generated.end != End::Broken {
            let (mut out, stop) = stops.push(stream.finish(), true);
            if stop {
                generated.end = End::Stop;
            } else {
                out += &stops.finish();
            }
            if !out.is_empty() {
                let _ = on_event(Event::Text(&out));
            }
        }
        Ok(())
    }

    fn run(&mut self, ids: &[u32], logits: &mut Vec<f32>) -> Result<(), Error> {
        let run = Run { cache: &mut self.cache, ids, every: false };
        let row = self.model.decoder().forward(&mut [run], &mut self.workspace)?;
        logits.clear();
        logits.extend_from_slice(row);
        self.ids.extend_from_slice(ids);
        Ok(())
    }
}

fn logprob(logits: &[f32], id: u32, wanted: Option<usize>) -> Logprob {
    let Some(count) = wanted else { return Logprob { id, logprob: None, top: Vec::new() } };
    let total = log_sum_exp(logits);
    let mut left = logits.to_vec();
    let mut top = Vec::new();
    for _ in 0..count.min(logits.len()) {
        let best = largest(&left);
        top.push((best, logits[best as usize] - total));
        left[best as usize] = f32::NAN;
    }
    Logprob { id, logprob: Some(logits[id as usize] - total), top }
}
