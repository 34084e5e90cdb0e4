//! Forms, JSON, logs and tables name their values: what a field is called tells what stands in it.
//!
//! A field that asks for a given name holds one, also where the model has never seen it; a field that holds an
//! action or a level holds nobody, whatever it looks like.

mod kinds;

use std::ops::Range;

use crate::arbitrate::{Evidence, Finding, Rank};
use crate::lists::{self, has};
use crate::near;
use crate::repair;
use kinds::{KINDS, Kind, NOTHING};

/// Confidence of a value that only its field speaks for.
const NAMED: f32 = 0.7;
/// Longest value of a field for names and places, in bytes.
const LONGEST: usize = 48;
/// Longest name of a field, in bytes.
const LONGEST_KEY: usize = 32;
/// Columns of a table looked at.
const COLUMNS: usize = 24;

struct Field {
    kind: Kind,
    range: Range<usize>,
}

/// Brings the findings in line with the fields they stand in, and adds what only the field tells.
/// `findings` are sorted and disjoint, before and after.
pub fn apply(text: &str, findings: &mut Vec<Finding>) {
    let mut fields = Vec::new();
    pairs(text, &mut fields);
    tables(text, &mut fields);
    fields.sort_by_key(|field| field.range.start);
    fields.dedup_by_key(|field| field.range.start);
    for index in 0..fields.len() {
        let range = fields[index].range.clone();
        let (first, last) = inside(findings, &range);
        let beside = &fields[index.saturating_sub(3)..(index + 4).min(fields.len())];
        let given_apart = beside.iter().any(|field| field.kind == Kind::Given);
        let of_somebody =
            beside.iter().any(|field| matches!(field.kind, Kind::Given | Kind::Surname | Kind::Full));
        let in_address = beside.iter().any(|field| matches!(field.kind, Kind::City | Kind::Zip));
        match fields[index].kind {
            Kind::Nobody => {
                let named = |finding: &Finding| finding.rank == Rank::Model && is_named(finding);
                let kept: Vec<Finding> =
                    findings[first..last].iter().filter(|f| !named(f)).cloned().collect();
                findings.splice(first..last, kept);
            }
            Kind::Given => whole(text, findings, range, "GIVEN_NAME", is_name),
            Kind::Surname => whole(text, findings, range, "SURNAME", is_name),
            Kind::City => whole(text, findings, range, "CITY", is_place),
            Kind::State if in_address || (of_somebody && repair::is_state(&text[range.clone()])) => {
                whole(text, findings, range, "STATE", is_place)
            }
            Kind::Zip => whole(text, findings, range, "ZIP_CODE", is_code),
            Kind::Street => whole(text, findings, range, "STREET_NAME", is_place),
            // `Name:` beside `Vorname:` is the family's.
            Kind::Full if given_apart && !text[range.clone()].contains(near::is_space) => {
                whole(text, findings, range, "SURNAME", is_name)
            }
            Kind::Full if first == last => full(text, findings, range),
            Kind::State | Kind::Full => {}
        }
    }
}

/// The findings that overlap a range.
fn inside(findings: &[Finding], range: &Range<usize>) -> (usize, usize) {
    let first = findings.partition_point(|finding| finding.range.end <= range.start);
    let last = findings.partition_point(|finding| finding.range.start < range.end);
    (first, last.max(first))
}

fn is_named(finding: &Finding) -> bool {
    matches!(finding.label.as_str(), "GIVEN_NAME" | "SURNAME" | "CITY" | "STATE" | "STREET_NAME")
}

/// Makes the whole value one finding of the label, unless something else was found in it.
fn whole(text: &str, findings: &mut Vec<Finding>, range: Range<usize>, label: &str, fits: fn(&str) -> bool) {
    let value = &text[range.clone()];
    let (first, last) = inside(findings, &range);
    let mine = |finding: &Finding| {
        finding.rank == Rank::Model
            && (is_named(finding) || (label == "ZIP_CODE" && near::digits(&text[finding.range.clone()]) > 0))
            && finding.range.start >= range.start
            && finding.range.end <= range.end
    };
    if !fits(value) || !findings[first..last].iter().all(mine) {
        return;
    }
    let confidence = findings[first..last].iter().map(|f| f.confidence).fold(NAMED, f32::max);
    let evidence = match findings[first..last].first() {
        Some(finding) => finding.evidence.clone(),
        None => Evidence { rule: Some("field"), ..Evidence::default() },
    };
    let finding =
        Finding { range, label: label.into(), subtype: None, confidence, rank: Rank::Model, evidence };
    findings.splice(first..last, [finding]);
}

/// A whole name in which nothing was found: the first word is the given name, the rest the family's.
fn full(text: &str, findings: &mut Vec<Finding>, range: Range<usize>) {
    let value = &text[range.clone()];
    let words: Vec<&str> = value.split(near::is_space).filter(|word| !word.is_empty()).collect();
    let written = |word: &&str| {
        near::is_capitalised(word) || !word.chars().any(|c| c.is_lowercase() || c.is_uppercase())
    };
    let company = |word: &&str| has(lists::COMPANIES, word.trim_end_matches('.'));
    if !(2..=4).contains(&words.len())
        || !is_name(value)
        || !words.iter().all(|word| written(word) || has(lists::PARTICLES, word))
        || words.iter().any(company)
    {
        return;
    }
    let given = range.start + words[0].len();
    let family = given + (text[given..range.end].len() - text[given..range.end].trim_start().len());
    let (at, _) = inside(findings, &range);
    let found = |range: Range<usize>, label: &str| Finding {
        range,
        label: label.into(),
        subtype: None,
        confidence: NAMED,
        rank: Rank::Model,
        evidence: Evidence { rule: Some("field"), ..Evidence::default() },
    };
    findings.splice(at..at, [found(range.start..given, "GIVEN_NAME"), found(family..range.end, "SURNAME")]);
}

fn is_name(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2
        && value.split(near::is_space).count() <= 4
        && value
            .chars()
            .all(|c| near::is_inner(c) || near::is_space(c) || matches!(c, '-' | '\'' | '’' | '.'))
        && near::digits(value) == 0
        && !has(NOTHING, value)
        && !(lists::NEVER_NAMES.has(value) && near::is_lower(value))
}

fn is_place(value: &str) -> bool {
    let code = value.len() == 2 && value.bytes().all(|b| b.is_ascii_uppercase());
    code || (is_name(value) && value.chars().filter(|c| c.is_alphabetic()).count() >= 3)
}

fn is_code(value: &str) -> bool {
    (3..=7).contains(&near::digits(value))
        && value.chars().count() <= 10
        && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-'))
}

/// What kind of field a name is: `firstName`, `First name`, `"first_name"`.
fn kind_of(key: &str) -> Option<Kind> {
    if key.is_empty() || key.len() > LONGEST_KEY {
        return None;
    }
    let bare: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let last = key.rsplit(['.', '_', '-', ' ', '/']).next().unwrap_or("").to_lowercase();
    let of = |word: &str| KINDS.iter().find(|(_, words)| has(words, word)).map(|(kind, _)| *kind);
    // `user.city`, `billing_zip`: the last part, but not `file name` or `event type`.
    of(&bare).or_else(|| of(&last).filter(|kind| matches!(kind, Kind::City | Kind::Zip)))
}

/// `key: value`, `"key": "value"`, `key=value`, `| key | value |`.
fn pairs(text: &str, out: &mut Vec<Field>) {
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '\n' | ',' | ';' | '{' | '|' | '&' | '?' | '\t' | '(' => start = at + 1,
            // Too long for a key: this also bounds the looks below.
            ' ' if at - start > LONGEST_KEY + 4 => start = at + 1,
            ' ' if text[start..at].trim().is_empty() || text[start..at].contains(['=', ':']) => {
                start = at + 1
            }
            ':' | '=' if at - start <= LONGEST_KEY + 4 => {
                let key = text[start..at].trim().trim_matches(['"', '\'', '*', '`', '-', ' ', '_']);
                // The last word of a prose line is a key only where it is the whole of it or a word of a log line.
                if !both(text, start, at, key, out)
                    && let Some(kind) = kind_of(key).filter(|_| !text[at + 1..].starts_with(['/', '=', ':']))
                {
                    out.extend(value(text, at + 1, c == '=').map(|range| Field { kind, range }));
                }
            }
            _ => {}
        }
        if c == '|' {
            row(text, at, out);
        }
    }
}

/// `Name, Vorname: Yıldırım, Emre`: two keys in one, and two values. `key` is the one behind the comma.
fn both(text: &str, start: usize, at: usize, key: &str, out: &mut Vec<Field>) -> bool {
    const FAMILY: &[&str] = &["apellidos", "naam", "name", "nom"];
    if kind_of(key) != Some(Kind::Given) || !near::head(text, start).trim_end().ends_with(',') {
        return false;
    }
    let line = near::line_before(text, start).trim_end_matches([',', ' ']);
    let before = line.rsplit([',', ';', '|', '.']).next().unwrap_or(line).trim();
    if !(kind_of(before) == Some(Kind::Surname) || has(FAMILY, before)) {
        return false;
    }
    let Some(family) = value(text, at + 1, false) else { return false };
    if !text[family.end..].starts_with(',') {
        return false;
    }
    let Some(given) = value(text, family.end + 1, false) else { return false };
    out.push(Field { kind: Kind::Surname, range: family });
    out.push(Field { kind: Kind::Given, range: given });
    true
}

/// The value that follows a key.
fn value(text: &str, at: usize, assigned: bool) -> Option<Range<usize>> {
    let end = text.floor_char_boundary((at + LONGEST + 8).min(text.len()));
    let rest = &text[at..end];
    let opened = rest.trim_start_matches(near::is_space);
    let mut start = at + rest.len() - opened.len();
    let quote = opened.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = if let Some(quote) = quote {
        start += 1;
        &opened[1..][..opened[1..].find(quote)?]
    } else if assigned {
        &opened[..opened
            .find(|c: char| c.is_whitespace() || matches!(c, '&' | ';' | ',' | '"' | ')'))
            .unwrap_or(opened.len())]
    } else {
        let stop =
            opened.find(['\n', '\r', ',', ';', '|', '\t', '(', '{', '[', '<', '/']).unwrap_or(opened.len());
        let value = opened[..stop].trim_end_matches(|c| near::is_space(c) || c == '.');
        // Two keys in one line: `Name: Ana  City: Faro`.
        if value.contains([':', '=']) || value.contains(". ") {
            return None;
        }
        value
    };
    let value = value.trim_end();
    (!value.is_empty() && value.len() <= LONGEST).then_some(start..start + value.len())
}

/// `| Name | Ana Lima |`, given the first bar.
fn row(text: &str, at: usize, out: &mut Vec<Field>) {
    let end = text.floor_char_boundary((at + LONGEST_KEY + LONGEST + 8).min(text.len()));
    let rest = &text[at + 1..end];
    let mut cells = rest.split('|');
    let (Some(key), Some(value)) = (cells.next(), cells.next()) else { return };
    if key.contains('\n') || value.contains('\n') || cells.next().is_none() {
        return;
    }
    let Some(kind) = kind_of(key.trim().trim_matches('*')) else { return };
    let start = at + 1 + key.len() + 1 + (value.len() - value.trim_start().len());
    let range = start..start + value.trim().len();
    if !range.is_empty() && kind_of(value.trim()).is_none() {
        out.push(Field { kind, range });
    }
}

/// Tables with a header: values between commas, semicolons, tabs or bars under the names of their columns.
fn tables(text: &str, out: &mut Vec<Field>) {
    let mut header: Option<(char, Vec<Option<Kind>>)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if let Some((sign, kinds)) = &header
            && line.matches(*sign).take(COLUMNS).count() + 1 == kinds.len()
        {
            cells(text, start, line, *sign, kinds, out);
            continue;
        }
        header = [',', ';', '\t', '|'].into_iter().find_map(|sign| {
            if line.len() > 400 || line.contains(['.', '=']) {
                return None;
            }
            let kinds: Vec<Option<Kind>> =
                line.split(sign).take(COLUMNS).map(|cell| kind_of(cell.trim().trim_matches('"'))).collect();
            let known = kinds.iter().flatten().count();
            // Two known columns: a sentence with one such word is no table.
            (kinds.len() > 2 && known >= 2 && known * 3 >= kinds.len()).then_some((sign, kinds))
        });
    }
}

fn cells(text: &str, start: usize, line: &str, sign: char, kinds: &[Option<Kind>], out: &mut Vec<Field>) {
    let mut at = start;
    for (cell, kind) in line.split(sign).zip(kinds) {
        let value = cell.trim().trim_matches('"');
        let from = at + cell.find(value).unwrap_or(0);
        at += cell.len() + sign.len_utf8();
        if let Some(kind) = kind
            && !value.is_empty()
            && value.len() <= LONGEST
        {
            debug_assert_eq!(&text[from..from + value.len()], value);
            out.push(Field { kind: *kind, range: from..from + value.len() });
        }
    }
}

#[cfg(test)]
mod tests;
