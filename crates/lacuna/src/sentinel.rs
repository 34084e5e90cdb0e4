//! The text as the model sees it: numbers that a rule has proved are replaced by the words the model was
//! trained with, and positions are mapped back.
//!
//! Rampart never saw a real card number: its training text held `[CREDIT_CARD]`, `[SSN]` and
//! `[IP_ADDRESS]` in their place, as literal text through the ordinary tokenizer.

use std::borrow::Cow;
use std::ops::Range;

/// The word that stands for a label in the model's input, if the model was trained with one.
pub fn word_for(label: &str) -> Option<&'static str> {
    match label {
        "CREDIT_CARD" => Some("[CREDIT_CARD]"),
        "SSN" => Some("[SSN]"),
        "IP_ADDRESS" => Some("[IP_ADDRESS]"),
        _ => None,
    }
}

/// A text with some ranges replaced.
pub struct Masked<'t> {
    /// What the model reads.
    pub text: Cow<'t, str>,
    /// Replaced ranges, ascending: in `text`, and in the original.
    replaced: Vec<(Range<usize>, Range<usize>)>,
}

impl<'t> Masked<'t> {
    /// Replaces `ranges` (ascending, disjoint, on character boundaries) of `original`.
    pub fn new(original: &'t str, ranges: &[(Range<usize>, &'static str)]) -> Masked<'t> {
        if ranges.is_empty() {
            return Masked { text: Cow::Borrowed(original), replaced: Vec::new() };
        }
        let mut text = String::with_capacity(original.len() + 16 * ranges.len());
        let mut replaced = Vec::with_capacity(ranges.len());
        let mut done = 0;
        for (range, word) in ranges {
            text.push_str(&original[done..range.start]);
            let start = text.len();
            text.push_str(word);
            replaced.push((start..text.len(), range.clone()));
            done = range.end;
        }
        text.push_str(&original[done..]);
        Masked { text: Cow::Owned(text), replaced }
    }

    /// The original range of a token's range, or `None` where the token is part of a replaced word.
    pub fn original(&self, range: Range<usize>) -> Option<Range<usize>> {
        let before = self.replaced.partition_point(|(here, _)| here.end <= range.start);
        if self.replaced.get(before).is_some_and(|(here, _)| here.start < range.end) {
            return None;
        }
        let Some((here, there)) = before.checked_sub(1).and_then(|i| self.replaced.get(i)) else {
            return Some(range);
        };
        Some(range.start - here.end + there.end..range.end - here.end + there.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_map_back() {
        let original = "pay 4111 1111 1111 1111 é from 10.0.0.1 now";
        let card = original.find("4111").unwrap();
        let ip = original.find("10.0").unwrap();
        let masked =
            Masked::new(original, &[(card..card + 19, "[CREDIT_CARD]"), (ip..ip + 8, "[IP_ADDRESS]")]);
        assert_eq!(masked.text, "pay [CREDIT_CARD] é from [IP_ADDRESS] now");
        for word in ["pay", "é", "from", "now"] {
            let here = masked.text.find(word).unwrap();
            let there = original.find(word).unwrap();
            assert_eq!(masked.original(here..here + word.len()), Some(there..there + word.len()), "{word}");
        }
        let inside = masked.text.find("CREDIT").unwrap();
        assert_eq!(masked.original(inside..inside + 6), None);
        let bracket = masked.text.find(']').unwrap();
        assert_eq!(masked.original(bracket..bracket + 1), None);
    }
}
