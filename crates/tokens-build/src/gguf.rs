//! The vocabulary of a GGUF file.

use crate::error::{Error, field};
use crate::json::fall_back_to_bytes;
use crate::vocabulary::{Added, Merge, Vocabulary};
use crate::writer::Writer;
use std::collections::HashMap;
use tokens::layout::{added, decoder, field as at, flag, model, pre_tokenizer, section, step};

/// What a GGUF file says of its tokenizer (`tokenizer.ggml.*`), as plain values.
///
/// ```
/// let vocabulary = lacuna_tokens_build::GgufVocabulary { model: "bert", ..Default::default() };
/// let error = lacuna_tokens_build::from_gguf_vocabulary(&vocabulary).unwrap_err();
/// assert!(error.to_string().contains("tokenizer.ggml.model"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct GgufVocabulary<'a> {
    /// `tokenizer.ggml.model`: `gpt2` (byte-level BPE) or `llama` (SentencePiece BPE).
    pub model: &'a str,
    /// `tokenizer.ggml.pre`: how `gpt2` vocabularies cut text.
    pub pre: &'a str,
    /// `tokenizer.ggml.tokens`, by id.
    pub tokens: Vec<&'a str>,
    /// `tokenizer.ggml.token_type`: 3 is control, 4 user-defined; empty means that all are normal.
    pub token_types: Vec<i32>,
    /// `tokenizer.ggml.scores`, which `llama` vocabularies merge by.
    pub scores: Vec<f32>,
    /// `tokenizer.ggml.merges`, `"left right"` in order of rank, which `gpt2` vocabularies merge by.
    pub merges: Vec<&'a str>,
    /// `tokenizer.ggml.bos_token_id`.
    pub bos: Option<u32>,
    /// `tokenizer.ggml.eos_token_id`.
    pub eos: Option<u32>,
    /// `tokenizer.ggml.unknown_token_id`.
    pub unknown: Option<u32>,
    /// `tokenizer.ggml.add_bos_token` (files without it: true for `llama`, false for `gpt2`).
    pub add_bos: bool,
    /// `tokenizer.ggml.add_eos_token` (files without it: false).
    pub add_eos: bool,
    /// `tokenizer.ggml.add_space_prefix` (files without it: true), for `llama` vocabularies.
    pub add_space_prefix: bool,
}

const CONTROL: i32 = 3;
const USER_DEFINED: i32 = 4;

/// SentencePiece's mark for a space.
const MARK: &str = "\u{2581}";

/// Compiles the vocabulary of a GGUF file into a table.
///
/// Control and user-defined tokens are found in the text as they stand, control tokens are special. The byte-level
/// patterns are those of the Hugging Face tokenizers of the same models, Qwen's composition (NFC) included.
///
/// # Errors
/// Names the metadata key and the numbers: another model or pre-tokenizer, arrays of different lengths, a merge of
/// tokens that do not exist, ids outside the vocabulary.
///
/// **Source**: the GGUF specification and llama.cpp's vocabulary types.
pub fn from_gguf_vocabulary(found: &GgufVocabulary<'_>) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new();
    let count = found.tokens.len();
    same_length("tokenizer.ggml.token_type", found.token_types.len(), count)?;
    let (vocabulary, flags) = match found.model {
        "gpt2" => byte_level(found, &mut writer)?,
        "llama" => sentencepiece(found, &mut writer)?,
        other => {
            return Err(Error::Unsupported {
                field: "tokenizer.ggml.model".into(),
                found: format!("{other:?}"),
                supported: "gpt2, llama",
            });
        }
    };
    template(found, &mut writer)?;
    writer.word(at::FLAGS, flags);
    let added = found.token_types.iter().zip(&found.tokens).enumerate();
    let added = added
        .filter(|(_, (kind, content))| matches!(**kind, CONTROL | USER_DEFINED) && !content.is_empty())
        .map(|(id, (kind, content))| Added {
            id: id as u32,
            content: (*content).into(),
            flags: if *kind == CONTROL { added::SPECIAL } else { 0 },
        })
        .collect();
    vocabulary.finish(added, writer)
}

/// An optional array has one entry a token.
fn same_length(key: &str, found: usize, tokens: usize) -> Result<(), Error> {
    if found != 0 && found != tokens {
        return Err(field(key, format!("{found} entries for {tokens} tokens")));
    }
    Ok(())
}

fn insert_all(found: &GgufVocabulary<'_>) -> Result<Vocabulary, Error> {
    if found.tokens.is_empty() {
        return Err(field("tokenizer.ggml.tokens", "no tokens"));
    }
    let mut vocabulary = Vocabulary::new(model::BPE);
    for (id, token) in found.tokens.iter().enumerate() {
        vocabulary.insert(token, id)?;
    }
    Ok(vocabulary)
}

fn byte_level(found: &GgufVocabulary<'_>, writer: &mut Writer) -> Result<(Vocabulary, u32), Error> {
    let mut flags = 0;
    let pre = match found.pre {
        "gpt-2" | "gpt2" => pre_tokenizer::GPT2,
        "llama3" | "llama-v3" | "llama-bpe" => {
            flags |= flag::IGNORE_MERGES;
            pre_tokenizer::LLAMA3
        }
        "qwen2" => {
            crate::composition::write(writer);
            writer.words(section::NORMALIZER, [step::NFC]);
            pre_tokenizer::QWEN2
        }
        "smollm" => pre_tokenizer::SMOLLM,
        other => {
            return Err(Error::Unsupported {
                field: "tokenizer.ggml.pre".into(),
                found: format!("{other:?}"),
                supported: "gpt-2, llama-bpe (llama3, llama-v3), qwen2, smollm",
            });
        }
    };
    writer.byte(at::PRE_TOKENIZER, pre);
    writer.byte(at::DECODER, decoder::BYTES);
    let mut vocabulary = insert_all(found)?;
    vocabulary.byte_level = true;
    vocabulary.use_byte_alphabet();
    vocabulary.merges.reserve(found.merges.len());
    for (rank, text) in found.merges.iter().enumerate() {
        let key = || format!("tokenizer.ggml.merges[{rank}]");
        let (left, right) =
            text.split_once(' ').ok_or_else(|| field(key(), format!("{text:?} is not a pair")))?;
        let merge = vocabulary
            .merge(left, right, rank)
            .map_err(|token| field(key(), format!("{token:?} is not in the vocabulary")))?;
        vocabulary.merges.push(merge);
    }
    Ok((vocabulary, flags))
}

fn sentencepiece(found: &GgufVocabulary<'_>, writer: &mut Writer) -> Result<(Vocabulary, u32), Error> {
    if found.scores.is_empty() {
        return Err(field("tokenizer.ggml.scores", "missing: a llama vocabulary merges by them"));
    }
    same_length("tokenizer.ggml.scores", found.scores.len(), found.tokens.len())?;
    let mut flags = flag::CHARACTERS | flag::FUSE_UNKNOWN;
    let mut vocabulary = insert_all(found)?;
    fall_back_to_bytes(&mut vocabulary, &mut flags)?;
    vocabulary.unknown = found.unknown;
    if let Some(unknown) = found.unknown {
        in_vocabulary("tokenizer.ggml.unknown_token_id", unknown, found)?;
        writer.word(at::UNKNOWN, unknown);
    } else if flags & flag::BYTE_FALLBACK == 0 {
        return Err(field("tokenizer.ggml.unknown_token_id", "missing, and no <0xNN> tokens"));
    }
    let mut steps = Vec::new();
    if found.add_space_prefix {
        let (offset, length) = writer.string(MARK.as_bytes());
        steps.extend([step::PREPEND, offset, length]);
        flags |= flag::DECODE_STRIPS_FIRST;
    }
    let (space, space_length) = writer.string(b" ");
    let (mark, mark_length) = writer.string(MARK.as_bytes());
    steps.extend([step::REPLACE, space, space_length, mark, mark_length, 1]);
    writer.words(section::NORMALIZER, steps);
    writer.byte(at::PRE_TOKENIZER, pre_tokenizer::NONE);
    writer.byte(at::DECODER, decoder::SENTENCEPIECE);
    vocabulary.merges = merges_by_score(found, &vocabulary)?;
    Ok((vocabulary, flags))
}

/// Every way to put a token together from two tokens; equal scores have equal ranks, so that the leftmost wins.
///
/// **Source**: SentencePiece's BPE, which joins the neighbours whose text is the token with the highest score.
fn merges_by_score(found: &GgufVocabulary<'_>, vocabulary: &Vocabulary) -> Result<Vec<Merge>, Error> {
    let mut order: Vec<u32> = (0..found.tokens.len() as u32).collect();
    let score = |id: u32| found.scores[id as usize];
    if let Some(id) = order.iter().find(|&&id| score(id).is_nan()) {
        return Err(field(format!("tokenizer.ggml.scores[{id}]"), "not a number"));
    }
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let mut merges = HashMap::new();
    let mut rank = 0;
    for (place, &joined) in order.iter().enumerate() {
        let new_score = place > 0 && score(order[place - 1]) != score(joined);
        rank += u32::from(new_score);
        let token = found.tokens[joined as usize];
        for (cut, _) in token.char_indices().skip(1) {
            let (left, right) = token.split_at(cut);
            if let (Some(left), Some(right)) = (vocabulary.id(left), vocabulary.id(right)) {
                merges.entry((left, right)).or_insert(Merge { left, right, rank, joined });
            }
        }
    }
    let mut merges: Vec<Merge> = merges.into_values().collect();
    merges.sort_unstable_by_key(|merge| (merge.rank, merge.left, merge.right));
    Ok(merges)
}

fn in_vocabulary(key: &str, id: u32, found: &GgufVocabulary<'_>) -> Result<u32, Error> {
    if (id as usize) < found.tokens.len() {
        return Ok(id);
    }
    Err(field(key, format!("{id} in a vocabulary of {}", found.tokens.len())))
}

fn template(found: &GgufVocabulary<'_>, writer: &mut Writer) -> Result<(), Error> {
    let side = |wanted: bool, id: Option<u32>, key: &str| match (wanted, id) {
        (false, _) => Ok(None),
        (true, Some(id)) => in_vocabulary(key, id, found).map(Some),
        (true, None) => Err(field(key, "missing, though it is to be added")),
    };
    let before = side(found.add_bos, found.bos, "tokenizer.ggml.bos_token_id")?;
    let after = side(found.add_eos, found.eos, "tokenizer.ggml.eos_token_id")?;
    let counts = [u32::from(before.is_some()), u32::from(after.is_some())];
    writer.words(section::TEMPLATE, counts.into_iter().chain(before).chain(after));
    Ok(())
}
