//! The pass from ids to logits.

use kernels::causal_attention::PAGE;
use kernels::rope::rope;
use kernels::{causal_attention, geglu, rms_norm, rms_norm_in_place, swiglu};

use super::angles::Angles;
use super::matrix::{Input, Matrix, Quantized, quantize};
use super::share::{helpers, share as shared};
use super::{Cache, Config, Decoder, Error, Gate, Layer};

/// Rows of one pass: longer prompts go through in pieces of this, which bounds the workspace and changes no bit.
const ROWS: usize = 256;

/// The most threads of a pass: more than any product of these models can feed.
const MAX_THREADS: usize = 64;

/// Rows of a prompt that are worth a thread of attention.
const ATTENTION_ROWS: usize = 16;

/// One sequence's part in a pass.
#[derive(Debug)]
pub struct Run<'r> {
    /// What came before, grown by `ids`.
    pub cache: &'r mut Cache,
    /// The ids that follow.
    pub ids: &'r [u32],
    /// Logits after every id, not after the last alone.
    pub every: bool,
}

/// Buffers of a pass, reused from pass to pass. One workspace serves one decoder.
#[derive(Debug, Default)]
pub struct Workspace {
    angles: Option<[Angles; 2]>,
    hidden: Vec<f32>,
    normed: Vec<f32>,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    attended: Vec<f32>,
    gate: Vec<f32>,
    up: Vec<f32>,
    scores: Vec<[f32; PAGE]>,
    quantized: Quantized,
    logits: Vec<f32>,
    /// 0 is 1: `Default` knows no other number.
    threads: usize,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Workspace {
        Workspace::default()
    }

    /// A workspace whose passes use up to `threads` threads. Their number changes no bit. WebAssembly has one.
    pub fn with_threads(threads: usize) -> Workspace {
        let threads = if cfg!(target_family = "wasm") { 1 } else { threads.clamp(1, MAX_THREADS) };
        Workspace { threads, ..Workspace::default() }
    }
}

/// Where a row of the pass belongs.
#[derive(Clone, Copy)]
struct Place {
    run: usize,
    position: usize,
}

impl Decoder<'_> {
    /// Runs all sequences in one pass and returns logits `[rows, vocabulary]`: for each run in turn, one row after its
    /// last id, or one after every id.
    ///
    /// **Errors**: no ids, an id beyond the vocabulary, more positions than the model's context. Nothing is changed
    /// then.
    pub fn forward<'w>(
        &self,
        runs: &mut [Run<'_>],
        workspace: &'w mut Workspace,
    ) -> Result<&'w [f32], Error> {
        self.check(runs)?;
        workspace.logits.clear();
        workspace.angles.get_or_insert_with(|| {
            [false, true].map(|windowed| Angles::new(&self.config.rope, self.factors.as_deref(), windowed))
        });
        let mut first = 0;
        while first < runs.len() {
            // As many whole runs as fit, or one long run in pieces.
            let mut rows = runs[first].ids.len();
            let mut end = first + 1;
            while end < runs.len() && rows + runs[end].ids.len() <= ROWS {
                rows += runs[end].ids.len();
                end += 1;
            }
            let together = &mut runs[first..end];
            if rows <= ROWS {
                self.pass(together, workspace);
            } else {
                let Run { cache, ids, every } = &mut together[0];
                let pieces = ids.len().div_ceil(ROWS);
                for (index, ids) in ids.chunks(ROWS).enumerate() {
                    let logits = *every || index + 1 == pieces;
                    self.piece(&mut [Run { cache, ids, every: *every }], logits, workspace);
                }
            }
            first = end;
        }
        Ok(&workspace.logits)
    }

    fn check(&self, runs: &[Run<'_>]) -> Result<(), Error> {
        for run in runs {
            if run.ids.is_empty() {
                return Err(Error::Empty);
            }
            let positions = run.cache.len() + run.ids.len();
            if positions > self.config.context {
                return Err(Error::Context { positions, limit: self.config.context });
            }
            let vocabulary = self.config.vocabulary;
            if let Some(at) = run.ids.iter().position(|id| *id as usize >= vocabulary) {
                return Err(Error::Id { id: run.ids[at], at, vocabulary });
            }
        }
        Ok(())
    }

    fn pass(&self, runs: &mut [Run<'_>], workspace: &mut Workspace) {
        self.piece(runs, true, workspace);
    }

    /// One pass over at most [`ROWS`] rows.
    fn piece(&self, runs: &mut [Run<'_>], logits: bool, w: &mut Workspace) {
        let hidden = self.config.hidden;
        let mut places = Vec::new();
        for (index, run) in runs.iter_mut().enumerate() {
            run.cache.reserve(run.ids.len());
            let start = run.cache.len();
            places.extend((start..start + run.ids.len()).map(|position| Place { run: index, position }));
        }
        let furthest = places.iter().map(|place| place.position + 1).max().unwrap_or(0);
        for angles in w.angles.iter_mut().flatten() {
            angles.grow(furthest);
        }
        w.hidden.resize(places.len() * hidden, 0.0);
        for (id, row) in runs.iter().flat_map(|run| run.ids).zip(w.hidden.chunks_exact_mut(hidden)) {
            self.embedding.row(*id as usize, row);
            if let Some(scale) = self.config.embedding_scale {
                row.iter_mut().for_each(|value| *value *= scale);
            }
        }
        for (index, layer) in self.layers.iter().enumerate() {
            self.attention(index, layer, runs, &places, w);
            self.feed_forward(layer, w);
        }
        for run in runs.iter_mut() {
            run.cache.advance(run.ids.len());
        }
        if logits {
            self.logits(runs, w);
        }
    }

    fn attention(
        &self,
        index: usize,
        layer: &Layer<'_>,
        runs: &mut [Run<'_>],
        places: &[Place],
        w: &mut Workspace,
    ) {
        let config = &self.config;
        let head = config.head;
        let threads = w.threads;
        w.normed.resize(w.hidden.len(), 0.0);
        rms_norm(&mut w.normed, &w.hidden, &layer.attention_norm, config.epsilon);
        let x = quantize(&[&layer.query, &layer.key, &layer.value], &w.normed, &mut w.quantized);
        product(&mut w.query, &layer.query, x, layer.query_bias.as_deref(), threads);
        product(&mut w.key, &layer.key, x, layer.key_bias.as_deref(), threads);
        product(&mut w.value, &layer.value, x, layer.value_bias.as_deref(), threads);
        if let Some(norm) = &layer.query_norm {
            rms_norm_in_place(&mut w.query, norm, config.epsilon);
        }
        if let Some(norm) = &layer.key_norm {
            rms_norm_in_place(&mut w.key, norm, config.epsilon);
        }
        let (queries, keys) = (config.heads * head, config.key_value_heads * head);
        let window = config.window_of(index);
        let angles = &w.angles.as_ref().expect("made before the first pass")[usize::from(window.is_some())];
        for (t, place) in places.iter().enumerate() {
            let (cos, sin) = angles.at(place.position);
            rope(&mut w.query[t * queries..][..queries], head, cos, sin, config.rope.pairs);
            rope(&mut w.key[t * keys..][..keys], head, cos, sin, config.rope.pairs);
            let (key, value) = (&w.key[t * keys..][..keys], &w.value[t * keys..][..keys]);
            runs[place.run].cache.write(index, place.position, key, value);
        }
        w.attended.resize(places.len() * queries, 0.0);
        let share = places.len().div_ceil(threads.max(1)).max(ATTENTION_ROWS);
        let view = Attention { config, layer: index, runs, window };
        if share >= places.len() {
            view.rows(&mut w.attended, &w.query, places, &mut w.scores);
        } else {
            let rows = w.attended.chunks_mut(share * queries).zip(w.query.chunks(share * queries));
            let parts = rows.zip(places.chunks(share)).collect();
            shared(helpers(threads), parts, |((attended, query), places): ((&mut [f32], _), _)| {
                view.rows(attended, query, places, &mut Vec::new());
            });
        }
        let x = quantize(&[&layer.attention_output], &w.attended, &mut w.quantized);
        product(&mut w.normed, &layer.attention_output, x, None, threads);
        self.add(&mut w.hidden, &mut w.normed, layer.after_attention_norm.as_deref());
    }

    fn feed_forward(&self, layer: &Layer<'_>, w: &mut Workspace) {
        let threads = w.threads;
        rms_norm(&mut w.normed, &w.hidden, &layer.feed_forward_norm, self.config.epsilon);
        let x = quantize(&[&layer.gate, &layer.up], &w.normed, &mut w.quantized);
        product(&mut w.gate, &layer.gate, x, None, threads);
        product(&mut w.up, &layer.up, x, None, threads);
        match self.config.gate {
            Gate::Silu => swiglu(&mut w.gate, &w.up),
            Gate::Gelu => geglu(&mut w.gate, &w.up),
        }
        let x = quantize(&[&layer.down], &w.gate, &mut w.quantized);
        product(&mut w.normed, &layer.down, x, None, threads);
        self.add(&mut w.hidden, &mut w.normed, layer.after_feed_forward_norm.as_deref());
    }

    /// `hidden += sublayer`, normed first where the model has such a norm.
    fn add(&self, hidden: &mut [f32], sublayer: &mut [f32], norm: Option<&[f32]>) {
        if let Some(norm) = norm {
            rms_norm_in_place(sublayer, norm, self.config.epsilon);
        }
        for (hidden, value) in hidden.iter_mut().zip(sublayer.iter()) {
            *hidden += value;
        }
    }

    fn logits(&self, runs: &[Run<'_>], w: &mut Workspace) {
        let hidden = self.config.hidden;
        // The rows that are wanted, moved together.
        let (mut row, mut wanted) = (0, 0);
        for run in runs {
            for index in 0..run.ids.len() {
                if run.every || index + 1 == run.ids.len() {
                    w.hidden.copy_within(row * hidden..(row + 1) * hidden, wanted * hidden);
                    wanted += 1;
                }
                row += 1;
            }
        }
        let normed = &mut w.normed[..wanted * hidden];
        rms_norm(normed, &w.hidden[..wanted * hidden], &self.output_norm, self.config.epsilon);
        let output = self.output.as_ref().unwrap_or(&self.embedding);
        let x = quantize(&[output], normed, &mut w.quantized);
        let start = w.logits.len();
        w.logits.resize(start + wanted * output.rows(), 0.0);
        let logits = &mut w.logits[start..];
        output.multiply(logits, x, w.threads);
        if let Some(cap) = self.config.logit_cap {
            for logit in logits {
                *logit = libm::tanhf(*logit / cap) * cap;
            }
        }
    }
}

/// What attention reads.
struct Attention<'r, 'c> {
    config: &'r Config,
    layer: usize,
    runs: &'r [Run<'c>],
    window: Option<usize>,
}

impl Attention<'_, '_> {
    /// Attends for the queries of `places`, each on its own.
    fn rows(&self, attended: &mut [f32], query: &[f32], places: &[Place], scores: &mut Vec<[f32; PAGE]>) {
        let Attention { config, layer, runs, window } = self;
        let (head, group) = (config.head, config.heads / config.key_value_heads);
        let queries = config.heads * head;
        for (t, place) in places.iter().enumerate() {
            let seen = place.position + 1;
            let visible = seen - window.map_or(seen, |window| window.min(seen))..seen;
            for kv in 0..config.key_value_heads {
                let at = t * queries + kv * group * head;
                causal_attention(
                    &mut attended[at..][..group * head],
                    &query[at..][..group * head],
                    head,
                    &runs[place.run].cache.head(*layer, kv),
                    visible.clone(),
                    config.attention_scale,
                    scores,
                );
            }
        }
    }
}

fn product(out: &mut Vec<f32>, matrix: &Matrix<'_>, x: Input<'_>, bias: Option<&[f32]>, threads: usize) {
    out.resize(x.values.len() / matrix.columns() * matrix.rows(), 0.0);
    matrix.multiply(out, x, threads);
    if let Some(bias) = bias {
        for row in out.chunks_exact_mut(bias.len()) {
            for (value, bias) in row.iter_mut().zip(bias) {
                *value += bias;
            }
        }
    }
}
