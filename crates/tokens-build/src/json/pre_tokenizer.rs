//! The pre-tokenizer, and what its Metaspace has in common with the decoder's.

use super::part::Part;
use crate::error::{Error, field};
use crate::writer::Writer;
use tokens::layout::{field as at, flag, pre_tokenizer};

/// Llama 3's pattern; Qwen 2's differs in the number of digits.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

const PRE_TOKENIZERS: &str = "null, BertPreTokenizer, Metaspace, WhitespaceSplit and Metaspace, ByteLevel, individual \
                              Digits and ByteLevel, Split by the patterns of gpt2, llama-3 or qwen2 and ByteLevel";

/// Reads `pre_tokenizer`; returns whether the model works on bytes.
pub(super) fn read(part: Option<Part<'_>>, writer: &mut Writer, flags: &mut u32) -> Result<bool, Error> {
    let Some(part) = part else {
        writer.byte(at::PRE_TOKENIZER, pre_tokenizer::NONE);
        return Ok(false);
    };
    let parts = match part.text("type")? {
        "Sequence" => part.parts("pretokenizers")?,
        _ => vec![part.clone()],
    };
    let names = parts.iter().map(|part| part.text("type")).collect::<Result<Vec<_>, _>>()?;
    let (found, byte_level) = match names.as_slice() {
        [] => (pre_tokenizer::NONE, false),
        ["BertPreTokenizer"] => (pre_tokenizer::BERT, false),
        ["Metaspace"] => (metaspace(&parts[0], writer, flags)?, false),
        ["WhitespaceSplit", "Metaspace"] => {
            *flags |= flag::WHITESPACE_SPLIT;
            (metaspace(&parts[1], writer, flags)?, false)
        }
        ["ByteLevel"] => {
            let ByteLevel { prefix, regex } = ByteLevel::read(&parts[0])?;
            if prefix && !regex {
                return Err(unsupported(&part));
            }
            *flags |= if prefix { flag::PREFIX_SPACE } else { 0 };
            (if regex { pre_tokenizer::GPT2 } else { pre_tokenizer::NONE }, true)
        }
        ["Digits", "ByteLevel"] => {
            let ByteLevel { prefix, regex } = ByteLevel::read(&parts[1])?;
            if !parts[0].boolean("individual_digits")? || !regex || prefix {
                return Err(unsupported(&part));
            }
            (pre_tokenizer::SMOLLM, true)
        }
        ["Split", "ByteLevel"] => {
            let ByteLevel { prefix, regex } = ByteLevel::read(&parts[1])?;
            if regex || prefix {
                return Err(unsupported(&part));
            }
            (split(&parts[0])?, true)
        }
        _ => return Err(unsupported(&part)),
    };
    writer.byte(at::PRE_TOKENIZER, found);
    Ok(byte_level)
}

fn unsupported(part: &Part<'_>) -> Error {
    Error::Unsupported { field: part.path().into(), found: part.shown(), supported: PRE_TOKENIZERS }
}

struct ByteLevel {
    prefix: bool,
    regex: bool,
}

impl ByteLevel {
    fn read(part: &Part<'_>) -> Result<Self, Error> {
        // Only a post-processor trims; the field must be there all the same.
        part.boolean("trim_offsets")?;
        Ok(Self { prefix: part.boolean("add_prefix_space")?, regex: part.boolean_or("use_regex", true)? })
    }
}

fn split(part: &Part<'_>) -> Result<u8, Error> {
    let isolated = part.text("behavior")? == "Isolated" && !part.boolean("invert")?;
    match part.part("pattern")?.text_or("Regex", "")? {
        LLAMA3 if isolated => Ok(pre_tokenizer::LLAMA3),
        QWEN2 if isolated => Ok(pre_tokenizer::QWEN2),
        GPT2 if isolated => Ok(pre_tokenizer::GPT2),
        _ => Err(unsupported(part)),
    }
}

fn metaspace(part: &Part<'_>, writer: &mut Writer, flags: &mut u32) -> Result<u8, Error> {
    replacement(part, writer)?;
    *flags |= match scheme(part)? {
        "always" => flag::PREPEND_ALWAYS,
        "first" => flag::PREPEND_FIRST,
        _ => 0,
    };
    if part.optional_boolean("split")?.unwrap_or(true) {
        *flags |= flag::SPLIT;
    }
    Ok(pre_tokenizer::METASPACE)
}

/// Metaspace's prepend scheme: `always`, `first` or `never`.
pub(super) fn scheme<'v>(part: &Part<'v>) -> Result<&'v str, Error> {
    let scheme = part.text_or("prepend_scheme", "always")?;
    if !matches!(scheme, "always" | "first" | "never") {
        return Err(field(
            part.at("prepend_scheme"),
            format!("{scheme:?} instead of always, first or never"),
        ));
    }
    if part.optional_boolean("add_prefix_space")? == Some(false) && scheme != "never" {
        return Err(field(part.at("add_prefix_space"), format!("false, and prepend_scheme is {scheme}")));
    }
    Ok(scheme)
}

/// Metaspace's character. Pre-tokenizer and decoder share one field of the table.
pub(super) fn replacement(part: &Part<'_>, writer: &mut Writer) -> Result<(), Error> {
    let text = part.text("replacement")?;
    part.optional_text("str_rep")?;
    let mut characters = text.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else {
        return Err(field(part.at("replacement"), format!("{text:?} is not one character")));
    };
    let before = writer.word_at(at::REPLACEMENT);
    if before != 0 && before != u32::from(character) {
        return Err(field(part.at("replacement"), "the decoder has another one"));
    }
    writer.word(at::REPLACEMENT, u32::from(character));
    Ok(())
}
