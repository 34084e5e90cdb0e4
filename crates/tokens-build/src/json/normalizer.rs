//! The normaliser: its parts as steps of the table.

use super::part::Part;
use crate::bert::Bert;
use crate::error::{Error, field};
use crate::precompiled;
use crate::writer::Writer;
use tokens::layout::{section, step};

const SUPPORTED: &str = "BertNormalizer, Precompiled, Strip, Replace (a string, or a regex X{N,}), Prepend, Lowercase, \
                         NFC, Sequence";

/// Writes the steps of `normalizer`.
pub(super) fn write(normalizer: Option<Part<'_>>, writer: &mut Writer) -> Result<(), Error> {
    let mut steps = Steps { words: Vec::new(), has_map: false };
    if let Some(part) = normalizer {
        steps.add(&part, writer)?;
    }
    writer.words(section::NORMALIZER, steps.words);
    Ok(())
}

struct Steps {
    words: Vec<u32>,
    /// A table holds one character map.
    has_map: bool,
}

impl Steps {
    fn add(&mut self, part: &Part<'_>, writer: &mut Writer) -> Result<(), Error> {
        match part.text("type")? {
            "Sequence" => {
                for part in part.parts("normalizers")? {
                    // One level: a sequence in a sequence would let a file choose the depth of recursion.
                    if part.text("type")? == "Sequence" {
                        return Err(unsupported(part.path(), "a nested Sequence"));
                    }
                    self.add(&part, writer)?;
                }
            }
            "BertNormalizer" => self.bert(part, writer)?,
            "Precompiled" => {
                self.map(part)?;
                let map = part.text("precompiled_charsmap")?;
                precompiled::write(map, &part.at("precompiled_charsmap"), writer)?;
                self.words.push(step::PRECOMPILED);
            }
            "Strip" => {
                for (name, code) in [("strip_left", step::STRIP_LEFT), ("strip_right", step::STRIP_RIGHT)] {
                    self.words.extend(part.boolean(name)?.then_some(code));
                }
            }
            "Replace" => self.replace(part, writer)?,
            "Prepend" => {
                let text = part.text("prepend")?;
                if text.is_empty() {
                    return Err(field(part.at("prepend"), "empty"));
                }
                let (offset, length) = writer.string(text.as_bytes());
                self.words.extend([step::PREPEND, offset, length]);
            }
            "Lowercase" => self.words.push(step::LOWERCASE),
            "NFC" => {
                if self.words.contains(&step::CHARACTERS) {
                    return Err(unsupported(part.path(), "NFC behind BertNormalizer"));
                }
                crate::composition::write(writer);
                self.words.push(step::NFC);
            }
            other => return Err(unsupported(part.path(), other)),
        }
        Ok(())
    }

    fn bert(&mut self, part: &Part<'_>, writer: &mut Writer) -> Result<(), Error> {
        self.map(part)?;
        let lowercase = part.boolean("lowercase")?;
        let bert = Bert {
            clean_text: part.boolean("clean_text")?,
            chinese: part.boolean("handle_chinese_chars")?,
            strip_accents: part.optional_boolean("strip_accents")?.unwrap_or(lowercase),
            lowercase,
        };
        if !self.words.is_empty() {
            return Err(unsupported(part.path(), "BertNormalizer behind another normalizer"));
        }
        bert.write(writer)?;
        self.words.push(step::CHARACTERS);
        Ok(())
    }

    fn map(&mut self, part: &Part<'_>) -> Result<(), Error> {
        if std::mem::replace(&mut self.has_map, true) {
            return Err(unsupported(part.path(), "a second character map"));
        }
        Ok(())
    }

    fn replace(&mut self, part: &Part<'_>, writer: &mut Writer) -> Result<(), Error> {
        let content = part.text("content")?;
        let pattern = part.part("pattern")?;
        let (code, literal, minimum) = if pattern.has("String") {
            let literal = pattern.text("String")?;
            if literal.is_empty() {
                return Err(field(pattern.at("String"), "empty"));
            }
            (step::REPLACE, literal, 1)
        } else {
            let regex = pattern.text("Regex")?;
            match run_of(regex) {
                Some((literal, minimum)) => (step::REPLACE_RUN, literal, minimum),
                None => return Err(unsupported(pattern.path(), regex)),
            }
        };
        let (offset, length) = writer.string(literal.as_bytes());
        let (content_offset, content_length) = writer.string(content.as_bytes());
        self.words.extend([code, offset, length, content_offset, content_length, minimum]);
        Ok(())
    }
}

/// `X{N,}` or `X+` with a single literal character: that character and the minimum.
fn run_of(regex: &str) -> Option<(&str, u32)> {
    let character = regex.chars().next()?;
    if !(character == ' ' || character.is_alphanumeric() || character == '\u{2581}') {
        return None;
    }
    let (literal, rest) = regex.split_at(character.len_utf8());
    if rest == "+" {
        return Some((literal, 1));
    }
    let minimum = rest.strip_prefix('{')?.strip_suffix(",}")?.parse().ok()?;
    (1..=1000).contains(&minimum).then_some((literal, minimum))
}

fn unsupported(path: &str, found: &str) -> Error {
    Error::Unsupported { field: path.into(), found: found.into(), supported: SUPPORTED }
}
