//! BERT for token classification.

mod config;
mod weights;
mod workspace;

use ::weights::Gguf;
use kernels::attention::Shape;
use kernels::{attention, gelu, layer_norm, quantize_int8, quantize_q8_0};

pub use self::config::{Config, Padding};
pub use self::weights::{Scheme, packed_gguf};
pub use self::workspace::Workspace;

use self::weights::{CLASSIFIER, DOWN, KEY, Linear, Norm, OUTPUT, QUERY, Reader, Table, UP, VALUE};
use crate::Error;
use crate::phases::{Phase, Phases, Stopwatch};

/// Rows that go through the feed-forward network together: few enough that what lies between its products stays in
/// the second-level cache (64 rows of 1,536 f32 are 384 KiB). Rows do not depend on each other.
const FEED_FORWARD_ROWS: usize = 64;

/// An encoder over the bytes of a GGUF file.
///
/// **Source**: Devlin et al., "BERT" (2018), with the norms after the residuals; the layout of Hugging Face's
/// `BertForTokenClassification`.
#[derive(Debug)]
pub struct Encoder<'a> {
    config: Config,
    scheme: Scheme,
    words: Table<'a>,
    positions: Table<'a>,
    types: Table<'a>,
    norm: Norm<'a>,
    layers: Vec<Layer<'a>>,
    classifier: Linear<'a>,
}

#[derive(Debug)]
struct Layer<'a> {
    query: Linear<'a>,
    key: Linear<'a>,
    value: Linear<'a>,
    output: Linear<'a>,
    output_norm: Norm<'a>,
    up: Linear<'a>,
    down: Linear<'a>,
    down_norm: Norm<'a>,
}

impl<'a> Encoder<'a> {
    /// The encoder in `file`. Matrices packed ahead of time ([`packed_gguf`]) are borrowed where they lie, others are
    /// packed now. `scheme` asks for int8 rows of a q4_0 file; `None` takes the file's own scheme.
    ///
    /// # Errors
    /// When the file lacks a key or tensor, or one is not what a BERT encoder needs; the message names it.
    pub fn from_gguf(file: &Gguf<'a>, scheme: Option<Scheme>) -> Result<Encoder<'a>, Error> {
        let config = Config::read(file)?;
        let reader = Reader::new(file, &config, scheme)?;
        let layers = (0..config.layers).map(|layer| Layer::read(&reader, layer)).collect::<Result<_, _>>()?;
        Ok(Encoder {
            scheme: scheme.map_or_else(|| Scheme::of(file), Ok)?,
            words: reader.table("token_embd.weight", config.vocabulary)?,
            positions: reader.table("position_embd.weight", config.max_positions + config.position_offset)?,
            types: reader.table("token_types.weight", 1)?,
            norm: reader.norm("token_embd_norm")?,
            layers,
            classifier: reader.linear("", CLASSIFIER)?,
            config,
        })
    }

    /// The model's shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How the products are computed.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The logits of `ids`, special tokens included: whoever calls has put them there.
    ///
    /// **Shape**: `[ids.len(), labels]`, row major, borrowed from `workspace`. Padding a model asks for is added and
    /// left out again here.
    ///
    /// # Errors
    /// When there are no ids, more than the model has positions for (or than its window, if padding is attended), or
    /// an id is outside the vocabulary.
    pub fn forward<'w>(&self, ids: &[u32], workspace: &'w mut Workspace) -> Result<&'w [f32], Error> {
        Ok(self.pass(ids, workspace, None)?.0)
    }

    /// [`Encoder::forward`] and where its time went: `clock` returns milliseconds and is read at phase boundaries
    /// only.
    ///
    /// # Errors
    /// As [`Encoder::forward`].
    pub fn forward_timed<'w>(
        &self,
        ids: &[u32],
        workspace: &'w mut Workspace,
        clock: &dyn Fn() -> f64,
    ) -> Result<(&'w [f32], Phases), Error> {
        self.pass(ids, workspace, Some(clock))
    }

    fn pass<'w>(
        &self,
        ids: &[u32],
        workspace: &'w mut Workspace,
        clock: Option<&dyn Fn() -> f64>,
    ) -> Result<(&'w [f32], Phases), Error> {
        self.check(ids)?;
        let live = ids.len();
        let rows = match self.config.padding {
            Padding::None => live,
            Padding::Attended => self.config.window,
        };
        workspace.fit(&self.config, rows, live);
        let mut watch = Stopwatch::start(clock);
        self.embed(&mut workspace.hidden, ids, rows);
        watch.book(Phase::Other);
        for (index, layer) in self.layers.iter().enumerate() {
            // The last layer's padding is read by nobody.
            let wanted = if index + 1 == self.layers.len() { live } else { rows };
            self.layer(layer, workspace, rows, wanted, &mut watch);
        }
        let Workspace { hidden, quantized, logits, .. } = workspace;
        let logits = &mut logits[..live * self.config.labels.len()];
        self.quantize(quantized, &hidden[..live * self.config.hidden], self.config.hidden);
        self.classifier.apply(logits, quantized);
        watch.book(Phase::Matmul);
        Ok((logits, watch.stop()))
    }

    fn check(&self, ids: &[u32]) -> Result<(), Error> {
        let limit = match self.config.padding {
            Padding::None => self.config.max_positions,
            Padding::Attended => self.config.window,
        };
        if ids.is_empty() || ids.len() > limit {
            return Err(Error::Length { got: ids.len(), limit });
        }
        let vocabulary = self.config.vocabulary;
        match ids.iter().position(|id| *id as usize >= vocabulary) {
            Some(index) => Err(Error::Token { index, id: ids[index], vocabulary }),
            None => Ok(()),
        }
    }

    /// word + type + position, normalised.
    fn embed(&self, hidden: &mut [f32], ids: &[u32], rows: usize) {
        let Config { hidden: columns, position_offset, pad, .. } = self.config;
        let padding = std::iter::repeat_n(pad, rows - ids.len());
        let mut position = position_offset;
        for (out, id) in hidden.chunks_exact_mut(columns).zip(ids.iter().copied().chain(padding)) {
            // Where positions start late, padding has the row before the first and does not count.
            let at = if position_offset > 0 && id == pad {
                position_offset - 1
            } else {
                position += 1;
                position - 1
            };
            kernels::embedding::embedding(
                out,
                &[self.words.row(id as usize), self.types.row(0), self.positions.row(at)],
            );
        }
        self.norm(&mut hidden[..rows * columns], None, &self.norm);
    }

    /// One layer over `rows` rows of `workspace.hidden`, of which the first `wanted` are computed.
    fn layer(
        &self,
        layer: &Layer<'_>,
        workspace: &mut Workspace,
        rows: usize,
        wanted: usize,
        watch: &mut Stopwatch<'_>,
    ) {
        let Config { hidden: columns, feed_forward, heads, .. } = self.config;
        let Workspace {
            hidden,
            query,
            key,
            value,
            context,
            update,
            wide,
            quantized,
            quantized_wide,
            scratch,
            ..
        } = workspace;
        let (all, some) = (rows * columns, wanted * columns);
        let (query, key, value) = (&mut query[..some], &mut key[..all], &mut value[..all]);
        self.quantize(quantized, &hidden[..all], columns);
        layer.query.apply(query, quantized);
        layer.key.apply(key, quantized);
        layer.value.apply(value, quantized);
        watch.book(Phase::Matmul);

        let (hidden, context, update) = (&mut hidden[..some], &mut context[..some], &mut update[..some]);
        let shape = Shape { queries: wanted, keys: rows, heads, head: self.config.head() };
        attention(context, query, key, value, shape, scratch);
        watch.book(Phase::Attention);

        self.quantize(quantized, context, columns);
        layer.output.apply(update, quantized);
        watch.book(Phase::Matmul);
        self.norm(hidden, Some(update), &layer.output_norm);
        watch.book(Phase::Other);

        let slice = FEED_FORWARD_ROWS * columns;
        for (hidden, update) in hidden.chunks_mut(slice).zip(update.chunks_mut(slice)) {
            let wide = &mut wide[..hidden.len() / columns * feed_forward];
            self.quantize(quantized, hidden, columns);
            layer.up.apply(wide, quantized);
            watch.book(Phase::Matmul);
            gelu(wide);
            watch.book(Phase::Other);
            self.quantize(quantized_wide, wide, feed_forward);
            layer.down.apply(update, quantized_wide);
            watch.book(Phase::Matmul);
            self.norm(hidden, Some(update), &layer.down_norm);
            watch.book(Phase::Other);
        }
    }

    fn quantize(&self, out: &mut kernels::Activations, x: &[f32], columns: usize) {
        match self.scheme {
            Scheme::Q4_0 => quantize_q8_0(out, x, columns),
            Scheme::Int8 => quantize_int8(out, x, columns),
        }
    }

    fn norm(&self, x: &mut [f32], residual: Option<&[f32]>, norm: &Norm<'_>) {
        layer_norm(x, residual, &norm.weight, &norm.bias, self.config.epsilon);
    }
}

impl<'a> Layer<'a> {
    fn read(reader: &Reader<'_, 'a>, index: usize) -> Result<Layer<'a>, Error> {
        let prefix = format!("blk.{index}.");
        Ok(Layer {
            query: reader.linear(&prefix, QUERY)?,
            key: reader.linear(&prefix, KEY)?,
            value: reader.linear(&prefix, VALUE)?,
            output: reader.linear(&prefix, OUTPUT)?,
            output_norm: reader.norm(&format!("{prefix}attn_output_norm"))?,
            up: reader.linear(&prefix, UP)?,
            down: reader.linear(&prefix, DOWN)?,
            down_norm: reader.norm(&format!("{prefix}layer_output_norm"))?,
        })
    }
}
