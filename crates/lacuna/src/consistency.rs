//! A name or number that was found once is found everywhere in the text.

use std::collections::HashMap;

use crate::arbitrate::{Finding, Rank};
use crate::lists::{self, has};
use crate::{Consistency, near};

/// Finds further whole-word occurrences of the values already found, as findings of the model's rank.
///
/// Linear in the text: the words of the text are looked up one by one among the first words of the values.
pub fn repeat(text: &str, found: &[Finding], consistency: Consistency) -> Vec<Finding> {
    if consistency == Consistency::Off {
        return Vec::new();
    }
    let fold = |word: &str| match consistency {
        Consistency::IgnoreCase => word.to_lowercase(),
        _ => word.to_string(),
    };
    let mut by_first: HashMap<String, Vec<(&str, &Finding)>> = HashMap::new();
    for finding in found.iter().filter(|finding| repeats(finding, &text[finding.range.clone()])) {
        let value = &text[finding.range.clone()];
        let Some((_, first)) = words(value).next() else { continue };
        let values = by_first.entry(fold(first)).or_default();
        // Each spelling once, and a bound on how many values may share a first word: the scan stays linear.
        if values.len() < 64 && !values.iter().any(|(known, _)| *known == value) {
            values.push((value, finding));
        }
    }
    if by_first.is_empty() {
        return Vec::new();
    }
    for values in by_first.values_mut() {
        values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
    }
    let mut repeats = Vec::new();
    let mut covered = found.iter().map(|finding| finding.range.clone()).peekable();
    let mut done = 0;
    for (at, word) in words(text) {
        while covered.peek().is_some_and(|range| range.end <= at) {
            covered.next();
        }
        if at < done || covered.peek().is_some_and(|range| range.start <= at) {
            continue;
        }
        let Some(values) = by_first.get(fold(word).as_str()) else { continue };
        for (value, finding) in values {
            let skipped = leading(value);
            let Some(start) = at.checked_sub(skipped) else { continue };
            let Some(length) = matches(text.get(start..).unwrap_or(""), value, consistency) else { continue };
            if whole(text, start, start + length) && !is_common(finding, value, &text[start..start + length])
            {
                repeats.push(Finding {
                    range: start..start + length,
                    rank: Rank::Model.max(finding.rank),
                    ..(*finding).clone()
                });
                done = start + length;
                break;
            }
        }
    }
    repeats
}

/// A name that is a word as well, and here stands as the word: `May` was found, and this is `may`.
fn is_common(finding: &Finding, value: &str, again: &str) -> bool {
    let named = matches!(finding.label.as_str(), "GIVEN_NAME" | "SURNAME");
    named
        && near::is_lower(again)
        && (has(lists::ALSO_WORDS, again) || lists::NEVER_NAMES.has(again))
        && value != again
}

/// The model must be this sure of a name before it is looked for elsewhere.
const SURE: f32 = 0.5;

/// Whether a value is telling enough to be looked for elsewhere: names of three letters, numbers of four digits.
fn repeats(finding: &Finding, value: &str) -> bool {
    match finding.label.as_str() {
        "GIVEN_NAME" | "SURNAME" => {
            let letters = value.chars().filter(|c| c.is_alphabetic()).count();
            finding.confidence >= SURE && (letters >= 3 || (letters >= 2 && !value.is_ascii()))
        }
        "BUILDING_NUMBER" | "CITY" | "STATE" | "ZIP_CODE" | "STREET_NAME" | "SECONDARY_ADDRESS" => false,
        _ => value.chars().filter(char::is_ascii_digit).count() >= 4 || value.len() >= 6,
    }
}

/// Runs of letters and digits with their positions.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphanumeric)?;
        let end = text[start..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |n| start + n);
        at = end;
        Some((start, &text[start..end]))
    })
}

/// Bytes before the first letter or digit of a value.
fn leading(value: &str) -> usize {
    value.find(char::is_alphanumeric).unwrap_or(0)
}

/// The bytes of `text` that spell `value` at its start.
fn matches(text: &str, value: &str, consistency: Consistency) -> Option<usize> {
    if text.starts_with(value) {
        return Some(value.len());
    }
    if consistency != Consistency::IgnoreCase {
        return None;
    }
    let mut wanted = value.chars().flat_map(char::to_lowercase);
    let mut length = 0;
    for c in text.chars() {
        let mut lower = c.to_lowercase();
        let Some(first) = lower.next() else { break };
        match wanted.next() {
            None => return Some(length),
            Some(w) if w == first && lower.all(|l| wanted.next() == Some(l)) => length += c.len_utf8(),
            Some(_) => return None,
        }
    }
    wanted.next().is_none().then_some(length)
}

/// Whether a range begins and ends with a word's border.
fn whole(text: &str, start: usize, end: usize) -> bool {
    let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !(inner(text[..start].chars().next_back()) && inner(text[start..].chars().next()))
        && !(inner(text[..end].chars().next_back()) && inner(text[end..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arbitrate::Evidence;

    fn found(text: &str, value: &str, label: &str) -> Finding {
        let start = text.find(value).unwrap();
        Finding {
            range: start..start + value.len(),
            label: label.into(),
            subtype: None,
            confidence: 0.9,
            rank: Rank::Proved,
            evidence: Evidence::default(),
        }
    }

    fn again<'t>(text: &'t str, value: &str, label: &str, consistency: Consistency) -> Vec<&'t str> {
        repeat(text, &[found(text, value, label)], consistency).into_iter().map(|f| &text[f.range]).collect()
    }

    #[test]
    fn whole_words_only_and_case_by_option() {
        let text = "Alba met ALBA and Albania, then Alba's alba.";
        assert_eq!(again(text, "Alba", "GIVEN_NAME", Consistency::Exact), ["Alba"]);
        assert_eq!(again(text, "Alba", "GIVEN_NAME", Consistency::IgnoreCase), ["ALBA", "Alba", "alba"]);
        assert!(again(text, "Alba", "GIVEN_NAME", Consistency::Off).is_empty());
    }

    #[test]
    fn a_name_that_is_a_word_is_not_the_word() {
        let text = "May Hill, MAY HILL and yes, you may.";
        assert_eq!(again(text, "May", "GIVEN_NAME", Consistency::IgnoreCase), ["MAY"]);
        let text = "Megan and megan may";
        assert_eq!(again(text, "Megan", "GIVEN_NAME", Consistency::IgnoreCase), ["megan"]);
    }

    #[test]
    fn numbers_and_values_with_punctuation_are_found_again() {
        let text = "(212) 555-0199 or (212) 555-0199; 1212) 555-0199";
        assert_eq!(again(text, "(212) 555-0199", "PHONE", Consistency::Exact), ["(212) 555-0199"]);
        let text = "Straße STRASSE straße";
        assert_eq!(again(text, "Straße", "SURNAME", Consistency::IgnoreCase), ["straße"]);
    }

    #[test]
    fn short_and_common_values_are_not_looked_for() {
        assert!(again("Bo is so. Bo!", "Bo", "GIVEN_NAME", Consistency::Exact).is_empty());
        assert!(again("OR this OR that", "OR", "STATE", Consistency::Exact).is_empty());
    }
}
