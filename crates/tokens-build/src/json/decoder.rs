//! The decoder.

use super::part::Part;
use super::pre_tokenizer::{replacement, scheme};
use crate::error::Error;
use crate::writer::Writer;
use tokens::layout::{decoder, field as at, flag};

const DECODERS: &str =
    "null, WordPiece, ByteLevel, Metaspace, and Replace, ByteFallback, Fuse, Strip in sequence";

/// Reads `decoder`.
pub(super) fn read(part: Option<Part<'_>>, writer: &mut Writer, flags: &mut u32) -> Result<(), Error> {
    let Some(part) = part else {
        writer.byte(at::DECODER, decoder::SPACES);
        return Ok(());
    };
    let found = match part.text("type")? {
        "WordPiece" => {
            let (_, length) = writer.string(part.text("prefix")?.as_bytes());
            writer.word(at::PREFIX_BYTES, length);
            if part.boolean("cleanup")? {
                *flags |= flag::CLEANUP;
            }
            decoder::WORDPIECE
        }
        "ByteLevel" => {
            for unread in ["add_prefix_space", "trim_offsets"] {
                part.boolean(unread)?;
            }
            part.boolean_or("use_regex", true)?;
            decoder::BYTES
        }
        "Metaspace" => {
            replacement(&part, writer)?;
            part.optional_boolean("split")?;
            if scheme(&part)? != "never" {
                *flags |= flag::DECODE_STRIPS_FIRST;
            }
            decoder::METASPACE
        }
        "Sequence" => sentencepiece(&part, flags)?,
        _ => return Err(unsupported(&part)),
    };
    writer.byte(at::DECODER, found);
    Ok(())
}

/// A table has tokens as plain bytes, so the byte alphabet is undone where it is used and nowhere else.
pub(super) fn check(byte_level: bool, writer: &Writer) -> Result<(), Error> {
    let field = || "decoder".into();
    match (byte_level, writer.byte_at(at::DECODER) == decoder::BYTES) {
        (true, false) => Err(Error::Unsupported {
            field: field(),
            found: "another decoder behind the pre-tokenizer ByteLevel".into(),
            supported: "ByteLevel",
        }),
        (false, true) => Err(Error::Unsupported {
            field: field(),
            found: "ByteLevel without the pre-tokenizer ByteLevel".into(),
            supported: "null, WordPiece, Metaspace, and Replace, ByteFallback, Fuse, Strip in sequence",
        }),
        _ => Ok(()),
    }
}

fn unsupported(part: &Part<'_>) -> Error {
    Error::Unsupported { field: part.path().into(), found: part.shown(), supported: DECODERS }
}

fn sentencepiece(part: &Part<'_>, flags: &mut u32) -> Result<u8, Error> {
    let parts = part.parts("decoders")?;
    let names = parts.iter().map(|part| part.text("type")).collect::<Result<Vec<_>, _>>()?;
    let ["Replace", "ByteFallback", "Fuse", rest @ ..] = names.as_slice() else {
        return Err(unsupported(part));
    };
    let replaces =
        parts[0].part("pattern")?.text_or("String", "")? == "\u{2581}" && parts[0].text("content")? == " ";
    let strips = match rest {
        [] => false,
        ["Strip"] => {
            let strip = &parts[3];
            if (strip.text("content")?, strip.whole("start")?, strip.whole("stop")?) != (" ", 1, 0) {
                return Err(unsupported(part));
            }
            true
        }
        _ => return Err(unsupported(part)),
    };
    if !replaces {
        return Err(unsupported(part));
    }
    if strips {
        *flags |= flag::DECODE_STRIPS_FIRST;
    }
    Ok(decoder::SENTENCEPIECE)
}
