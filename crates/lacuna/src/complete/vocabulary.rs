//! What a GGUF file says of its tokenizer.

use std::borrow::Cow;

use tokens::Tokenizer;
use weights::Gguf;

use super::Error;

/// The tensor of a bundled file that holds the compiled tokenizer.
pub const TABLE: &str = "lacuna.tokenizer";

/// Metadata that the compiled tokenizer makes needless: a bundled file leaves them out.
pub const TABLE_KEYS: [&str; 4] =
    ["tokenizer.ggml.tokens", "tokenizer.ggml.token_type", "tokenizer.ggml.scores", "tokenizer.ggml.merges"];

/// The compiled tokenizer of a file, or one compiled from its vocabulary.
pub(super) fn find<'a>(file: &Gguf<'a>) -> Result<Cow<'a, [u8]>, Error> {
    if let Ok(tensor) = file.tensor(TABLE) {
        return Ok(Cow::Borrowed(tensor.bytes));
    }
    #[cfg(feature = "load")]
    return table(file).map(Cow::Owned);
    #[cfg(not(feature = "load"))]
    Err(Error::Tokenizer(format!("the file has no tensor {TABLE}, and this build compiles no vocabularies")))
}

/// Compiles the vocabulary of a file.
///
/// **Errors**: a missing key, or a vocabulary of a kind that is not known.
#[cfg(feature = "load")]
pub fn table(file: &Gguf<'_>) -> Result<Vec<u8>, Error> {
    use weights::Value;
    let numbers = |name: &str| match file.get(name) {
        Some(Value::Array(array)) => array.iter().collect(),
        _ => Vec::new(),
    };
    let flag = |name: &str, default| file.bool(name).unwrap_or(default);
    let model = file.str("tokenizer.ggml.model")?;
    let found = tokens_build::GgufVocabulary {
        model,
        pre: file.str("tokenizer.ggml.pre").unwrap_or_default(),
        tokens: file.strings("tokenizer.ggml.tokens")?.collect(),
        token_types: numbers("tokenizer.ggml.token_type")
            .iter()
            .map(|value| value.unsigned().and_then(|value| value.try_into().ok()).unwrap_or(0))
            .collect(),
        scores: numbers("tokenizer.ggml.scores")
            .iter()
            .map(|value| if let Value::F32(value) = value { *value } else { 0.0 })
            .collect(),
        merges: file.strings("tokenizer.ggml.merges").map(Iterator::collect).unwrap_or_default(),
        bos: id(file, "bos"),
        eos: id(file, "eos"),
        unknown: id(file, "unknown"),
        add_bos: flag("tokenizer.ggml.add_bos_token", model == "llama"),
        add_eos: flag("tokenizer.ggml.add_eos_token", false),
        add_space_prefix: flag("tokenizer.ggml.add_space_prefix", true),
    };
    tokens_build::from_gguf_vocabulary(&found).map_err(|error| Error::Tokenizer(error.to_string()))
}

/// `tokenizer.ggml.WHICH_token_id`.
pub(super) fn id(file: &Gguf<'_>, which: &str) -> Option<u32> {
    file.u32(&format!("tokenizer.ggml.{which}_token_id")).ok()
}

/// Ids that end a generation: those the file names, and special tokens that are always one.
///
/// **Source**: llama.cpp's list of end-of-generation tokens.
pub(super) fn ends(file: &Gguf<'_>, tokenizer: &Tokenizer<'_>) -> Vec<u32> {
    const ENDS: [&str; 9] = [
        "<|eot_id|>",
        "<|im_end|>",
        "<|end|>",
        "<end_of_turn>",
        "<|endoftext|>",
        "<|eom_id|>",
        "<EOT>",
        "<|end_of_text|>",
        "</s>",
    ];
    let known = ENDS.iter().filter_map(|text| tokenizer.id_of(text)).filter(|id| tokenizer.is_special(*id));
    let mut ends: Vec<u32> =
        ["eos", "eot", "eom"].iter().filter_map(|which| id(file, which)).chain(known).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}
