//! How to generate.

use super::Error;

/// The most tokens one call generates, whatever it asks for: the longest context there is.
pub const MAX_TOKENS: usize = model::decoder::MAX_CONTEXT;

/// The most stop strings, and bytes of one: every new byte is compared with each.
const MAX_STOPS: usize = 64;
const MAX_STOP_BYTES: usize = 1024;

/// How to generate. The default takes the most likely token, 256 times.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Tokens at most.
    pub max_tokens: usize,
    /// Logits are divided by it; 0 takes the most likely token.
    pub temperature: f32,
    /// Only the `k` most likely tokens; 0: all.
    pub top_k: usize,
    /// Only the most likely tokens that together reach this probability; 1: all.
    pub top_p: f32,
    /// Only tokens at least this likely, as a share of the most likely one; 0: all.
    pub min_p: f32,
    /// Logits of tokens among the last [`Options::penalty_window`] are divided by it when positive, multiplied when
    /// negative; 1: unchanged.
    pub repetition_penalty: f32,
    /// Taken off the logit of every token among them.
    pub presence_penalty: f32,
    /// Taken off once for each time a token is among them.
    pub frequency_penalty: f32,
    /// How many of the last tokens, prompt included, the penalties look at.
    pub penalty_window: usize,
    /// Added to the logits of these tokens; negative infinity forbids one.
    pub logit_bias: Vec<(u32, f32)>,
    /// Start of the random numbers.
    pub seed: u64,
    /// Texts that end the generation and are not part of it, special tokens' texts among them.
    pub stop: Vec<String>,
    /// Tells the log-probability of each token, and of this many most likely ones; none: neither.
    pub logprobs: Option<usize>,
    /// Writes special tokens out as text.
    pub special: bool,
    /// Goes on after an end-of-generation token.
    pub ignore_end: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_tokens: 256,
            temperature: 0.0,
            top_k: 0,
            top_p: 1.0,
            min_p: 0.0,
            repetition_penalty: 1.0,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            penalty_window: 64,
            logit_bias: Vec::new(),
            seed: 0,
            stop: Vec::new(),
            logprobs: None,
            special: false,
            ignore_end: false,
        }
    }
}

impl Options {
    /// Checks every range.
    ///
    /// **Errors**: names the option and what was found.
    pub fn check(&self, vocabulary: usize) -> Result<(), Error> {
        let fail = |name, problem: String| Err(Error::Option { name, problem });
        let within = |name, value: f32, low: f32, high: f32| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            fail(name, format!("{value} is not in {low}..={high}"))
        };
        within("temperature", self.temperature, 0.0, 100.0)?;
        within("top_p", self.top_p, 0.0, 1.0)?;
        within("min_p", self.min_p, 0.0, 1.0)?;
        within("repetition_penalty", self.repetition_penalty, 0.01, 100.0)?;
        within("presence_penalty", self.presence_penalty, -100.0, 100.0)?;
        within("frequency_penalty", self.frequency_penalty, -100.0, 100.0)?;
        if !(1..=MAX_TOKENS).contains(&self.max_tokens) {
            return fail("max_tokens", format!("{} is not in 1..={MAX_TOKENS}", self.max_tokens));
        }
        if let Some((id, _)) = self.logit_bias.iter().find(|(id, _)| *id as usize >= vocabulary) {
            return fail("logit_bias", format!("id {id} is not below the vocabulary's {vocabulary}"));
        }
        if let Some((id, _)) = self.logit_bias.iter().find(|(_, bias)| bias.is_nan()) {
            return fail("logit_bias", format!("the bias of id {id} is not a number"));
        }
        if self.stop.len() > MAX_STOPS {
            return fail("stop", format!("{} stop strings are over {MAX_STOPS}", self.stop.len()));
        }
        match self.stop.iter().find(|stop| !(1..=MAX_STOP_BYTES).contains(&stop.len())) {
            Some(stop) => fail("stop", format!("{} bytes are not in 1..={MAX_STOP_BYTES}", stop.len())),
            None => Ok(()),
        }
    }
}
