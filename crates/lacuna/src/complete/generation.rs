//! What is under way: a text between two of its tokens.

use std::ops::ControlFlow;

use tokens::{Stream, Tokenizer};

use super::sample::{Sampler, largest, log_sum_exp};
use super::stop::Stops;
use super::{End, Event, Generated, Logprob, Options};

/// A generation under way; [`super::Session::step`] takes it further.
#[derive(Debug)]
pub struct Generation<'m> {
    tokenizer: Tokenizer<'m>,
    stream: Stream<'m>,
    stops: Stops,
    sampler: Sampler,
    options: Options,
    /// The prompt, then what was chosen.
    history: Vec<u32>,
    prompt: usize,
    /// Ids of `history` that the cache holds.
    run: usize,
    cached: usize,
    pub(super) logits: Vec<f32>,
    end: Option<End>,
}

impl<'m> Generation<'m> {
    pub(super) fn new(
        tokenizer: Tokenizer<'m>,
        prompt: &[u32],
        cached: usize,
        options: &Options,
    ) -> Generation<'m> {
        Generation {
            tokenizer,
            stream: tokenizer.stream().with_special(),
            stops: Stops::new(&options.stop),
            sampler: Sampler::new(options.seed),
            options: options.clone(),
            history: prompt.to_vec(),
            prompt: prompt.len(),
            run: cached,
            cached,
            logits: Vec::new(),
            end: None,
        }
    }

    /// What was generated so far.
    pub fn generated(&self) -> Generated {
        let ids = self.history[self.prompt..].to_vec();
        Generated { ids, end: self.end.unwrap_or(End::Broken), cached: self.cached }
    }

    /// Ids of the prompt.
    pub fn prompt(&self) -> usize {
        self.prompt
    }

    /// Whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// The ids that are run next.
    pub(super) fn next(&self, piece: usize) -> &[u32] {
        let rest = &self.history[self.run..];
        &rest[..rest.len().min(piece.max(1))]
    }

    /// The logits after so many more ids are there. `full`: the context takes no more.
    pub(super) fn took(
        &mut self,
        count: usize,
        full: bool,
        ends: &[u32],
        on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) {
        let reading = self.run < self.prompt;
        self.run += count;
        if reading && on_event(Event::Prompt { done: self.run, all: self.prompt }).is_break() {
            self.end = Some(End::Broken);
        } else if self.run == self.history.len() {
            self.end = self.choose(full, ends, on_event);
            if self.end.is_some_and(|end| !matches!(end, End::Stop | End::Broken)) {
                self.flush(on_event);
            }
        }
    }

    /// Chooses a token and gives out the text that is certain; returns why the text ends here, if it does.
    fn choose(
        &mut self,
        full: bool,
        ends: &[u32],
        on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Option<End> {
        if on_event(Event::Logits(&self.logits)).is_break() {
            return Some(End::Broken);
        }
        let id = self.sampler.choose(&self.logits, &self.history, &self.options);
        self.history.push(id);
        let chosen = logprob(&self.logits, id, self.options.logprobs);
        if on_event(Event::Token(&chosen)).is_break() {
            return Some(End::Broken);
        }
        let (out, stop) = self.text(id);
        if !out.is_empty() && on_event(Event::Text(&out)).is_break() {
            return Some(End::Broken);
        }
        if stop {
            return Some(End::Stop);
        }
        if ends.contains(&id) && !self.options.ignore_end {
            return Some(End::End);
        }
        if self.history.len() - self.prompt == self.options.max_tokens {
            return Some(End::Length);
        }
        full.then_some(End::Context)
    }

    /// The text that is certain after `id`, and whether a stop string was met.
    fn text(&mut self, id: u32) -> (String, bool) {
        let special = self.tokenizer.is_special(id);
        let text = self.stream.push(id);
        // Bytes of a character that the special token cut off come before it.
        let own = if special { self.tokenizer.token(id).map_or(0, <[u8]>::len).min(text.len()) } else { 0 };
        let hidden = if text.is_char_boundary(text.len() - own) { own } else { 0 };
        let (before, token) = text.split_at(text.len() - hidden);
        let shown = !special || self.options.special;
        let (out, stop) = self.stops.push(before, !special || hidden > 0 || self.options.special);
        if stop || token.is_empty() {
            return (out, stop);
        }
        let (more, stop) = self.stops.push(token, shown);
        (out + &more, stop)
    }

    /// Gives out what was held back, at the end.
    fn flush(&mut self, on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) {
        let (mut out, stop) = self.stops.push(self.stream.finish(), true);
        if stop {
            self.end = Some(End::Stop);
        } else {
            out += &self.stops.finish();
        }
        if !out.is_empty() {
            let _ = on_event(Event::Text(&out));
        }
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
