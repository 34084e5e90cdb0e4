//! `config.json`: what of it decides the arithmetic, checked.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::Error;

/// Labels of a classifier. More would be a vocabulary, not labels.
const MAX_LABELS: usize = 4096;
/// Any size or count. Far above published encoders (hidden 4096), far below overflow of a product of two.
const MAX_SIZE: u64 = 1 << 24;

/// A token classifier's configuration.
#[derive(Debug, PartialEq)]
pub(crate) struct Config {
    /// Prefix of the encoder's tensor names: `bert`, `roberta`.
    pub(crate) prefix: &'static str,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) feed_forward: usize,
    pub(crate) vocabulary: usize,
    /// Rows of the position table.
    pub(crate) positions: usize,
    pub(crate) token_types: usize,
    pub(crate) epsilon: f32,
    pub(crate) labels: Vec<String>,
    /// The row of the position table that the first token takes: 0, or pad id + 1 (RoBERTa's rule).
    pub(crate) position_offset: usize,
    pub(crate) pad_id: Option<u32>,
}

/// The fields read, as the file has them.
#[derive(Deserialize)]
struct Raw {
    model_type: Option<String>,
    architectures: Option<Vec<String>>,
    hidden_act: Option<Value>,
    position_embedding_type: Option<String>,
    is_decoder: Option<bool>,
    id2label: Option<BTreeMap<String, String>>,
    layer_norm_eps: Option<f64>,
    pad_token_id: Option<i64>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

impl Config {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Config, Error> {
        let raw: Raw =
            serde_json::from_slice(bytes).map_err(|error| Error::format("config.json", error.to_string()))?;
        let roberta = family(&raw)?;
        check_arithmetic(&raw)?;
        let hidden = size(&raw, "hidden_size")?;
        let heads = size(&raw, "num_attention_heads")?;
        if !hidden.is_multiple_of(heads) {
            let problem = format!("{heads} heads do not divide hidden_size {hidden}");
            return Err(Error::config("num_attention_heads", problem));
        }
        let pad_id = match raw.pad_token_id {
            None => None,
            Some(id) => Some(
                u32::try_from(id)
                    .map_err(|_| Error::config("pad_token_id", format!("{id} is not a token id")))?,
            ),
        };
        let positions = size(&raw, "max_position_embeddings")?;
        // RoBERTa numbers positions from the padding id + 1; its own default for the id is 1.
        let position_offset = if roberta { pad_id.unwrap_or(1) as usize + 1 } else { 0 };
        if position_offset >= positions {
            let problem =
                format!("{positions} positions, and the first token takes position {position_offset}");
            return Err(Error::config("max_position_embeddings", problem));
        }
        let epsilon = raw.layer_norm_eps.unwrap_or(1e-12) as f32;
        if !(epsilon > 0.0 && epsilon < 1.0) {
            return Err(Error::config("layer_norm_eps", format!("{epsilon} is not between 0 and 1")));
        }
        Ok(Config {
            prefix: if roberta { "roberta" } else { "bert" },
            hidden,
            layers: size(&raw, "num_hidden_layers")?,
            heads,
            feed_forward: size(&raw, "intermediate_size")?,
            vocabulary: size(&raw, "vocab_size")?,
            positions,
            token_types: size(&raw, "type_vocab_size")?,
            epsilon,
            labels: labels(raw.id2label.as_ref())?,
            position_offset,
            pad_id,
        })
    }

    /// Tokens a pass takes at most.
    pub(crate) fn context(&self) -> usize {
        self.positions - self.position_offset
    }
}

/// Whether the model is of RoBERTa's family, else BERT's.
fn family(raw: &Raw) -> Result<bool, Error> {
    let model_type = raw.model_type.as_deref().unwrap_or("none");
    let roberta = match model_type {
        "bert" => false,
        "roberta" | "xlm-roberta" | "camembert" => true,
        other => {
            let problem = format!("{other}: bert, roberta, xlm-roberta and camembert are converted");
            return Err(Error::config("model_type", problem));
        }
    };
    match raw.architectures.as_deref() {
        Some([architecture]) if !architecture.ends_with("ForTokenClassification") => {
            Err(Error::config("architectures", format!("{architecture} is not a token classifier")))
        }
        _ => Ok(roberta),
    }
}

/// Refuses what would change the arithmetic of the encoder.
fn check_arithmetic(raw: &Raw) -> Result<(), Error> {
    match &raw.hidden_act {
        None => {}
        Some(Value::String(act)) if act == "gelu" => {}
        Some(other) => {
            return Err(Error::config(
                "hidden_act",
                format!("{other}: only \"gelu\" (with erf) is computed"),
            ));
        }
    }
    match raw.position_embedding_type.as_deref() {
        None | Some("absolute") => {}
        Some(other) => {
            let problem = format!("{other}: only absolute positions are computed");
            return Err(Error::config("position_embedding_type", problem));
        }
    }
    if raw.is_decoder == Some(true) {
        return Err(Error::config("is_decoder", "true: an encoder attends to both sides"));
    }
    Ok(())
}

fn size(raw: &Raw, field: &str) -> Result<usize, Error> {
    let value = raw.rest.get(field).ok_or_else(|| Error::config(field, "is missing"))?;
    match value.as_u64() {
        Some(size) if (1..=MAX_SIZE).contains(&size) => Ok(size as usize),
        _ => Err(Error::config(field, format!("{value} is not a whole number from 1 to {MAX_SIZE}"))),
    }
}

/// The label map as a list: every id from 0 on exactly once.
fn labels(map: Option<&BTreeMap<String, String>>) -> Result<Vec<String>, Error> {
    const FIELD: &str = "id2label";
    let map = map.ok_or_else(|| Error::config(FIELD, "is missing"))?;
    if map.is_empty() || map.len() > MAX_LABELS {
        return Err(Error::config(FIELD, format!("{} labels, 1 to {MAX_LABELS} are read", map.len())));
    }
    (0..map.len())
        .map(|id| {
            map.get(&id.to_string())
                .cloned()
                .ok_or_else(|| Error::config(FIELD, format!("{} labels, but none with id {id}", map.len())))
        })
        .collect()
}
