//! Decoder language models: ids to logits, one family of code for llama, qwen2, qwen3 and gemma3.
//!
//! What a file's metadata and tensors say decides what runs: head sizes, grouped queries, biases, query and key
//! norms, norms after a sublayer, sliding windows, tied embeddings, rope and its scaling. Only what no key tells
//! (which values rope pairs, the gate, a scaled embedding) comes from the architecture's row in `config.rs`.
//!
//! # Exactness
//! Every sum has one order, which depends on positions and shapes alone: logits are the same bits for a prompt in one
//! pass or token by token, with a cold or a warm cache, alone or beside other sequences, on any number of threads.

mod angles;
mod arriving;
mod cache;
mod config;
mod error;
mod forward;
mod matrix;
mod packed;
mod share;
#[cfg(test)]
mod tests;

pub use arriving::{Arriving, Image, Plan};
pub use cache::Cache;
pub use config::{Config, Gate, MAX_CONTEXT, Rope, Scaling};
pub use error::Error;
pub use forward::{Run, Workspace};
pub use matrix::Matrix;
pub use packed::packed;

use std::borrow::Cow;

use weights::Gguf;

/// A decoder whose weights are ready to multiply.
#[derive(Debug)]
pub struct Decoder<'a> {
    config: Config,
    embedding: Matrix<'a>,
    /// None: the embedding serves as output too.
    output: Option<Matrix<'a>>,
    output_norm: Cow<'a, [f32]>,
    layers: Vec<Layer<'a>>,
    /// Divisors of the rope frequencies (llama 3).
    factors: Option<Cow<'a, [f32]>>,
}

#[derive(Debug)]
struct Layer<'a> {
    attention_norm: Cow<'a, [f32]>,
    query: Matrix<'a>,
    key: Matrix<'a>,
    value: Matrix<'a>,
    query_bias: Option<Cow<'a, [f32]>>,
    key_bias: Option<Cow<'a, [f32]>>,
    value_bias: Option<Cow<'a, [f32]>>,
    query_norm: Option<Cow<'a, [f32]>>,
    key_norm: Option<Cow<'a, [f32]>>,
    attention_output: Matrix<'a>,
    after_attention_norm: Option<Cow<'a, [f32]>>,
    feed_forward_norm: Cow<'a, [f32]>,
    gate: Matrix<'a>,
    up: Matrix<'a>,
    down: Matrix<'a>,
    after_feed_forward_norm: Option<Cow<'a, [f32]>>,
}

impl<'a> Decoder<'a> {
    /// Reads a GGUF file: matrices that are packed already are read in place, others are packed one by one.
    ///
    /// **Errors**: an architecture that is not supported, a key or tensor that is missing or has another shape.
    pub fn from_gguf(file: &Gguf<'a>) -> Result<Decoder<'a>, Error> {
        Decoder::from_gguf_with(file, &mut |_, _| {})
    }

    /// As [`Decoder::from_gguf`]; `progress` hears how many tensors of how many are ready.
    ///
    /// **Errors**: as there.
    pub fn from_gguf_with(
        file: &Gguf<'a>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Decoder<'a>, Error> {
        let config = Config::from_gguf(file)?;
        let mut reader = Reader { file, done: 0, progress };
        let (hidden, vocabulary) = (config.hidden, config.vocabulary);
        let embedding = reader.matrix("token_embd.weight", vocabulary, hidden)?;
        let output = match reader.has("output.weight") {
            true => Some(reader.matrix("output.weight", vocabulary, hidden)?),
            false => None,
        };
        let output_norm = reader.floats("output_norm.weight", hidden)?;
        let factors = reader.optional("rope_freqs.weight", config.rope.dimensions / 2)?;
        let layers =
            (0..config.layers).map(|layer| reader.layer(&config, layer)).collect::<Result<_, _>>()?;
        Ok(Decoder { config, embedding, output, output_norm, layers, factors })
    }

    /// What the file's metadata say.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// An empty cache for one sequence.
    pub fn cache(&self) -> Cache {
        Cache::new(self.config.layers, self.config.key_value_heads, self.config.head)
    }
}

struct Reader<'f, 'a> {
    file: &'f Gguf<'a>,
    done: usize,
    progress: &'f mut dyn FnMut(usize, usize),
}

impl<'a> Reader<'_, 'a> {
    fn layer(&mut self, config: &Config, layer: usize) -> Result<Layer<'a>, Error> {
        let name = |what: &str| format!("blk.{layer}.{what}");
        let (hidden, wide) = (config.hidden, config.feed_forward);
        let queries = config.heads * config.head;
        let keys = config.key_value_heads * config.head;
        Ok(Layer {
            attention_norm: self.floats(&name("attn_norm.weight"), hidden)?,
            query: self.matrix(&name("attn_q.weight"), queries, hidden)?,
            key: self.matrix(&name("attn_k.weight"), keys, hidden)?,
            value: self.matrix(&name("attn_v.weight"), keys, hidden)?,
            query_bias: self.optional(&name("attn_q.bias"), queries)?,
            key_bias: self.optional(&name("attn_k.bias"), keys)?,
            value_bias: self.optional(&name("attn_v.bias"), keys)?,
            query_norm: self.optional(&name("attn_q_norm.weight"), config.head)?,
            key_norm: self.optional(&name("attn_k_norm.weight"), config.head)?,
            attention_output: self.matrix(&name("attn_output.weight"), hidden, queries)?,
            after_attention_norm: self.optional(&name("post_attention_norm.weight"), hidden)?,
            feed_forward_norm: self.floats(&name("ffn_norm.weight"), hidden)?,
            gate: self.matrix(&name("ffn_gate.weight"), wide, hidden)?,
            up: self.matrix(&name("ffn_up.weight"), wide, hidden)?,
            down: self.matrix(&name("ffn_down.weight"), hidden, wide)?,
            after_feed_forward_norm: self.optional(&name("post_ffw_norm.weight"), hidden)?,
        })
    }

    fn has(&self, name: &str) -> bool {
        self.file.tensor(name).is_ok()
    }

    fn matrix(&mut self, name: &str, rows: usize, columns: usize) -> Result<Matrix<'a>, Error> {
        let matrix = Matrix::from_gguf(self.file, name, rows, columns)?;
        self.step();
        Ok(matrix)
    }

    fn floats(&mut self, name: &str, length: usize) -> Result<Cow<'a, [f32]>, Error> {
        let tensor = self.file.tensor(name)?;
        if tensor.columns() != length || tensor.rows() != 1 {
            return Err(Error::shape(&tensor, 1, length));
        }
        self.step();
        Ok(tensor.dequantized()?)
    }

    fn optional(&mut self, name: &str, length: usize) -> Result<Option<Cow<'a, [f32]>>, Error> {
        if self.has(name) { self.floats(name, length).map(Some) } else { Ok(None) }
    }

    fn step(&mut self) {
        self.done += 1;
        (self.progress)(self.done, self.file.tensors().count());
    }
}
