//! Parts of addresses that have a form: streets with their number, and the flat, floor or box beside them.
//!
//! The model knows addresses by their sound and misses what has little of it: `Apt 4B`, `3º Esq.`, `2. OG`,
//! `C/ Parrales, 6`. What is found here by form is asked to have a number, and a flat to have a street.

mod lists;

use std::ops::Range;

use crate::arbitrate::{Evidence, Finding, Rank};
use crate::lists::has;
use crate::near::{self, is_capitalised};
use crate::people::may_name;
use lists::{
    ENDINGS, FLATS, FLOORS, JOINTS, KINDS_BEFORE, KINDS_BETWEEN, NO_STREETS, SIDES, SUFFIXES, WEAK_FLATS,
};

/// Confidence of a street with its number.
const STREET: f32 = 0.85;
/// Confidence of a flat beside a street.
const FLAT: f32 = 0.85;
/// How far from other parts of an address a flat may stand, in bytes.
const REACH: usize = 40;

/// Adds the streets of `text` that have a form, and completes those of the model.
pub fn streets(text: &str, findings: &mut Vec<Finding>) {
    let words: Vec<Range<usize>> = words(text).collect();
    let page = Page { text, words: &words };
    for at in 0..words.len() {
        page.street(at, findings);
    }
    for finding in
        findings.iter_mut().filter(|finding| finding.label == "STREET_NAME" && finding.rank == Rank::Model)
    {
        finding.range = page.whole_street(finding.range.clone());
    }
}

/// Adds the flats, floors and boxes that stand beside other parts of an address.
pub fn flats(text: &str, findings: &mut Vec<Finding>) {
    let words: Vec<Range<usize>> = words(text).collect();
    let page = Page { text, words: &words };
    let mut more = Vec::new();
    let mut anchors: Vec<Range<usize>> = findings
        .iter()
        .filter(|finding| is_anchor(text, finding))
        .map(|finding| finding.range.clone())
        .collect();
    anchors.sort_by_key(|range| range.start);
    for at in 0..words.len() {
        let Some(range) = page.flat(at) else { continue };
        let nearest = anchors.partition_point(|other| other.start < range.start);
        // A few on either side: the flat's own number may be what the model took for a house, and is no anchor.
        let weak = has(WEAK_FLATS, page.word(at));
        let close =
            anchors[nearest.saturating_sub(3)..(nearest + 3).min(anchors.len())].iter().any(|other| {
                let apart = range.start.saturating_sub(other.end).max(other.start.saturating_sub(range.end));
                let strong = !weak || text[other.clone()].chars().any(char::is_alphabetic);
                strong && !(other.start >= range.start && other.end <= range.end) && apart <= REACH
            });
        if close || page.is_announced(range.start) {
            more.push(found(range, "SECONDARY_ADDRESS", "flat", FLAT));
        }
    }
    for finding in findings.iter().filter(|finding| finding.label == "BUILDING_NUMBER") {
        let behind = page.floor_behind(finding.range.end);
        more.extend(behind.map(|range| found(range, "SECONDARY_ADDRESS", "floor_and_door", FLAT)));
    }
    findings.append(&mut more);
}

/// Whether a word names a kind of street, or ends like one.
pub fn is_street_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    let long = |kinds| has(kinds, word) && lower.chars().count() > 2;
    long(KINDS_BEFORE.words)
        || long(KINDS_BETWEEN)
        || has(ENDINGS, word)
        || SUFFIXES.iter().any(|suffix| lower.ends_with(suffix) && lower.len() > suffix.len())
        || ["platz", "ring", "hof", "markt", "park", "heide", "singel"].iter().any(|end| lower.ends_with(end))
}

/// Whether a word stands before the number of a flat, or behind that of a floor.
pub fn is_flat_word(word: &str) -> bool {
    FLATS.has(word) || has(FLOORS, word)
}

/// Adds the town behind a postal code that stands beside a street or at the start of a line: `6391 EE Sleen`.
/// `findings` are sorted and disjoint, before and after.
pub fn towns(text: &str, findings: &mut Vec<Finding>) {
    let mut more = Vec::new();
    for (index, code) in findings.iter().enumerate().filter(|(_, finding)| finding.label == "ZIP_CODE") {
        if near::digits(&text[code.range.clone()]) < 4 {
            continue;
        }
        let before = &findings[index.saturating_sub(4)..index];
        let placed = before.iter().any(|other| {
            matches!(other.label.as_str(), "STREET_NAME" | "BUILDING_NUMBER")
                && code.range.start.saturating_sub(other.range.end) <= REACH
        });
        let line_starts = near::line_before(text, code.range.start).trim().is_empty();
        if placed || line_starts {
            more.extend(
                town_behind(text, code.range.end)
                    .map(|range| found(range, "CITY", "town_behind_code", STREET)),
            );
        }
    }
    more.retain(|new: &Finding| {
        let first = findings.partition_point(|other| other.range.end <= new.range.start);
        findings.get(first).is_none_or(|other| other.range.start >= new.range.end)
    });
    findings.append(&mut more);
    findings.sort_by_key(|finding| finding.range.start);
}

/// Up to three capitalised words behind a postal code.
fn town_behind(text: &str, at: usize) -> Option<Range<usize>> {
    let first = near::word_after(text, at)?;
    if !matches!(&text[at..first.start], " " | "\u{a0}") || !may_name(&text[first.clone()]) {
        return None;
    }
    let mut end = first.end;
    for _ in 0..2 {
        let Some(next) = near::word_after(text, end) else { break };
        if !matches!(&text[end..next.start], " " | "\u{a0}" | "-") || !may_name(&text[next.clone()]) {
            break;
        }
        end = next.end;
    }
    Some(first.start..end)
}

fn is_anchor(text: &str, finding: &Finding) -> bool {
    match finding.label.as_str() {
        "STREET_NAME" | "CITY" => true,
        "BUILDING_NUMBER" | "ZIP_CODE" => near::digits(&text[finding.range.clone()]) > 0,
        _ => false,
    }
}

fn found(range: Range<usize>, label: &str, rule: &'static str, confidence: f32) -> Finding {
    let evidence = Evidence { rule: Some(rule), ..Evidence::default() };
    Finding { range, label: label.into(), subtype: None, confidence, rank: Rank::Formed, evidence }
}

fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let word = near::next_word(text, at)?;
        at = word.end;
        Some(word)
    })
}

struct Page<'t> {
    text: &'t str,
    words: &'t [Range<usize>],
}

impl<'t> Page<'t> {
    fn word(&self, at: usize) -> &'t str {
        self.words.get(at).map_or("", |range| &self.text[range.clone()])
    }

    /// What stands between word `at` and the next; a line break counts as the end of everything.
    fn gap(&self, at: usize) -> &'t str {
        match (self.words.get(at), self.words.get(at + 1)) {
            (Some(this), Some(next)) => &self.text[this.end..next.start],
            _ => "\n",
        }
    }

    /// A house number: up to five digits, a letter, a range: `12`, `12a`, `12-14`, `12/4`. Returns its end.
    fn number(&self, at: usize) -> Option<usize> {
        let is_number = |word: &str| {
            let digits = word.bytes().take_while(u8::is_ascii_digit).count();
            (1..=5).contains(&digits)
                && word.len() - digits <= 1
                && word.bytes().skip(digits).all(|b| b.is_ascii_alphabetic())
        };
        if !is_number(self.word(at)) {
            return None;
        }
        let end = self.words[at].end;
        if matches!(self.gap(at), "-" | "/" | "–")
            && is_number(self.word(at + 1))
            && !matches!(self.gap(at + 1), "-" | "/" | ".")
        {
            return Some(self.words[at + 1].end);
        }
        let goes_on = self.text[end..].starts_with(['%', '€', '$', '°', ':', '@', '_']);
        (!goes_on).then_some(end)
    }

    fn street(&self, at: usize, out: &mut Vec<Finding>) {
        let word = self.word(at);
        if KINDS_BEFORE.has(word) {
            self.kind_before(at, out);
        }
        if word.as_bytes()[0].is_ascii_digit() {
            self.number_before(at, out);
        } else if self.is_suffixed(at) {
            self.number_behind(at, out);
        }
    }

    /// `C/ Parrales, 6`, `Via Roma 12`, `ul. Jana Pawła II 84/43`.
    fn kind_before(&self, at: usize, out: &mut Vec<Finding>) {
        let kind = self.word(at);
        let gap = self.gap(at);
        let fits = match kind.chars().count() {
            1 => matches!(gap, "/" | "/ " | ". "),
            _ => matches!(gap, " " | ". " | "." | "/ " | "\u{a0}" | ".\u{a0}"),
        };
        if !fits
            || (kind.chars().count() > 2
                && !is_capitalised(kind)
                && matches!(kind, "via" | "largo" | "corso" | "plaza" | "al"))
        {
            return;
        }
        let mut last = at;
        for next in at + 1..(at + 9).min(self.words.len()) {
            let gap = if next == at + 1 { " " } else { self.gap(next - 1) };
            let word = self.word(next);
            if last > at
                && let Some(end) = self.number(next)
            {
                if matches!(
                    gap,
                    " " | ", " | "," | "\u{a0}" | ",\u{a0}" | ", nº " | " nº " | " n. " | ", n. " | ", n.º "
                ) {
                    out.push(found(
                        self.words[at].start..self.words[last].end,
                        "STREET_NAME",
                        "street_kind",
                        STREET,
                    ));
                    out.push(found(self.words[next].start..end, "BUILDING_NUMBER", "street_kind", STREET));
                }
                return;
            }
            let joined = matches!(gap, " " | "\u{a0}" | "-" | "'" | "’" | ". " | "º ");
            let named = is_capitalised(word) || word.starts_with(|c: char| c.is_ascii_digit() && gap == "º ");
            if matches!(&*word.to_lowercase(), "nº" | "n" | "n.º" | "no" | "nr" | "num" | "núm") && last > at
            {
                continue;
            }
            if !joined || !(named || has(JOINTS, word)) {
                return;
            }
            if named {
                last = next;
            }
        }
    }

    /// `12 bis rue de la Paix`, `488 N Joshua Avenue`.
    fn number_before(&self, at: usize, out: &mut Vec<Finding>) {
        let Some(mut end) = self.number(at) else { return };
        // A number with a sign or point before it is an amount or a part of something longer.
        if near::head(self.text, self.words[at].start)
            .ends_with(['.', '-', '/', ':', '$', '€', '£', '#', '_'])
        {
            return;
        }
        let mut first = self.words[at..].partition_point(|word| word.start < end) + at;
        if matches!(self.word(first), "bis" | "ter" | "Bis" | "quater") && self.gap(first - 1) == " " {
            end = self.words[first].end;
            first += 1;
        }
        let gap = self.gap(first - 1);
        if !matches!(gap, " " | ", " | "," | "\u{a0}" | ",\u{a0}") {
            return;
        }
        let french = has(KINDS_BETWEEN, self.word(first));
        let mut last = None;
        for next in first + usize::from(french)..(first + 8).min(self.words.len()) {
            let gap = if next == first { " " } else { self.gap(next - 1) };
            let word = self.word(next);
            let ordinal =
                word.len() <= 4 && word.ends_with(['t', 'd', 'h']) && word.as_bytes()[0].is_ascii_digit();
            if !matches!(gap, " " | "-" | "'" | "’" | ". " | "\u{a0}")
                || !(is_capitalised(word) || ordinal || (french && has(JOINTS, word)))
            {
                break;
            }
            if french && is_capitalised(word) {
                last = Some(next);
            }
            if !french && next > first && has(ENDINGS, word) && is_capitalised(word) {
                last = Some(next);
            }
            if gap == ". " && !(french || self.word(next - 1).len() <= 2) {
                break;
            }
        }
        let Some(last) = last else { return };
        out.push(found(self.words[at].start..end, "BUILDING_NUMBER", "street_number", STREET));
        let street = self.words[first].start..self.words[last].end;
        out.push(found(self.whole_street(street), "STREET_NAME", "street_number", STREET));
    }

    fn is_suffixed(&self, at: usize) -> bool {
        let word = self.word(at);
        let hyphened = at > 0 && self.gap(at - 1) == "-" && is_capitalised(self.word(at - 1));
        if !is_capitalised(word) && !hyphened {
            return false;
        }
        let lower = word.to_lowercase();
        let ends = SUFFIXES.iter().any(|suffix| {
            lower.ends_with(suffix) && (hyphened || lower.chars().count() >= suffix.chars().count() + 3)
        });
        (ends || (hyphened && matches!(&*lower, "platz" | "ring" | "hof"))) && !NO_STREETS.contains(&&*lower)
    }

    /// `Geiselstr. 8/4`, `Jiri-Jopich-Allee 5`, `Prinsengracht 12`.
    fn number_behind(&self, at: usize, out: &mut Vec<Finding>) {
        let gap = self.gap(at);
        if !matches!(gap, " " | ". " | "." | "\u{a0}" | ".\u{a0}" | " Nr. ") {
            return;
        }
        let Some(end) = self.number(at + 1) else { return };
        // `weg 2024-05-06`, `Weg 5.3`: no house.
        if self.text[end..].starts_with(['-', '/'])
            || near::tail(self.text, end)
                .strip_prefix('.')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            return;
        }
        let mut first = at;
        while first > 0 && self.gap(first - 1) == "-" && is_capitalised(self.word(first - 1)) {
            first -= 1;
        }
        let point = usize::from(gap.starts_with('.'));
        out.push(found(
            self.words[first].start..self.words[at].end + point,
            "STREET_NAME",
            "street_suffix",
            STREET,
        ));
        out.push(found(self.words[at + 1].start..end, "BUILDING_NUMBER", "street_suffix", STREET));
    }

    /// A street of the model with its kind before it and the point of its abbreviation.
    fn whole_street(&self, range: Range<usize>) -> Range<usize> {
        let Range { mut start, mut end } = range;
        if let Some(word) = near::word_before(self.text, start) {
            let gap = &self.text[word.end..start];
            let kind = &self.text[word.clone()];
            let short = kind.chars().count() <= 4 && matches!(gap, ". " | "." | "/ " | "/" | ".\u{a0}");
            let long =
                kind.chars().count() > 2 && matches!(gap, " " | "\u{a0}") && kind != "via" && kind != "al";
            if (short || long) && (KINDS_BEFORE.has(kind) || has(KINDS_BETWEEN, kind)) {
                start = word.start;
            }
        }
        let value = self.text[start..end].to_lowercase();
        let abbreviated = value.ends_with("str")
            || value.rsplit(near::is_space).next().is_some_and(|last| {
                matches!(last, "st" | "rd" | "ave" | "blvd" | "dr" | "ln" | "ct" | "sq" | "hwy" | "pkwy")
            });
        let rest = near::tail(self.text, end);
        if abbreviated && let Some(rest) = rest.strip_prefix('.') {
            let goes_on = rest.trim_start().chars().next().is_none_or(|c| !c.is_uppercase());
            end += usize::from(goes_on && !rest.is_empty());
        }
        start..end
    }

    /// A flat, floor or box that begins at word `at`.
    fn flat(&self, at: usize) -> Option<Range<usize>> {
        let word = self.word(at);
        let Range { start, end } = self.words[at].clone();
        if FLATS.has(word) || (word == "m" && self.gap(at).starts_with('.')) {
            return self.flat_word(at).map(|end| start..end);
        }
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > 2 {
            return None;
        }
        // `3º` is one word or two, by the sign; `3rd`, `1er` are one.
        let rest = &word[digits..];
        let marked = matches!(rest, "º" | "ª" | "o" | "a");
        let sign =
            self.text[end..].chars().next().filter(|c| rest.is_empty() && matches!(c, '°' | '.' | 'º' | 'ª'));
        let gap = self.gap(at);
        let next = self.word(at + 1);
        let spaced = gap.trim_start_matches(['°', '.']);
        let beside = matches!(spaced, "" | " " | "\u{a0}");
        let counted = matches!(
            rest,
            "" | "º" | "ª" | "st" | "nd" | "rd" | "th" | "er" | "e" | "ème" | "eme" | "o" | "a"
        );
        if beside && counted && has(FLOORS, next) {
            return Some(start..self.words[at + 1].end);
        }
        if !(marked && rest != "a" || sign.is_some_and(|c| c != '.')) || !beside {
            return self.glued_side(at, digits);
        }
        let door = next.chars().count() == 1 && is_capitalised(next);
        if !(door || has(SIDES, next)) {
            return None;
        }
        let mut end = self.words[at + 1].end;
        if !door && self.text[end..].starts_with('.') {
            end += 1;
        }
        Some(start..end)
    }

    /// `3ºC` in one word.
    fn glued_side(&self, at: usize, digits: usize) -> Option<Range<usize>> {
        let rest = self.word(at)[digits..].strip_prefix(['º', 'ª'])?;
        ((rest.chars().count() == 1 && is_capitalised(rest)) || has(SIDES, rest))
            .then(|| self.words[at].clone())
    }

    /// The end of `Apt. 4B`, `PO Box 12`, `Wohnung Nr. 3`, given the first word.
    fn flat_word(&self, at: usize) -> Option<usize> {
        let mut next = at + 1;
        let gap = self.gap(at);
        if !matches!(gap, " " | ". " | "." | "\u{a0}" | " #" | ": " | " n. " | " nº " | " n° ") {
            return None;
        }
        if matches!(&*self.word(next).to_lowercase(), "nr" | "no" | "number" | "n" | "nº")
            && matches!(self.gap(next), " " | ". " | "." | ": ")
        {
            next += 1;
        }
        let word = self.word(next);
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let letters = word.len() - digits;
        let fits = (1..=5).contains(&digits) && letters <= 1
            || (digits == 0 && word.len() == 1 && is_capitalised(word))
            || (digits == 0 && word.len() <= 4 && has(SIDES, word));
        // `B12`: a letter before the number.
        let turned = digits == 0
            && word.len() <= 5
            && is_capitalised(word)
            && word.bytes().skip(1).all(|b| b.is_ascii_digit())
            && word.len() > 1;
        let mut end = self.words[next].end;
        // `BP 120/80` is blood pressure, `Unit 4-9` two units, `Top 5 %` a share.
        let rest = near::tail(self.text, end);
        let goes_on = rest.starts_with(['/', ':', '_'])
            || rest.trim_start_matches(' ').starts_with('%')
            || self.text[end..]
                .strip_prefix(['-', '.', ','])
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if goes_on || !(fits || turned) {
            return None;
        }
        // `Postfach 10 22 33`.
        if matches!(
            &*self.word(at).to_lowercase(),
            "apartado" | "bp" | "box" | "postbus" | "postfach" | "skrytka"
        ) {
            while self.gap(next) == " "
                && matches!(self.word(next + 1).len(), 2..=3)
                && self.word(next + 1).bytes().all(|b| b.is_ascii_digit())
            {
                next += 1;
                end = self.words[next].end;
            }
        }
        Some(end)
    }

    /// `, 4 D`, `, 2, Der`, ` 3ºC` behind a house number: floor and door of a Spanish address.
    fn floor_behind(&self, at: usize) -> Option<Range<usize>> {
        let first = self.words.partition_point(|word| word.start < at);
        let range = self.words.get(first)?.clone();
        if !matches!(self.text.get(at..range.start)?, ", " | "," | " ") {
            return None;
        }
        let word = self.word(first);
        let next = self.word(first + 1);
        let is_door = |word: &str| {
            (word.chars().count() == 1 && is_capitalised(word)) || (is_capitalised(word) && has(SIDES, word))
        };
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let floor = ((1..=2).contains(&digits) && matches!(&word[digits..], "" | "º" | "ª" | "o"))
            || word.eq_ignore_ascii_case("bajo");
        let joined = matches!(self.gap(first), " " | ", " | "º " | "ª " | "° ");
        if !floor || !joined || !is_door(next) {
            return None;
        }
        let end = self.words[first + 1].end;
        let closes = self.text[end..]
            .chars()
            .next()
            .is_none_or(|c| matches!(c, '.' | ',' | ';' | '\n' | '\r' | ')' | '"'));
        closes.then_some(range.start..end)
    }

    /// A field for it right before: `Apt: `, `Unit no.: `, `Address line 2: `.
    fn is_announced(&self, start: usize) -> bool {
        let line = near::line_before(self.text, start);
        let Some(label) = line.trim_end_matches([' ', '"', '\u{a0}']).strip_suffix([':', '=', '|']) else {
            return false;
        };
        let label = label.trim_end_matches(['"', ' ']).to_lowercase();
        label.contains("addr")
            || label.rsplit(|c| !near::is_inner(c)).next().is_some_and(|last| FLATS.words.contains(&last))
    }
}

#[cfg(test)]
mod tests;
