//! BERT's normaliser as a map from each code point to what it becomes.

use crate::error::Error;
use crate::twostage::compress;
use crate::writer::Writer;
use tokens::layout::{charmap, section};
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::char::{canonical_combining_class, decompose_canonical};

/// The options of `BertNormalizer`, `strip_accents` already resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bert {
    pub(crate) clean_text: bool,
    pub(crate) chinese: bool,
    pub(crate) strip_accents: bool,
    pub(crate) lowercase: bool,
}

/// What one code point becomes.
struct Output {
    text: String,
    flags: u32,
    /// Decomposition with combining classes, where a combining character is part of it.
    marks: Vec<(u8, char)>,
}

impl Bert {
    /// Fills the character map and, with `strip_accents`, the combining marks.
    ///
    /// **Source**: `BertNormalizer` in the tokenizers crate, step by step on one character.
    pub(crate) fn write(self, writer: &mut Writer) -> Result<(), Error> {
        let mut entries = vec![0u32; 0x11_0000];
        let mut pool = Pool::default();
        let mut marks = Vec::new();
        let mut elements = Vec::new();
        for (point, entry) in entries.iter_mut().enumerate() {
            let Some(character) = char::from_u32(point as u32) else { continue };
            let output = self.output(character);
            if !output.marks.is_empty() {
                marks.push(point as u32);
                marks.push((elements.len() as u32) << 8 | output.marks.len() as u32);
                elements.extend(output.marks.iter().map(|&(class, c)| u32::from(class) << 24 | c as u32));
            }
            let same = output.text.chars().eq([character]);
            if !same || output.flags != 0 {
                *entry = pool.entry(output.text.as_bytes())? | charmap::MAPPED | output.flags;
            }
        }
        let (index, blocks) = compress(&entries);
        writer.halves(section::CHAR_INDEX, &index);
        writer.words(section::CHAR_BLOCKS, blocks);
        writer.section(section::CHAR_POOL, pool.bytes);
        writer.words(section::MARKS, marks);
        writer.words(section::MARK_ELEMENTS, elements);
        Ok(())
    }

    fn output(self, character: char) -> Output {
        let mut output = Output { text: String::new(), flags: 0, marks: Vec::new() };
        let mut cleaned = character;
        if self.clean_text {
            if character == '\0' || character == '\u{fffd}' || is_control(character) {
                output.flags = charmap::CONTINUES;
                return output;
            }
            if is_white(character) {
                cleaned = ' ';
            }
        }
        let parts = if self.chinese && is_chinese(cleaned) { vec![' ', cleaned, ' '] } else { vec![cleaned] };
        let mut kept = Vec::new();
        if self.strip_accents {
            let mut elements = Vec::new();
            for part in parts {
                decompose_canonical(part, |c| elements.push((canonical_combining_class(c), c)));
            }
            kept.extend(elements.iter().map(|e| e.1).filter(|c| !c.is_mark_nonspacing()));
            if kept.iter().any(|&c| canonical_combining_class(c) != 0) {
                output.flags |= charmap::REORDERS;
            }
            if elements.first().is_some_and(|e| e.0 != 0) {
                output.flags |= charmap::CONTINUES;
            }
            if elements.iter().any(|e| e.0 != 0) {
                output.marks = elements;
            }
        } else {
            kept = parts;
        }
        for c in kept {
            if self.lowercase {
                output.text.extend(c.to_lowercase());
            } else {
                output.text.push(c);
            }
        }
        output
    }
}

/// An entry has 21 bits for the offset and 8 for the length. Real maps take 60 KB and at most 36 bytes.
const MOST_POOL: usize = 1 << 21;
const MOST_OUTPUT: usize = 255;

/// The pool of outputs; equal ones are stored once.
#[derive(Default)]
pub(crate) struct Pool {
    pub(crate) bytes: Vec<u8>,
    seen: std::collections::HashMap<Vec<u8>, u32>,
}

impl Pool {
    /// `offset << 11 | length << 3`.
    pub(crate) fn entry(&mut self, text: &[u8]) -> Result<u32, Error> {
        if let Some(&entry) = self.seen.get(text) {
            return Ok(entry);
        }
        let offset = self.bytes.len();
        if offset >= MOST_POOL {
            return Err(Error::TooLarge {
                what: "bytes of mapped characters",
                found: offset,
                limit: MOST_POOL,
            });
        }
        if text.len() > MOST_OUTPUT {
            let what = "bytes that one character maps to";
            return Err(Error::TooLarge { what, found: text.len(), limit: MOST_OUTPUT });
        }
        self.bytes.extend_from_slice(text);
        let entry = (offset as u32) << 11 | (text.len() as u32) << 3;
        self.seen.insert(text.to_vec(), entry);
        Ok(entry)
    }
}

fn is_white(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r') || character.is_whitespace()
}

fn is_control(character: char) -> bool {
    !matches!(character, '\t' | '\n' | '\r') && character.is_other()
}

/// The blocks that the reference takes for Chinese. Its sixth begins at 2B920, not at 2B820 where Unicode's does.
fn is_chinese(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4e00..=0x9fff
            | 0x3400..=0x4dbf
            | 0x2_0000..=0x2_a6df
            | 0x2_a700..=0x2_b73f
            | 0x2_b740..=0x2_b81f
            | 0x2_b920..=0x2_ceaf
            | 0xf900..=0xfaff
            | 0x2_f800..=0x2_fa1f
    )
}
