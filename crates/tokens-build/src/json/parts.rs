//! Pre-tokenizer, post-processor and decoder.

use super::kind;
use crate::error::{Error, field};
use crate::writer::Writer;
use serde_json::Value;
use tokens::layout::{decoder, field as at, flag, pre_tokenizer, section};

/// Llama 3's pattern; Qwen 2's differs in the number of digits.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

const PRE_TOKENIZERS: &str = "null, BertPreTokenizer, Metaspace, WhitespaceSplit and Metaspace, ByteLevel, individual \
                              Digits and ByteLevel, Split by the patterns of gpt2, llama-3 or qwen2 and ByteLevel";

/// Reads `pre_tokenizer`; returns whether the model works on bytes.
pub(super) fn pre_tokenizer(part: &Value, writer: &mut Writer, flags: &mut u32) -> Result<bool, Error> {
    let single = std::slice::from_ref(part);
    let parts = match part["type"].as_str() {
        Some("Sequence") => part["pretokenizers"]
            .as_array()
            .ok_or_else(|| field("pre_tokenizer.pretokenizers", "not an array"))?
            .as_slice(),
        _ if part.is_null() => &[][..],
        Some(_) => single,
        None => return Err(field("pre_tokenizer.type", "missing")),
    };
    let names: Vec<&str> = parts.iter().map(|part| part["type"].as_str().unwrap_or("")).collect();
    let (found, byte_level) = match names.as_slice() {
        [] => (pre_tokenizer::NONE, false),
        ["BertPreTokenizer"] => (pre_tokenizer::BERT, false),
        ["Metaspace"] => (metaspace(&parts[0], writer, flags)?, false),
        ["WhitespaceSplit", "Metaspace"] => {
            *flags |= flag::WHITESPACE_SPLIT;
            (metaspace(&parts[1], writer, flags)?, false)
        }
        ["ByteLevel"] => (byte_level_alone(&parts[0], flags)?, true),
        ["Digits", "ByteLevel"] => {
            let individual = parts[0]["individual_digits"].as_bool().unwrap_or(false);
            let regex = parts[1]["use_regex"].as_bool().unwrap_or(true);
            if !individual || !regex || adds_prefix(&parts[1]) {
                return Err(unsupported(part));
            }
            (pre_tokenizer::SMOLLM, true)
        }
        ["Split", "ByteLevel"] => {
            if parts[1]["use_regex"].as_bool().unwrap_or(true) || adds_prefix(&parts[1]) {
                return Err(unsupported(part));
            }
            (split(&parts[0])?, true)
        }
        _ => return Err(unsupported(part)),
    };
    writer.byte(at::PRE_TOKENIZER, found);
    Ok(byte_level)
}

fn unsupported(part: &Value) -> Error {
    Error::Unsupported { field: "pre_tokenizer".into(), found: part.to_string(), supported: PRE_TOKENIZERS }
}

fn adds_prefix(part: &Value) -> bool {
    part["add_prefix_space"].as_bool().unwrap_or(true)
}

fn byte_level_alone(part: &Value, flags: &mut u32) -> Result<u8, Error> {
    if !part["use_regex"].as_bool().unwrap_or(true) {
        return if adds_prefix(part) { Err(unsupported(part)) } else { Ok(pre_tokenizer::NONE) };
    }
    if adds_prefix(part) {
        *flags |= flag::PREFIX_SPACE;
    }
    Ok(pre_tokenizer::GPT2)
}

fn split(part: &Value) -> Result<u8, Error> {
    let isolated = part["behavior"] == "Isolated" && !part["invert"].as_bool().unwrap_or(false);
    match part["pattern"]["Regex"].as_str() {
        Some(LLAMA3) if isolated => Ok(pre_tokenizer::LLAMA3),
        Some(QWEN2) if isolated => Ok(pre_tokenizer::QWEN2),
        Some(GPT2) if isolated => Ok(pre_tokenizer::GPT2),
        _ => Err(unsupported(part)),
    }
}

fn metaspace(part: &Value, writer: &mut Writer, flags: &mut u32) -> Result<u8, Error> {
    replacement(part, "pre_tokenizer", writer)?;
    *flags |= match scheme(part, "pre_tokenizer")? {
        Some("always") => flag::PREPEND_ALWAYS,
        Some("first") => flag::PREPEND_FIRST,
        _ => 0,
    };
    if part["split"].as_bool().unwrap_or(true) {
        *flags |= flag::SPLIT;
    }
    Ok(pre_tokenizer::METASPACE)
}

/// The prepend scheme; nothing for `never`.
fn scheme<'v>(part: &'v Value, path: &str) -> Result<Option<&'v str>, Error> {
    let scheme = part["prepend_scheme"].as_str().unwrap_or("always");
    if !matches!(scheme, "always" | "first" | "never") {
        return Err(field(format!("{path}.prepend_scheme"), format!("{scheme:?}")));
    }
    let never = scheme == "never" || part["add_prefix_space"] == false;
    Ok(if never { None } else { Some(scheme) })
}

/// Metaspace's character. Pre-tokenizer and decoder share one field of the table.
fn replacement(part: &Value, path: &str, writer: &mut Writer) -> Result<(), Error> {
    let text = part["replacement"].as_str().unwrap_or("\u{2581}");
    let mut characters = text.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else {
        return Err(field(format!("{path}.replacement"), format!("{text:?} is not one character")));
    };
    let before = writer.word_at(at::REPLACEMENT);
    if before != 0 && before != u32::from(character) {
        return Err(field(format!("{path}.replacement"), "the decoder has another one"));
    }
    writer.word(at::REPLACEMENT, u32::from(character));
    Ok(())
}

const DECODERS: &str =
    "null, WordPiece, ByteLevel, Metaspace, and Replace, ByteFallback, Fuse, Strip in sequence";

/// Reads `decoder`.
pub(super) fn decoder(part: &Value, writer: &mut Writer, flags: &mut u32) -> Result<(), Error> {
    let found = match part["type"].as_str() {
        None if part.is_null() => decoder::SPACES,
        Some("WordPiece") => {
            let prefix = part["prefix"].as_str().unwrap_or("##");
            let (_, length) = writer.string(prefix.as_bytes());
            writer.word(at::PREFIX_BYTES, length);
            if part["cleanup"].as_bool().unwrap_or(true) {
                *flags |= flag::CLEANUP;
            }
            decoder::WORDPIECE
        }
        Some("ByteLevel") => decoder::BYTES,
        Some("Metaspace") => {
            replacement(part, "decoder", writer)?;
            if scheme(part, "decoder")?.is_some() {
                *flags |= flag::DECODE_STRIPS_FIRST;
            }
            decoder::METASPACE
        }
        Some("Sequence") => sentencepiece(part, flags)?,
        Some(other) => return Err(no_decoder(other)),
        None => return Err(field("decoder.type", "missing")),
    };
    writer.byte(at::DECODER, found);
    Ok(())
}

fn no_decoder(found: &str) -> Error {
    Error::Unsupported { field: "decoder".into(), found: found.into(), supported: DECODERS }
}

fn sentencepiece(part: &Value, flags: &mut u32) -> Result<u8, Error> {
    let Some(parts) = part["decoders"].as_array() else {
        return Err(field("decoder.decoders", "not an array"));
    };
    let names: Vec<&str> = parts.iter().map(|part| part["type"].as_str().unwrap_or("")).collect();
    let ["Replace", "ByteFallback", "Fuse", rest @ ..] = names.as_slice() else {
        return Err(no_decoder(&part.to_string()));
    };
    let replaces = parts[0]["pattern"]["String"] == "\u{2581}" && parts[0]["content"] == " ";
    let strips = match rest {
        [] => false,
        ["Strip"] if parts[3]["content"] == " " && parts[3]["start"] == 1 && parts[3]["stop"] == 0 => true,
        _ => return Err(no_decoder(&part.to_string())),
    };
    if !replaces {
        return Err(no_decoder(&part.to_string()));
    }
    if strips {
        *flags |= flag::DECODE_STRIPS_FIRST;
    }
    Ok(decoder::SENTENCEPIECE)
}

const POST_PROCESSORS: &str =
    "null, TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence";

/// Ids around a text.
#[derive(Default)]
struct Template {
    before: Vec<u32>,
    after: Vec<u32>,
}

/// Reads `post_processor`.
pub(super) fn post_processor(part: &Value, writer: &mut Writer, flags: &mut u32) -> Result<(), Error> {
    let mut template = Template::default();
    match part["type"].as_str() {
        None if part.is_null() => {}
        Some("Sequence") => {
            let Some(parts) = part["processors"].as_array() else {
                return Err(field("post_processor.processors", "not an array"));
            };
            parts.iter().try_for_each(|part| process(part, &mut template, flags))?;
        }
        _ => process(part, &mut template, flags)?,
    }
    let counts = [template.before.len() as u32, template.after.len() as u32];
    writer.words(section::TEMPLATE, counts.into_iter().chain(template.before).chain(template.after));
    Ok(())
}

fn process(part: &Value, template: &mut Template, flags: &mut u32) -> Result<(), Error> {
    let trims = part["trim_offsets"].as_bool().unwrap_or(true);
    match part["type"].as_str() {
        Some("TemplateProcessing") => single_template(part, template),
        Some(name @ ("BertProcessing" | "RobertaProcessing")) => {
            template.before.insert(0, id_of_pair(&part["cls"], "post_processor.cls")?);
            template.after.push(id_of_pair(&part["sep"], "post_processor.sep")?);
            if name == "RobertaProcessing" && trims {
                trim(part, flags);
            }
            Ok(())
        }
        Some("ByteLevel") => {
            if trims {
                trim(part, flags);
            }
            Ok(())
        }
        Some(other) => Err(no_post_processor(other)),
        None => Err(field("post_processor.type", "missing")),
    }
}

fn trim(part: &Value, flags: &mut u32) {
    *flags |= flag::TRIM_OFFSETS;
    if adds_prefix(part) {
        *flags |= flag::TRIM_KEEPS_FIRST;
    }
}

fn no_post_processor(found: &str) -> Error {
    Error::Unsupported { field: "post_processor".into(), found: found.into(), supported: POST_PROCESSORS }
}

/// `["[CLS]", 2]`.
fn id_of_pair(pair: &Value, path: &str) -> Result<u32, Error> {
    id(&pair[1], path)
}

fn id(value: &Value, path: &str) -> Result<u32, Error> {
    let number = value.as_u64().and_then(|id| u32::try_from(id).ok());
    number.ok_or_else(|| field(path, format!("{} instead of an id", kind(value))))
}

fn single_template(part: &Value, template: &mut Template) -> Result<(), Error> {
    let Some(pieces) = part["single"].as_array() else {
        return Err(field("post_processor.single", "not an array"));
    };
    let mut seen = false;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for piece in pieces {
        if piece["Sequence"].is_object() {
            if seen {
                return Err(no_post_processor("a template with the text twice"));
            }
            seen = true;
            continue;
        }
        let Some(name) = piece["SpecialToken"]["id"].as_str() else {
            return Err(field(
                "post_processor.single",
                format!("neither Sequence nor SpecialToken: {piece}"),
            ));
        };
        let path = format!("post_processor.special_tokens.{name}.ids");
        let Some(ids) = part["special_tokens"][name]["ids"].as_array() else {
            return Err(field(path, "not an array"));
        };
        for found in ids {
            let side = if seen { &mut after } else { &mut before };
            side.push(id(found, &path)?);
        }
    }
    if !seen {
        return Err(field("post_processor.single", "no Sequence"));
    }
    before.append(&mut template.before);
    template.before = before;
    template.after.append(&mut after);
    Ok(())
}
