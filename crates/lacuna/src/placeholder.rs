//! Findings to items and redacted text.

use std::collections::HashMap;
use std::ops::Range;

use crate::arbitrate::{Evidence, Finding, Rank};
use crate::{Consistency, Map};

/// Who found an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The language model.
    Model,
    /// A rule.
    Rule,
}

/// One redacted value.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The label, e.g. `GIVEN_NAME`.
    pub label: String,
    /// The rule's kind of value, e.g. `IBAN`.
    pub subtype: Option<&'static str>,
    /// What stands in its place, e.g. `[GIVEN_NAME_1]`. The same value has the same placeholder.
    pub placeholder: String,
    /// Unicode code points of the original text.
    pub chars: Range<usize>,
    /// UTF-16 units of the original text.
    pub utf16: Range<usize>,
    /// Bytes of the original text.
    pub bytes: Range<usize>,
    /// 0 to 1.
    pub confidence: f32,
    /// Who found it.
    pub source: Source,
    /// How it was found.
    pub evidence: Evidence,
}

/// Writes the redacted text. `found` is in the order of the text and disjoint.
pub fn replace(text: &str, found: Vec<Finding>, consistency: Consistency) -> (String, Vec<Item>, Map) {
    let mut redacted = String::with_capacity(text.len());
    let mut items = Vec::with_capacity(found.len());
    let mut map = Map::new();
    let mut names = Names { text, consistency, given: HashMap::new(), counts: HashMap::new() };
    let mut position = Position::default();
    let mut done = 0;
    for finding in found {
        let Range { start, end } = finding.range;
        let value = &text[start..end];
        let placeholder = names.name(&finding.label, value);
        position.advance(&text[done..start]);
        let from = position;
        position.advance(value);
        redacted.push_str(&text[done..start]);
        redacted.push_str(&placeholder);
        map.entry(placeholder.clone()).or_insert_with(|| value.to_string());
        items.push(Item {
            label: finding.label,
            subtype: finding.subtype,
            placeholder,
            chars: from.chars..position.chars,
            utf16: from.utf16..position.utf16,
            bytes: start..end,
            confidence: finding.confidence,
            source: if finding.evidence.rule.is_some() || finding.rank == Rank::Proved {
                Source::Rule
            } else {
                Source::Model
            },
            evidence: finding.evidence,
        });
        done = end;
    }
    redacted.push_str(&text[done..]);
    (redacted, items, map)
}

#[derive(Debug, Clone, Copy, Default)]
struct Position {
    chars: usize,
    utf16: usize,
}

impl Position {
    fn advance(&mut self, part: &str) {
        for c in part.chars() {
            self.chars += 1;
            self.utf16 += c.len_utf16();
        }
    }
}

/// Gives values their placeholders.
struct Names<'t> {
    text: &'t str,
    consistency: Consistency,
    /// Label and value to placeholder.
    given: HashMap<(String, String), String>,
    /// Placeholders given so far, and whether any of the label's stands in the text already.
    counts: HashMap<String, (usize, bool)>,
}

impl Names<'_> {
    fn name(&mut self, label: &str, value: &str) -> String {
        // With a map, one placeholder is one value: spellings that differ in case share one only where asked.
        let key = match self.consistency {
            Consistency::IgnoreCase => value.to_lowercase(),
            _ => value.to_string(),
        };
        if let Some(name) = self.given.get(&(label.to_string(), key.clone())) {
            return name.clone();
        }
        let text = self.text;
        let (count, taken) =
            self.counts.entry(label.to_string()).or_insert_with(|| (0, text.contains(&format!("[{label}_"))));
        let name = loop {
            *count += 1;
            let name = format!("[{label}_{count}]");
            // A placeholder that already stands in the text would come back as the wrong value.
            if !*taken || !self.text.contains(&name) {
                break name;
            }
        };
        self.given.insert((label.to_string(), key), name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(text: &str, value: &str, after: usize, label: &str) -> Finding {
        let start = after + text[after..].find(value).unwrap();
        Finding {
            range: start..start + value.len(),
            label: label.into(),
            subtype: None,
            confidence: 0.9,
            rank: Rank::Model,
            evidence: Evidence::default(),
        }
    }

    #[test]
    fn same_value_same_placeholder_and_all_offsets() {
        let text = "🙏 Alba and Bruno and Alba";
        let found = vec![
            finding(text, "Alba", 0, "GIVEN_NAME"),
            finding(text, "Bruno", 0, "GIVEN_NAME"),
            finding(text, "Alba", 10, "GIVEN_NAME"),
        ];
        let (redacted, items, map) = replace(text, found, Consistency::Exact);
        assert_eq!(redacted, "🙏 [GIVEN_NAME_1] and [GIVEN_NAME_2] and [GIVEN_NAME_1]");
        assert_eq!(
            (items[0].chars.clone(), items[0].utf16.clone(), items[0].bytes.clone()),
            (2..6, 3..7, 5..9)
        );
        assert_eq!(map.len(), 2);
        assert_eq!(crate::restore(&redacted, &map, crate::RestoreMode::Strict).text, text);
    }

    #[test]
    fn a_placeholder_that_stands_in_the_text_is_not_given_away() {
        let text = "[CITY_1] is not Oslo";
        let (redacted, _, map) = replace(text, vec![finding(text, "Oslo", 0, "CITY")], Consistency::Exact);
        assert_eq!(redacted, "[CITY_1] is not [CITY_2]");
        assert_eq!(crate::restore(&redacted, &map, crate::RestoreMode::Strict).text, text);
    }
}
