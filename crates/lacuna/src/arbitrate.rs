//! One answer out of many findings: no overlaps, the surest first, nothing personal let go.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};

use crate::spans;

/// Who found something, surest first: an earlier one takes the text it claims from a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// A rule whose check digit or structure proves the value.
    Proved,
    /// A rule with an unmistakable form or a context word.
    Formed,
    /// The model.
    Model,
    /// A form that many other things share.
    Likely,
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Bytes of the original text.
    pub range: Range<usize>,
    /// The label.
    pub label: String,
    /// The rule's kind of value.
    pub subtype: Option<&'static str>,
    /// 0 to 1.
    pub confidence: f32,
    /// Who found it.
    pub rank: Rank,
    /// How it was found, for `explain`.
    pub evidence: Evidence,
}

/// What an item rests on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The rule that matched.
    pub rule: Option<&'static str>,
    /// What the model called it.
    pub model_label: Option<String>,
    /// The check that passed.
    pub check: Option<&'static str>,
    /// The word near it that raised it.
    pub context_word: Option<String>,
}

/// Picks findings that do not overlap. A surer rank beats a weaker one, then the longer, then the more
/// confident, then the earlier. What a loser covers beyond the winners stays covered, as a part of its own.
///
/// Returns them in the order of the text.
pub fn arbitrate(text: &str, mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| !finding.range.is_empty());
    findings.sort_by(|a, b| {
        a.rank
            .cmp(&b.rank)
            .then(b.range.len().cmp(&a.range.len()))
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.range.start.cmp(&b.range.start))
            .then(a.label.cmp(&b.label))
    });
    // By their start: a sorted list would be moved for every finding of a long text.
    let mut chosen: BTreeMap<usize, Finding> = BTreeMap::new();
    for finding in findings {
        for part in beyond(finding.range.clone(), &chosen) {
            let whole = part == finding.range;
            let part = if whole { part } else { spans::trim_inside(text, part) };
            if part.is_empty() || (!whole && !worth_covering(&finding.label, &text[part.clone()])) {
                continue;
            }
            chosen.insert(part.start, Finding { range: part, ..finding.clone() });
        }
    }
    chosen.into_values().collect()
}

/// A rest of one letter or digit says nothing about anybody, unless it is the number of a house.
fn worth_covering(label: &str, rest: &str) -> bool {
    let signs = rest.chars().filter(|c| c.is_alphanumeric()).count();
    signs >= 2 || (signs == 1 && label == "BUILDING_NUMBER" && rest.chars().any(|c| c.is_ascii_digit()))
}

/// The parts of `range`, which is not empty, that none of `chosen` (disjoint, by their start) covers.
fn beyond(range: Range<usize>, chosen: &BTreeMap<usize, Finding>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let left = chosen.range(..=range.start).next_back();
    let mut start = left.map_or(range.start, |(_, left)| left.range.end.max(range.start));
    for (_, other) in chosen.range((Bound::Excluded(range.start), Bound::Excluded(range.end))) {
        if start < other.range.start {
            parts.push(start..other.range.start);
        }
        start = other.range.end;
    }
    if start < range.end {
        parts.push(start..range.end);
    }
    parts
}

/// Findings for the tests of what comes before the arbitration.
#[cfg(test)]
pub(crate) mod trial {
    use super::{Evidence, Finding, Rank};

    /// Findings of the model: values with their labels, in the order of the text.
    pub fn found(text: &str, values: &[(&str, &str)]) -> Vec<Finding> {
        let mut at = 0;
        values
            .iter()
            .map(|&(value, label)| {
                let start = at + text[at..].find(value).unwrap();
                at = start + value.len();
                Finding {
                    range: start..at,
                    label: label.into(),
                    subtype: None,
                    confidence: 0.9,
                    rank: Rank::Model,
                    evidence: Evidence::default(),
                }
            })
            .collect()
    }

    /// Values and labels of findings.
    pub fn read(text: &str, findings: Vec<Finding>) -> Vec<(&str, String)> {
        findings.into_iter().map(|finding| (&text[finding.range], finding.label)).collect()
    }

    /// What is expected, in the form of [`read`].
    pub fn pairs<'t>(expected: &[(&'t str, &str)]) -> Vec<(&'t str, String)> {
        expected.iter().map(|&(value, label)| (value, label.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(range: Range<usize>, label: &str, rank: Rank) -> Finding {
        Finding {
            range,
            label: label.into(),
            subtype: None,
            confidence: 0.9,
            rank,
            evidence: Evidence::default(),
        }
    }

    fn picked(text: &str, findings: Vec<Finding>) -> Vec<(&str, String)> {
        arbitrate(text, findings).into_iter().map(|f| (&text[f.range], f.label)).collect()
    }

    #[test]
    fn a_proved_rule_beats_the_model_and_longer_beats_shorter() {
        let text = "pay NL57TEST0731940586 now";
        let got = picked(
            text,
            vec![finding(4..22, "GOVERNMENT_ID", Rank::Model), finding(4..22, "BANK_ACCOUNT", Rank::Proved)],
        );
        assert_eq!(got, [("NL57TEST0731940586", "BANK_ACCOUNT".to_string())]);
        let got =
            picked(text, vec![finding(4..10, "CITY", Rank::Model), finding(4..22, "STATE", Rank::Model)]);
        assert_eq!(got, [("NL57TEST0731940586", "STATE".to_string())]);
    }

    #[test]
    fn what_sticks_out_of_a_winner_stays_covered() {
        let text = "mail ana.lima@x.org Lima";
        let got =
            picked(text, vec![finding(5..19, "EMAIL", Rank::Formed), finding(5..24, "SURNAME", Rank::Model)]);
        assert_eq!(got, [("ana.lima@x.org", "EMAIL".to_string()), ("Lima", "SURNAME".to_string())]);
    }

    #[test]
    fn a_rest_of_one_letter_is_let_go() {
        let text = "a ana@x.org 5";
        let mail = || finding(2..11, "EMAIL", Rank::Proved);
        assert_eq!(picked(text, vec![mail(), finding(0..11, "SURNAME", Rank::Model)]).len(), 1);
        assert_eq!(picked(text, vec![mail(), finding(2..13, "SURNAME", Rank::Model)]).len(), 1);
        let house = picked(text, vec![mail(), finding(2..13, "BUILDING_NUMBER", Rank::Model)]);
        assert_eq!(house[1], ("5", "BUILDING_NUMBER".to_string()), "a house has one digit");
    }

    #[test]
    fn the_parts_beyond_several_winners_stay() {
        let text = "abcd 12345 efgh 67890 ijkl";
        let got = picked(
            text,
            vec![
                finding(0..26, "SURNAME", Rank::Model),
                finding(5..10, "PHONE", Rank::Proved),
                finding(16..21, "PHONE", Rank::Proved),
            ],
        );
        let values: Vec<&str> = got.iter().map(|(value, _)| *value).collect();
        assert_eq!(values, ["abcd", "12345", "efgh", "67890", "ijkl"]);
        // One that begins with a winner, one that ends with it, one inside it.
        for range in [5..15, 0..10, 6..9] {
            let kept = range.len() > 5;
            let got = picked(
                text,
                vec![finding(5..10, "PHONE", Rank::Proved), finding(range, "CITY", Rank::Model)],
            );
            assert_eq!(got.len(), 1 + usize::from(kept));
        }
    }

    #[test]
    fn neighbours_stay_apart_and_order_is_the_text_s() {
        let text = "Alba Bruno";
        let got = picked(
            text,
            vec![finding(5..10, "GIVEN_NAME", Rank::Model), finding(0..4, "GIVEN_NAME", Rank::Model)],
        );
        assert_eq!(got.len(), 2);
        assert_eq!(got[0].0, "Alba");
    }
}
