//! A conversation with a model: its cache, and the loop that generates.

use std::ops::ControlFlow;

use model::decoder::{Cache, Run, Workspace};

use super::{Error, Generation, Model, Options};

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
        let mut generation = self.begin(prompt, options)?;
        while self.step(&mut generation, PIECE, on_event)? {}
        Ok(generation.generated())
    }

    /// Begins a generation that goes on with [`Session::step`]. Of two that were begun, the later one owns the session:
    /// steps of the earlier one are meaningless.
    ///
    /// **Errors**: as [`Session::generate`].
    pub fn begin(&mut self, prompt: &[u32], options: &Options) -> Result<Generation<'m>, Error> {
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
        Ok(Generation::new(self.model.tokenizer(), prompt, cached, options))
    }

    /// Reads up to `piece` ids of the prompt, or writes one token. Returns whether there is more to do; a break of
    /// `on_event` ends it. The length of pieces changes no bit.
    ///
    /// **Errors**: a prompt that is empty.
    pub fn step(
        &mut self,
        generation: &mut Generation<'m>,
        piece: usize,
        on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<bool, Error> {
        if generation.is_over() {
            return Ok(false);
        }
        let ids = generation.next(piece).to_vec();
        self.run(&ids, &mut generation.logits)?;
        let context = self.model.decoder().config().context;
        let full = self.cache.len() == context;
        generation.took(ids.len(), full, self.model.ends(), on_event);
        Ok(!generation.is_over())
    }

    /// Bytes that the cache grows by in the next step.
    pub fn next_bytes(&self, generation: &Generation<'_>, piece: usize) -> usize {
        self.cache.more_bytes(generation.next(piece).len())
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
