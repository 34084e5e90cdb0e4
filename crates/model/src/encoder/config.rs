//! What an encoder's file says about itself.

use weights::{Gguf, Tensor};

use crate::Error;

/// The shape of an encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Values a token has between layers.
    pub hidden: usize,
    /// Attention heads.
    pub heads: usize,
    /// Layers.
    pub layers: usize,
    /// Values a token has inside the feed-forward network.
    pub feed_forward: usize,
    /// Rows of the word embeddings.
    pub vocabulary: usize,
    /// Tokens one pass can take.
    pub max_positions: usize,
    /// Names of the columns of the logits.
    pub labels: Vec<String>,
    /// Whether short texts are padded.
    pub padding: Padding,
    /// Tokens of a window; with [`Padding::Attended`], every pass has this many rows.
    pub window: usize,
    /// The token that fills a window.
    pub pad: u32,
    /// Row of the first position in the position table; the row before it belongs to padding.
    pub position_offset: usize,
    /// Added to the variance in a layer norm.
    pub epsilon: f32,
}

/// What a model expects of a text shorter than its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// Nothing: a pass has as many rows as there are tokens.
    None,
    /// Padding up to the window, which tokens attend to: it is part of what the model computes.
    Attended,
}

/// Sizes beyond these are damage, not models: they bound every buffer before it is made.
const MAX_HIDDEN: usize = 1 << 14;
const MAX_LAYERS: usize = 1 << 10;
const MAX_POSITIONS: usize = 1 << 16;
const MAX_LABELS: usize = 1 << 16;

impl Config {
    pub(super) fn read(file: &Gguf<'_>) -> Result<Config, Error> {
        match file.str("general.architecture")? {
            "bert" => {}
            other => {
                let problem = format!("\"{other}\" is not an encoder this crate knows; it knows \"bert\"");
                return Err(Error::key("general.architecture", problem));
            }
        }
        let size = |key: &str, most: usize| match file.u32(key)? as usize {
            size if (1..=most).contains(&size) => Ok(size),
            size => Err(Error::key(key, format!("{size} is not in 1..={most}"))),
        };
        let optional = |key: &str| if file.get(key).is_some() { file.u32(key).map(Some) } else { Ok(None) };
        let hidden = size("bert.embedding_length", MAX_HIDDEN)?;
        let heads = size("bert.attention.head_count", hidden)?;
        let head = hidden / heads;
        if heads * head != hidden || !head.is_multiple_of(8) || head > kernels::attention::MAX_HEAD {
            let problem = format!(
                "{heads} heads share {hidden} values: a head needs a multiple of 8 up to {}",
                kernels::attention::MAX_HEAD
            );
            return Err(Error::key("bert.attention.head_count", problem));
        }
        let words = file.tensor("token_embd.weight")?;
        let positions = file.tensor("position_embd.weight")?;
        let position_offset = optional("lacuna.position_offset")?.unwrap_or(0) as usize;
        let max_positions = match file.u32("bert.context_length")? as usize {
            length
                if length >= 1 && length <= MAX_POSITIONS && length + position_offset <= rows(&positions) =>
            {
                length
            }
            length => {
                let problem = format!(
                    "{length} positions from row {position_offset} of a table of {} rows, at most {MAX_POSITIONS}",
                    rows(&positions)
                );
                return Err(Error::key("bert.context_length", problem));
            }
        };
        let labels: Vec<String> = file.strings("lacuna.labels")?.map(String::from).collect();
        if labels.is_empty() || labels.len() > MAX_LABELS {
            return Err(Error::key(
                "lacuna.labels",
                format!("{} labels, not 1..={MAX_LABELS}", labels.len()),
            ));
        }
        let padding = match file.get("lacuna.padding") {
            None => Padding::None,
            Some(_) => match file.str("lacuna.padding")? {
                "none" => Padding::None,
                "attended" => Padding::Attended,
                other => {
                    let problem = format!("\"{other}\" is neither \"none\" nor \"attended\"");
                    return Err(Error::key("lacuna.padding", problem));
                }
            },
        };
        let window = match optional("lacuna.window")? {
            None => max_positions,
            Some(window) if (1..=max_positions).contains(&(window as usize)) => window as usize,
            Some(window) => {
                return Err(Error::key("lacuna.window", format!("{window} is not in 1..={max_positions}")));
            }
        };
        let vocabulary = rows(&words);
        let pad = match optional("tokenizer.ggml.padding_token_id")? {
            Some(pad) if pad as usize >= vocabulary => {
                let problem = format!("{pad} is outside a vocabulary of {vocabulary}");
                return Err(Error::key("tokenizer.ggml.padding_token_id", problem));
            }
            Some(pad) => pad,
            None => 0,
        };
        Ok(Config {
            hidden,
            heads,
            layers: size("bert.block_count", MAX_LAYERS)?,
            feed_forward: size("bert.feed_forward_length", 4 * MAX_HIDDEN)?,
            vocabulary,
            max_positions,
            labels,
            padding,
            window,
            pad,
            position_offset,
            epsilon: file.f32("bert.attention.layer_norm_epsilon")?,
        })
    }

    /// Values a head has.
    pub fn head(&self) -> usize {
        self.hidden / self.heads
    }
}

fn rows(tensor: &Tensor<'_>) -> usize {
    tensor.dims[1]
}
