//! The model: vocabulary, scores, merges.

use super::part::{Part, id, not};
use crate::error::{Error, field};
use crate::vocabulary::{self, Merge, Vocabulary};
use crate::writer::Writer;
use serde_json::Value;
use std::collections::HashMap;
use tokens::layout::{field as at, flag, model};

/// Reads `model`.
pub(super) fn read(
    part: &Part<'_>,
    byte_level: bool,
    writer: &mut Writer,
    flags: &mut u32,
) -> Result<Vocabulary, Error> {
    let name = if part.has("type") { part.text("type")? } else { implied(part) };
    match name {
        "WordPiece" => wordpiece(part, writer),
        "Unigram" => unigram(part, writer, flags),
        "BPE" => bpe(part, byte_level, writer, flags),
        other => Err(Error::Unsupported {
            field: part.at("type"),
            found: other.into(),
            supported: "WordPiece, Unigram, BPE",
        }),
    }
}

/// What a model without a type is, in the reference's order: files before 2021 have none, bert-base-uncased's and
/// gpt2's among them.
fn implied(part: &Part<'_>) -> &'static str {
    if part.has("merges") {
        "BPE"
    } else if part.has("max_input_chars_per_word") {
        "WordPiece"
    } else if part.list("vocab").is_ok() {
        "Unigram"
    } else {
        "WordLevel"
    }
}

/// The vocabulary as a map from token to id.
fn map(part: &Part<'_>, model: u8) -> Result<Vocabulary, Error> {
    let mut vocabulary = Vocabulary::new(model);
    for (token, value) in part.map("vocab")? {
        let id = id(value).ok_or_else(|| not(&part.at(&format!("vocab.{token}")), value, "an id"))?;
        vocabulary.insert(token, id as usize)?;
    }
    Ok(vocabulary)
}

fn wordpiece(part: &Part<'_>, writer: &mut Writer) -> Result<Vocabulary, Error> {
    let mut vocabulary = map(part, model::WORDPIECE)?;
    let unknown = part.text("unk_token")?;
    let id = vocabulary.id(unknown).ok_or_else(|| not_a_token(&part.at("unk_token"), unknown))?;
    writer.word(at::UNKNOWN, id);
    vocabulary.prefix = Some(part.text("continuing_subword_prefix")?.into());
    let most = part.whole("max_input_chars_per_word")?;
    writer.word(at::MAX_WORD_CHARS, u32::try_from(most).unwrap_or(u32::MAX));
    Ok(vocabulary)
}

fn not_a_token(path: &str, token: &str) -> Error {
    field(path, format!("{token:?} is not in the vocabulary"))
}

fn unigram(part: &Part<'_>, writer: &mut Writer, flags: &mut u32) -> Result<Vocabulary, Error> {
    let list = part.list("vocab")?;
    let mut vocabulary = Vocabulary::new(model::UNIGRAM);
    let mut lowest = f64::INFINITY;
    for (id, entry) in list.iter().enumerate() {
        let pair = entry.as_array().map(Vec::as_slice);
        let Some([Value::String(token), Value::Number(score)]) = pair else {
            return Err(field(part.at(&format!("vocab[{id}]")), "not a pair of token and score"));
        };
        let score = score.as_f64().unwrap_or(f64::NAN);
        vocabulary.insert(token, id)?;
        vocabulary.scores.push(score);
        lowest = lowest.min(score);
    }
    let unknown = part.optional_whole("unk_id")?.ok_or_else(|| {
        field(part.at("unk_id"), "missing: characters outside the vocabulary would have no token")
    })?;
    if unknown as usize >= list.len() {
        return Err(field(part.at("unk_id"), format!("{unknown} in a vocabulary of {}", list.len())));
    }
    writer.word(at::UNKNOWN, unknown as u32);
    writer.f64(at::UNKNOWN_SCORE, lowest - vocabulary::UNKNOWN_PENALTY);
    if part.boolean_or("byte_fallback", false)? {
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

fn bpe(part: &Part<'_>, byte_level: bool, writer: &mut Writer, flags: &mut u32) -> Result<Vocabulary, Error> {
    let mut vocabulary = map(part, model::BPE)?;
    vocabulary.byte_level = byte_level;
    let refused = |name: &str, found: String, supported: &'static str| {
        Err(Error::Unsupported { field: part.at(name), found, supported })
    };
    for name in ["continuing_subword_prefix", "end_of_word_suffix"] {
        match part.optional_text(name)? {
            None | Some("") => {}
            Some(other) => return refused(name, format!("{other:?}"), "null and \"\""),
        }
    }
    if let Some(dropout) = part.optional_number("dropout")?.filter(|&dropout| dropout != 0.0) {
        return refused("dropout", dropout.to_string(), "null and 0");
    }
    let fallback = part.optional_boolean("byte_fallback")? == Some(true);
    for (name, bit) in [("ignore_merges", flag::IGNORE_MERGES), ("fuse_unk", flag::FUSE_UNKNOWN)] {
        *flags |= if part.optional_boolean(name)? == Some(true) { bit } else { 0 };
    }
    if byte_level {
        vocabulary.use_byte_alphabet();
    } else {
        *flags |= flag::CHARACTERS;
        if fallback {
            fall_back_to_bytes(&mut vocabulary, flags)?;
        }
    }
    // Where every byte has a token, the unknown one is never asked for: old files have "" there.
    let complete = vocabulary.units.len() == 256 && vocabulary.units.iter().all(Option::is_some);
    if let Some(unknown) = part.optional_text("unk_token")? {
        vocabulary.unknown = vocabulary.id(unknown);
        match vocabulary.unknown {
            Some(id) => writer.word(at::UNKNOWN, id),
            None if complete => {}
            None => return Err(not_a_token(&part.at("unk_token"), unknown)),
        }
    }
    if !byte_level && !complete && vocabulary.unknown.is_none() {
        let problem = "missing, and no byte_fallback: characters could be lost";
        return Err(field(part.at("unk_token"), problem));
    }
    merges(part, &mut vocabulary)?;
    Ok(vocabulary)
}

/// `["a", "b"]` all through, or `"a b"` all through; the position is the rank. A pair that comes twice has the later
/// rank, as in the reference.
fn merges(part: &Part<'_>, vocabulary: &mut Vocabulary) -> Result<(), Error> {
    let list = part.list("merges")?;
    let lines = list.first().is_some_and(Value::is_string);
    let mut pairs = HashMap::with_capacity(list.len());
    let mut rank = 0;
    for (index, entry) in list.iter().enumerate() {
        let path = || part.at(&format!("merges[{index}]"));
        let pair = match entry {
            // The head of a merges.txt.
            Value::String(text) if lines && text.starts_with("#version") => continue,
            Value::String(text) if lines => text.split_once(' ').filter(|(_, right)| !right.contains(' ')),
            Value::Array(pair) if !lines => match pair.as_slice() {
                [Value::String(left), Value::String(right)] => Some((&left[..], &right[..])),
                _ => None,
            },
            _ => None,
        };
        let Some((left, right)) = pair else {
            let wanted = if lines { "two tokens with a space between" } else { "a pair of tokens" };
            return Err(field(path(), format!("{entry} is not {wanted}")));
        };
        let merge = vocabulary.merge(left, right, rank).map_err(|token| not_a_token(&path(), &token))?;
        pairs.insert((merge.left, merge.right), merge);
        rank += 1;
    }
    vocabulary.merges = pairs.into_values().collect();
    vocabulary.merges.sort_unstable_by_key(|merge: &Merge| merge.rank);
    Ok(())
}
