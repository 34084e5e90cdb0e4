//! The normaliser: its parts as steps of the table.

use super::kind;
use crate::bert::Bert;
use crate::error::{Error, field};
use crate::precompiled;
use crate::writer::Writer;
use serde_json::Value;
use tokens::layout::{section, step};

const SUPPORTED: &str = "BertNormalizer, Precompiled, Strip, Replace (a string, or a regex X{N,}), Prepend, Lowercase, \
                         NFC, Sequence";

/// Writes the steps of `normalizer`.
pub(super) fn write(normalizer: &Value, writer: &mut Writer) -> Result<(), Error> {
    let mut steps = Steps { words: Vec::new(), has_map: false };
    steps.add(normalizer, "normalizer", writer)?;
    writer.words(section::NORMALIZER, steps.words);
    Ok(())
}

struct Steps {
    words: Vec<u32>,
    /// A table holds one character map.
    has_map: bool,
}

impl Steps {
    fn add(&mut self, part: &Value, path: &str, writer: &mut Writer) -> Result<(), Error> {
        if part.is_null() {
            return Ok(());
        }
        let boolean = |name: &str, default: bool| match &part[name] {
            Value::Null => Ok(default),
            Value::Bool(value) => Ok(*value),
            other => Err(field(format!("{path}.{name}"), format!("{} instead of a boolean", kind(other)))),
        };
        match part["type"].as_str() {
            Some("Sequence") => {
                let Some(parts) = part["normalizers"].as_array() else {
                    return Err(field(format!("{path}.normalizers"), "not an array"));
                };
                for (index, part) in parts.iter().enumerate() {
                    // One level: a sequence in a sequence would let a file choose the depth of recursion.
                    if part["type"] == "Sequence" {
                        return Err(unsupported(
                            &format!("{path}.normalizers[{index}]"),
                            "a nested Sequence",
                        ));
                    }
                    self.add(part, &format!("{path}.normalizers[{index}]"), writer)?;
                }
            }
            Some("BertNormalizer") => {
                self.map(path)?;
                let lowercase = boolean("lowercase", true)?;
                let bert = Bert {
                    clean_text: boolean("clean_text", true)?,
                    chinese: boolean("handle_chinese_chars", true)?,
                    strip_accents: boolean("strip_accents", lowercase)?,
                    lowercase,
                };
                if !self.words.is_empty() {
                    return Err(unsupported(path, "BertNormalizer behind another normalizer"));
                }
                bert.write(writer)?;
                self.words.push(step::CHARACTERS);
            }
            Some("Precompiled") => {
                self.map(path)?;
                let Some(map) = part["precompiled_charsmap"].as_str() else {
                    return Err(field(format!("{path}.precompiled_charsmap"), "not a string"));
                };
                precompiled::write(map, &format!("{path}.precompiled_charsmap"), writer)?;
                self.words.push(step::PRECOMPILED);
            }
            Some("Strip") => {
                if boolean("strip_left", true)? {
                    self.words.push(step::STRIP_LEFT);
                }
                if boolean("strip_right", true)? {
                    self.words.push(step::STRIP_RIGHT);
                }
            }
            Some("Replace") => self.replace(part, path, writer)?,
            Some("Prepend") => {
                let Some(text) = part["prepend"].as_str() else {
                    return Err(field(format!("{path}.prepend"), "not a string"));
                };
                let (offset, length) = writer.string(text.as_bytes());
                self.words.extend([step::PREPEND, offset, length]);
            }
            Some("Lowercase") => self.words.push(step::LOWERCASE),
            Some("NFC") => {
                if self.words.contains(&step::CHARACTERS) {
                    return Err(unsupported(path, "NFC behind BertNormalizer"));
                }
                crate::composition::write(writer);
                self.words.push(step::NFC);
            }
            Some(other) => return Err(unsupported(path, other)),
            None => return Err(field(format!("{path}.type"), "missing")),
        }
        Ok(())
    }

    fn map(&mut self, path: &str) -> Result<(), Error> {
        if std::mem::replace(&mut self.has_map, true) {
            return Err(unsupported(path, "a second character map"));
        }
        Ok(())
    }

    fn replace(&mut self, part: &Value, path: &str, writer: &mut Writer) -> Result<(), Error> {
        let Some(content) = part["content"].as_str() else {
            return Err(field(format!("{path}.content"), "not a string"));
        };
        let pattern = &part["pattern"];
        let (code, literal, minimum) = if let Some(text) = pattern["String"].as_str() {
            (step::REPLACE, text, 1)
        } else if let Some(regex) = pattern["Regex"].as_str() {
            match run_of(regex) {
                Some((literal, minimum)) => (step::REPLACE_RUN, literal, minimum),
                None => return Err(unsupported(&format!("{path}.pattern"), regex)),
            }
        } else {
            return Err(field(format!("{path}.pattern"), "neither String nor Regex"));
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
