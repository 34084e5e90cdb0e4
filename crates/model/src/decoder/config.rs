//! What a GGUF file says of its decoder.

use kernels::rope::Pairs;
use weights::{Gguf, Value};

use super::Error;

/// The most positions a cache may hold, whatever a file claims: 2^20 positions of the smallest model are gigabytes.
pub const MAX_CONTEXT: usize = 1 << 20;

/// The most layers: four times the deepest published model of these families.
const MAX_LAYERS: usize = 512;

/// The widest dimension: indices of a matrix row stay far from overflow on 32-bit targets.
const MAX_WIDTH: usize = 1 << 20;

/// The function a feed-forward layer gates with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// SiLU.
    Silu,
    /// GELU in its tanh form.
    Gelu,
}

/// Shapes and constants of a decoder.
#[derive(Clone, Debug)]
pub struct Config {
    /// `general.architecture`.
    pub architecture: String,
    /// Number of layers.
    pub layers: usize,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Width inside the feed-forward layer.
    pub feed_forward: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; each serves `heads / key_value_heads` query heads.
    pub key_value_heads: usize,
    /// Values a head.
    pub head: usize,
    /// Ids the model knows.
    pub vocabulary: usize,
    /// Positions the model was made for.
    pub context: usize,
    /// Epsilon of every norm.
    pub epsilon: f32,
    /// What scores are multiplied with.
    pub attention_scale: f32,
    /// What embeddings are multiplied with, if with anything.
    pub embedding_scale: Option<f32>,
    /// The gate.
    pub gate: Gate,
    /// Rotary embedding.
    pub rope: Rope,
    /// Positions a windowed layer sees, itself included.
    pub window: Option<usize>,
    /// Every which layer sees everything.
    pub pattern: usize,
    /// `cap * tanh(logit / cap)`.
    pub logit_cap: Option<f32>,
}

/// Rotary embedding.
#[derive(Clone, Debug)]
pub struct Rope {
    /// Which values turn together.
    pub pairs: Pairs,
    /// Values of a head that turn.
    pub dimensions: usize,
    /// Base of the frequencies.
    pub base: f32,
    /// Base in windowed layers, which are never scaled.
    pub window_base: f32,
    /// How positions beyond the training length are squeezed.
    pub scaling: Scaling,
}

/// How positions beyond the training length are squeezed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scaling {
    /// Not at all (or by `rope_freqs.weight`).
    None,
    /// Positions divided by `factor`.
    Linear {
        /// The divisor.
        factor: f32,
    },
    /// Slow frequencies divided by `factor`, fast ones kept (YaRN).
    Yarn {
        /// The divisor.
        factor: f32,
        /// Positions of the original training.
        original: usize,
        /// What cosines and sines are multiplied with, besides YaRN's own `1 + 0.1 ln(factor)`.
        attention: f32,
    },
}

/// What no key tells.
struct Architecture {
    name: &'static str,
    pairs: Pairs,
    gate: Gate,
    scales_embedding: bool,
    /// Every which layer sees everything, when the file has a window.
    pattern: usize,
}

const ARCHITECTURES: [Architecture; 4] = [
    Architecture {
        name: "llama",
        pairs: Pairs::Adjacent,
        gate: Gate::Silu,
        scales_embedding: false,
        pattern: 1,
    },
    Architecture {
        name: "qwen2",
        pairs: Pairs::Halves,
        gate: Gate::Silu,
        scales_embedding: false,
        pattern: 1,
    },
    Architecture {
        name: "qwen3",
        pairs: Pairs::Halves,
        gate: Gate::Silu,
        scales_embedding: false,
        pattern: 1,
    },
    Architecture {
        name: "gemma3",
        pairs: Pairs::Halves,
        gate: Gate::Gelu,
        scales_embedding: true,
        pattern: 6,
    },
];

pub(super) fn architectures() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().map(|row| row.name)
}

impl Config {
    /// Reads and checks the metadata.
    ///
    /// **Errors**: an unknown architecture, a missing key, a value out of range.
    pub fn from_gguf(file: &Gguf<'_>) -> Result<Config, Error> {
        let name = file.str("general.architecture")?;
        let row = ARCHITECTURES
            .iter()
            .find(|row| row.name == name)
            .ok_or_else(|| Error::Architecture { found: name.escape_debug().take(64).collect() })?;
        let keys = Keys { file, name };
        let layers = keys.size("block_count", 1, MAX_LAYERS)?;
        let hidden = keys.size("embedding_length", 1, MAX_WIDTH)?;
        let heads = keys.size("attention.head_count", 1, MAX_WIDTH)?;
        let key_value_heads = keys.size_or("attention.head_count_kv", heads, MAX_WIDTH)?;
        let head = keys.size_or("attention.key_length", hidden / heads, MAX_WIDTH)?;
        let value = keys.size_or("attention.value_length", head, MAX_WIDTH)?;
        keys.check("attention.head_count_kv", heads.is_multiple_of(key_value_heads), || {
            format!("{heads} query heads are not groups of {key_value_heads}")
        })?;
        keys.check("attention.value_length", value == head, || {
            format!("{value} differs from {head} of keys")
        })?;
        let dimensions = keys.size_or("rope.dimension_count", head, head)?;
        keys.check("rope.dimension_count", dimensions.is_multiple_of(2), || format!("{dimensions} is odd"))?;
        let window = keys.optional("attention.sliding_window")?.filter(|_| row.pattern > 1);
        let scale_width = if name == "gemma3" && layers == 62 { hidden / heads } else { head };
        Ok(Config {
            architecture: name.into(),
            layers,
            hidden,
            feed_forward: keys.size("feed_forward_length", 1, MAX_WIDTH)?,
            heads,
            key_value_heads,
            head,
            vocabulary: super::packed::rows(file, "token_embd.weight")?,
            context: keys.size("context_length", 1, usize::MAX)?.min(MAX_CONTEXT),
            epsilon: keys.float("attention.layer_norm_rms_epsilon")?,
            attention_scale: 1.0 / (scale_width as f32).sqrt(),
            embedding_scale: row.scales_embedding.then(|| (hidden as f32).sqrt()),
            gate: row.gate,
            rope: Rope {
                pairs: row.pairs,
                dimensions,
                base: keys.float_or("rope.freq_base", 10000.0)?,
                window_base: keys.float_or("rope.freq_base_swa", 10000.0)?,
                scaling: keys.scaling()?,
            },
            window,
            pattern: keys.optional("attention.sliding_window_pattern")?.unwrap_or(row.pattern),
            logit_cap: keys.optional_float("final_logit_softcapping")?.filter(|cap| *cap != 0.0),
        })
    }

    /// How many positions `layer` sees, itself included; none: all of them.
    pub fn window_of(&self, layer: usize) -> Option<usize> {
        self.window.filter(|_| !(layer + 1).is_multiple_of(self.pattern))
    }
}

struct Keys<'f, 'a> {
    file: &'f Gguf<'a>,
    name: &'f str,
}

impl Keys<'_, '_> {
    fn key(&self, what: &str) -> String {
        format!("{}.{what}", self.name)
    }

    fn check(&self, what: &str, holds: bool, problem: impl Fn() -> String) -> Result<(), Error> {
        if holds { Ok(()) } else { Err(Error::setting(&self.key(what), problem())) }
    }

    fn size(&self, what: &str, least: usize, most: usize) -> Result<usize, Error> {
        // Some writers give one value a layer: all layers alike is the shape these families have.
        let key = self.key(what);
        let value = match self.file.get(&key) {
            Some(Value::Array(array)) => {
                let mut values = array.iter().map(|value| value.unsigned());
                let first = values.next().flatten();
                let alike = values.all(|value| value == first);
                self.check(what, first.is_some() && alike, || "layers of different shapes".into())?;
                first.unwrap_or(0) as usize
            }
            _ => self.file.u32(&key)? as usize,
        };
        self.check(what, (least..=most).contains(&value), || format!("{value} is not in {least}..={most}"))?;
        Ok(value)
    }

    fn size_or(&self, what: &str, default: usize, most: usize) -> Result<usize, Error> {
        if self.file.get(&self.key(what)).is_some() {
            return self.size(what, 1, most);
        }
        self.check(what, (1..=most).contains(&default), || format!("{default} is not in 1..={most}"))?;
        Ok(default)
    }

    fn optional(&self, what: &str) -> Result<Option<usize>, Error> {
        match self.file.get(&self.key(what)) {
            Some(value) if value.unsigned() == Some(0) => Ok(None),
            Some(_) => self.size(what, 1, u32::MAX as usize).map(Some),
            None => Ok(None),
        }
    }

    fn float(&self, what: &str) -> Result<f32, Error> {
        let value = self.file.f32(&self.key(what))?;
        self.check(what, value.is_finite(), || format!("{value} is not finite"))?;
        Ok(value)
    }

    fn optional_float(&self, what: &str) -> Result<Option<f32>, Error> {
        if self.file.get(&self.key(what)).is_some() { self.float(what).map(Some) } else { Ok(None) }
    }

    fn float_or(&self, what: &str, default: f32) -> Result<f32, Error> {
        let value = self.optional_float(what)?.unwrap_or(default);
        self.check(what, value > 0.0, || format!("{value} is not above zero"))?;
        Ok(value)
    }

    fn scaling(&self) -> Result<Scaling, Error> {
        let kind = self.file.str(&self.key("rope.scaling.type")).unwrap_or("linear");
        let factor = match self.optional_float("rope.scaling.factor")? {
            Some(factor) if factor > 0.0 => factor,
            // llama.cpp's older name for it.
            _ => self.optional_float("rope.scale_linear")?.filter(|factor| *factor > 0.0).unwrap_or(1.0),
        };
        match kind {
            "none" => Ok(Scaling::None),
            "linear" if factor == 1.0 => Ok(Scaling::None),
            "linear" => Ok(Scaling::Linear { factor }),
            "yarn" => Ok(Scaling::Yarn {
                factor,
                original: self
                    .optional("rope.scaling.original_context_length")?
                    .map_or_else(|| self.size("context_length", 1, usize::MAX), Ok)?,
                attention: self.float_or("rope.scaling.attn_factor", 1.0)?,
            }),
            other => {
                let shown: String = other.escape_debug().take(64).collect();
                Err(Error::setting(
                    &self.key("rope.scaling.type"),
                    format!("{shown}: none, linear and yarn are known"),
                ))
            }
        }
    }
}
