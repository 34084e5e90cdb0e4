//! The model: vocabulary, scores, merges.

use super::kind;
use crate::error::{Error, field};
use crate::vocabulary::{self, Merge, Vocabulary};
use crate::writer::Writer;
use serde_json::Value;
use std::collections::HashMap;
use tokens::layout::{field as at, flag, model};

/// Reads `model`.
pub(super) fn read(
    part: &Value,
    byte_level: bool,
    writer: &mut Writer,
    flags: &mut u32,
) -> Result<Vocabulary, Error> {
    match part["type"].as_str() {
        Some("WordPiece") => wordpiece(part, writer),
        Some("Unigram") => unigram(part, writer, flags),
        Some("BPE") => bpe(part, byte_level, writer, flags),
        Some(other) => Err(Error::Unsupported {
            field: "model.type".into(),
            found: other.into(),
            supported: "WordPiece, Unigram, BPE",
        }),
        None => Err(field("model.type", "missing")),
    }
}

/// The vocabulary as a map from token to id.
fn map(part: &Value, model: u8) -> Result<Vocabulary, Error> {
    let Some(map) = part["vocab"].as_object() else {
        return Err(field("model.vocab", format!("{} instead of an object", kind(&part["vocab"]))));
    };
    let mut vocabulary = Vocabulary::new(model);
    for (token, id) in map {
        let id = id
            .as_u64()
            .ok_or_else(|| field(format!("model.vocab.{token}"), format!("{} instead of an id", kind(id))))?;
        vocabulary.insert(token, id as usize)?;
    }
    Ok(vocabulary)
}

fn wordpiece(part: &Value, writer: &mut Writer) -> Result<Vocabulary, Error> {
    let mut vocabulary = map(part, model::WORDPIECE)?;
    let unknown = part["unk_token"].as_str().unwrap_or("[UNK]");
    let id = vocabulary.id(unknown).ok_or_else(|| not_a_token("model.unk_token", unknown))?;
    writer.word(at::UNKNOWN, id);
    vocabulary.prefix = Some(part["continuing_subword_prefix"].as_str().unwrap_or("##").into());
    let most = match &part["max_input_chars_per_word"] {
        Value::Null => 100,
        value => {
            value.as_u64().ok_or_else(|| field("model.max_input_chars_per_word", "not a whole number"))?
        }
    };
    writer.word(at::MAX_WORD_CHARS, u32::try_from(most).unwrap_or(u32::MAX));
    Ok(vocabulary)
}

fn not_a_token(path: &str, token: &str) -> Error {
    field(path, format!("{token:?} is not in the vocabulary"))
}

fn unigram(part: &Value, writer: &mut Writer, flags: &mut u32) -> Result<Vocabulary, Error> {
    let Some(list) = part["vocab"].as_array() else {
        return Err(field("model.vocab", format!("{} instead of an array", kind(&part["vocab"]))));
    };
    let mut vocabulary = Vocabulary::new(model::UNIGRAM);
    let mut lowest = f64::INFINITY;
    for (id, entry) in list.iter().enumerate() {
        let (Some(token), Some(score)) = (entry[0].as_str(), entry[1].as_f64()) else {
            return Err(field(format!("model.vocab[{id}]"), "not a pair of token and score"));
        };
        vocabulary.insert(token, id)?;
        vocabulary.scores.push(score);
        if score < lowest {
            lowest = score;
        }
    }
    let unknown = part["unk_id"].as_u64().ok_or_else(|| {
        field("model.unk_id", "missing: characters outside the vocabulary would have no token")
    })?;
    if unknown as usize >= list.len() {
        return Err(field("model.unk_id", format!("{unknown} in a vocabulary of {}", list.len())));
    }
    writer.word(at::UNKNOWN, unknown as u32);
    writer.f64(at::UNKNOWN_SCORE, lowest - vocabulary::UNKNOWN_PENALTY);
    if part["byte_fallback"].as_bool().unwrap_or(false) {
        fall_back_to_bytes(&mut vocabulary, flags)?;
    }
    Ok(vocabulary)
}

/// All 256 byte tokens, or none: a vocabulary with some of them would mix bytes and unknowns in one character.
pub(crate) fn fall_back_to_bytes(vocabulary: &mut Vocabulary, flags: &mut u32) -> Result<(), Error> {
    let units: Vec<Option<u32>> = (0..256).map(|byte| vocabulary.id(&format!("<0x{byte:02X}>"))).collect();
    let present = units.iter().flatten().count();
    if present == 0 {
        return Ok(());
    }
    if present < 256 {
        return Err(field(
            "model.byte_fallback",
            format!("the vocabulary has {present} of 256 <0xNN> tokens"),
        ));
    }
    *flags |= flag::BYTE_FALLBACK;
    vocabulary.units = units;
    Ok(())
}

fn bpe(part: &Value, byte_level: bool, writer: &mut Writer, flags: &mut u32) -> Result<Vocabulary, Error> {
    let mut vocabulary = map(part, model::BPE)?;
    vocabulary.byte_level = byte_level;
    for name in ["continuing_subword_prefix", "end_of_word_suffix"] {
        if part[name].as_str().is_some_and(|text| !text.is_empty()) {
            return Err(Error::Unsupported {
                field: format!("model.{name}"),
                found: part[name].to_string(),
                supported: "null and \"\"",
            });
        }
    }
    if part["dropout"].as_f64().is_some_and(|dropout| dropout != 0.0) {
        let found = part["dropout"].to_string();
        return Err(Error::Unsupported { field: "model.dropout".into(), found, supported: "null and 0" });
    }
    let set = |name: &str, bit: u32| if part[name] == true { bit } else { 0 };
    *flags |= set("ignore_merges", flag::IGNORE_MERGES) | set("fuse_unk", flag::FUSE_UNKNOWN);
    if let Some(unknown) = part["unk_token"].as_str() {
        let id = vocabulary.id(unknown).ok_or_else(|| not_a_token("model.unk_token", unknown))?;
        writer.word(at::UNKNOWN, id);
        vocabulary.unknown = Some(id);
    }
    if byte_level {
        vocabulary.use_byte_alphabet();
    } else {
        *flags |= flag::CHARACTERS;
        if part["byte_fallback"].as_bool().unwrap_or(false) {
            fall_back_to_bytes(&mut vocabulary, flags)?;
        }
        if vocabulary.units.is_empty() && vocabulary.unknown.is_none() {
            return Err(field("model.unk_token", "missing, and no byte_fallback: characters could be lost"));
        }
    }
    merges(&part["merges"], &mut vocabulary)?;
    Ok(vocabulary)
}

/// `"a b"` or `["a", "b"]`; the position is the rank. A pair that comes twice has the later rank, as in the reference.
fn merges(list: &Value, vocabulary: &mut Vocabulary) -> Result<(), Error> {
    let Some(list) = list.as_array() else {
        return Err(field("model.merges", format!("{} instead of an array", kind(list))));
    };
    let mut pairs = HashMap::with_capacity(list.len());
    for (rank, entry) in list.iter().enumerate() {
        let pair = match entry {
            Value::String(text) => text.split_once(' '),
            _ => entry[0].as_str().zip(entry[1].as_str()),
        };
        let Some((left, right)) = pair else {
            return Err(field(format!("model.merges[{rank}]"), format!("{entry} is not a pair")));
        };
        let merge = vocabulary
            .merge(left, right, rank)
            .map_err(|token| not_a_token(&format!("model.merges[{rank}]"), &token))?;
        pairs.insert((merge.left, merge.right), merge);
    }
    vocabulary.merges = pairs.into_values().collect();
    vocabulary.merges.sort_unstable_by_key(|merge: &Merge| merge.rank);
    Ok(())
}
