//! `config.json`: what of it decides the arithmetic, checked.

use serde_json::Value;

use kernels::attention::MAX_HEAD;

use crate::{Error, q4_0};

/// Labels of a classifier. More would be a vocabulary, not labels.
const MAX_LABELS: usize = 4096;
/// Any size or count. Far above published encoders (hidden 4096), far below overflow of a product of two.
const MAX_SIZE: u64 = 1 << 24;

/// Attention takes the values of a head in steps of this.
const HEAD_STEP: usize = 8;

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

/// The file's fields.
struct Fields(serde_json::Map<String, Value>);

impl Fields {
    fn parse(bytes: &[u8]) -> Result<Fields, Error> {
        const FILE: &str = "config.json";
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Fields(fields)),
            Ok(_) => Err(Error::format(FILE, "not an object")),
            Err(error) => Err(Error::format(FILE, error.to_string())),
        }
    }

    /// A field of `wanted` type as `read` has it; nothing if it is absent or null.
    fn optional<'f, T>(
        &'f self,
        field: &str,
        wanted: &str,
        read: impl Fn(&'f Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| {
                let found = match value {
                    Value::Array(_) => "an array".into(),
                    Value::Object(_) => "an object".into(),
                    other => other.to_string(),
                };
                Error::config(field, format!("{found} is not {wanted}"))
            }),
        }
    }

    fn text(&self, field: &str) -> Result<Option<&str>, Error> {
        self.optional(field, "text", Value::as_str)
    }

    fn size(&self, field: &str) -> Result<usize, Error> {
        let wanted = format!("a whole number from 1 to {MAX_SIZE}");
        let read = |value: &Value| value.as_u64().filter(|size| (1..=MAX_SIZE).contains(size));
        let size = self.optional(field, &wanted, read)?;
        size.map(|size| size as usize).ok_or_else(|| Error::config(field, "is missing"))
    }

    /// The columns of a matrix: whole blocks.
    fn blocks(&self, field: &str) -> Result<usize, Error> {
        match self.size(field)? {
            size if size.is_multiple_of(q4_0::BLOCK) => Ok(size),
            size => Err(Error::config(field, format!("{size} is not a multiple of {}", q4_0::BLOCK))),
        }
    }

    /// The label map as a list: every id from 0 on exactly once.
    fn labels(&self) -> Result<Vec<String>, Error> {
        const FIELD: &str = "id2label";
        let map = self.optional(FIELD, "an object", Value::as_object)?;
        let map = map.ok_or_else(|| Error::config(FIELD, "is missing"))?;
        if map.is_empty() || map.len() > MAX_LABELS {
            return Err(Error::config(FIELD, format!("{} labels, 1 to {MAX_LABELS} are read", map.len())));
        }
        let label = |id: usize| match map.get(&id.to_string()) {
            Some(Value::String(label)) => Ok(label.clone()),
            Some(other) => Err(Error::config(FIELD, format!("label {id} is {other}, which is not text"))),
            None => Err(Error::config(FIELD, format!("{} labels, but none with id {id}", map.len()))),
        };
        (0..map.len()).map(label).collect()
    }
}

impl Config {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Config, Error> {
        let fields = Fields::parse(bytes)?;
        let roberta = family(&fields)?;
        check_arithmetic(&fields)?;
        let hidden = fields.blocks("hidden_size")?;
        let heads = fields.size("num_attention_heads")?;
        if !hidden.is_multiple_of(heads) {
            let problem = format!("{heads} heads do not divide hidden_size {hidden}");
            return Err(Error::config("num_attention_heads", problem));
        }
        let head = hidden / heads;
        if !head.is_multiple_of(HEAD_STEP) || head > MAX_HEAD {
            let problem = format!(
                "{heads} heads of {head} values: a head needs a multiple of {HEAD_STEP} up to {MAX_HEAD}"
            );
            return Err(Error::config("num_attention_heads", problem));
        }
        let token = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
        let pad_id = fields.optional("pad_token_id", "a token id", token)?;
        let positions = fields.size("max_position_embeddings")?;
        // RoBERTa numbers positions from the padding id + 1; its own default for the id is 1.
        let position_offset = if roberta { pad_id.unwrap_or(1) as usize + 1 } else { 0 };
        if position_offset >= positions {
            let problem =
                format!("{positions} positions, and the first token takes position {position_offset}");
            return Err(Error::config("max_position_embeddings", problem));
        }
        let epsilon = fields.optional("layer_norm_eps", "a number", Value::as_f64)?.unwrap_or(1e-12) as f32;
        if !(epsilon > 0.0 && epsilon < 1.0) {
            return Err(Error::config("layer_norm_eps", format!("{epsilon} is not between 0 and 1")));
        }
        Ok(Config {
            prefix: if roberta { "roberta" } else { "bert" },
            hidden,
            layers: fields.size("num_hidden_layers")?,
            heads,
            feed_forward: fields.blocks("intermediate_size")?,
            vocabulary: fields.size("vocab_size")?,
            positions,
            token_types: fields.size("type_vocab_size")?,
            epsilon,
            labels: fields.labels()?,
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
fn family(fields: &Fields) -> Result<bool, Error> {
    let roberta = match fields.text("model_type")?.unwrap_or("none") {
        "bert" => false,
        "roberta" | "xlm-roberta" | "camembert" => true,
        other => {
            let problem = format!("{other}: bert, roberta, xlm-roberta and camembert are converted");
            return Err(Error::config("model_type", problem));
        }
    };
    let names = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|name| name.as_str().map(String::from)).collect()
    };
    match fields.optional("architectures", "a list of names", names)? {
        Some(names) if !names.iter().any(|name| name.ends_with("ForTokenClassification")) => {
            let problem = format!("{}: none is a token classifier", names.join(", "));
            Err(Error::config("architectures", problem))
        }
        _ => Ok(roberta),
    }
}

/// Refuses what would change the arithmetic of the encoder.
fn check_arithmetic(fields: &Fields) -> Result<(), Error> {
    for (field, known, problem) in [
        ("hidden_act", "gelu", "only \"gelu\" (with erf) is computed"),
        ("position_embedding_type", "absolute", "only absolute positions are computed"),
    ] {
        if let Some(other) = fields.text(field)?.filter(|&found| found != known) {
            return Err(Error::config(field, format!("{other}: {problem}")));
        }
    }
    if fields.optional("is_decoder", "a boolean", Value::as_bool)? == Some(true) {
        return Err(Error::config("is_decoder", "true: an encoder attends to both sides"));
    }
    Ok(())
}
