//! Parts of addresses that have a form: streets with their number, and the flat, floor or box beside them.
//!
//! The model knows addresses by their sound and misses what has little of it: `Apt 4B`, `3º Esq.`, `2. OG`,
//! `C/ Parrales, 6`. What is found here by form is asked to have a number, and a flat to have a street.

use std::ops::Range;

use crate::arbitrate::{Evidence, Finding, Rank};
use crate::lists::has;
use crate::near::{self, is_capitalised};

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
        let close =
            anchors[nearest.saturating_sub(3)..(nearest + 3).min(anchors.len())].iter().any(|other| {
                let apart = range.start.saturating_sub(other.end).max(other.start.saturating_sub(range.end));
                !(other.start >= range.start && other.end <= range.end) && apart <= REACH
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
        let start = at + text[at..].find(near::is_inner)?;
        let end = text[start..].find(|c| !near::is_inner(c)).map_or(text.len(), |n| start + n);
        at = end;
        Some(start..end)
    })
}

/// Words before the name of a street whose number follows: Spanish, Catalan, Portuguese, Italian, Polish.
const KINDS_BEFORE: &[&str] = &[
    "al",
    "alameda",
    "aleja",
    "av",
    "avda",
    "avenida",
    "avinguda",
    "c",
    "calle",
    "calzada",
    "camino",
    "carrer",
    "carrera",
    "carretera",
    "corso",
    "ctra",
    "estrada",
    "glorieta",
    "largo",
    "lungomare",
    "os",
    "osiedle",
    "pasaje",
    "paseo",
    "passeig",
    "piazza",
    "piazzale",
    "plac",
    "plaza",
    "plaça",
    "praça",
    "pza",
    "rambla",
    "ronda",
    "rotonda",
    "rua",
    "strada",
    "travessa",
    "travesía",
    "ul",
    "ulica",
    "urbanización",
    "via",
    "viale",
    "vicolo",
];

/// Words before the name of a street whose number goes before it all: French.
const KINDS_BETWEEN: &[&str] = &[
    "allée",
    "allées",
    "av",
    "avenue",
    "bd",
    "boulevard",
    "bvd",
    "chemin",
    "cours",
    "faubourg",
    "impasse",
    "passage",
    "place",
    "quai",
    "route",
    "rue",
    "ruelle",
    "square",
    "villa",
];

/// Small words inside the name of a street.
const JOINTS: &[&str] = &[
    "al", "ao", "aos", "d", "da", "das", "de", "dei", "del", "della", "delle", "den", "der", "des", "di",
    "do", "dos", "du", "e", "el", "i", "l", "la", "las", "le", "les", "los", "van", "y",
];

/// Endings of English streets.
const ENDINGS: &[&str] = &[
    "alley",
    "ave",
    "avenue",
    "blvd",
    "boulevard",
    "circle",
    "close",
    "court",
    "crescent",
    "ct",
    "dr",
    "drive",
    "expressway",
    "gardens",
    "grove",
    "highway",
    "hill",
    "hwy",
    "lane",
    "ln",
    "mews",
    "parkway",
    "pkwy",
    "place",
    "plaza",
    "rd",
    "road",
    "row",
    "sq",
    "square",
    "st",
    "street",
    "terrace",
    "trail",
    "turnpike",
    "way",
];

/// Endings of German and Dutch streets, with the shortest whole word.
const SUFFIXES: &[&str] = &[
    "straße", "strasse", "str", "gasse", "allee", "weg", "ufer", "damm", "chaussee", "straat", "laan",
    "gracht", "kade", "dreef", "steeg", "plein",
];

/// Words with such an ending that are no streets.
const NO_STREETS: &[&str] = &[
    "abweg",
    "ausweg",
    "fußweg",
    "heimweg",
    "hinweg",
    "keineswegs",
    "rückweg",
    "radweg",
    "rettungsgasse",
    "umweg",
    "vertriebsweg",
];

/// Words before the number of a flat, floor, staircase or box.
const FLATS: &[&str] = &[
    "andar",
    "apartado",
    "apartamento",
    "apartment",
    "appartement",
    "appt",
    "apt",
    "apto",
    "bajo",
    "bat",
    "bloc",
    "bloco",
    "bloque",
    "box",
    "bp",
    "bus",
    "bât",
    "bâtiment",
    "esc",
    "escalera",
    "escalier",
    "etage",
    "fl",
    "flat",
    "floor",
    "int",
    "interno",
    "lok",
    "lokal",
    "lote",
    "mieszkanie",
    "piano",
    "piso",
    "planta",
    "porta",
    "portal",
    "postbus",
    "postfach",
    "pta",
    "puerta",
    "rm",
    "room",
    "sala",
    "scala",
    "skrytka",
    "ste",
    "stiege",
    "suite",
    "top",
    "tür",
    "unit",
    "whg",
    "wohnung",
    "étage",
];

/// Words behind the number of a floor.
const FLOORS: &[&str] = &[
    "andar",
    "dg",
    "etage",
    "floor",
    "obergeschoss",
    "og",
    "piano",
    "piso",
    "piętro",
    "planta",
    "stock",
    "stockwerk",
    "ug",
    "verdieping",
    "étage",
];

/// Sides of a staircase behind the number of a floor.
const SIDES: &[&str] = &[
    "ctro",
    "d",
    "dch",
    "dcha",
    "der",
    "derecha",
    "dir",
    "drcha",
    "dta",
    "dto",
    "esq",
    "esquerdo",
    "frente",
    "fte",
    "izda",
    "izq",
    "izqda",
    "izquierda",
    "tras",
];

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
        if has(KINDS_BEFORE, word) {
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
            if (short || long) && (has(KINDS_BEFORE, kind) || has(KINDS_BETWEEN, kind)) {
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
        if has(FLATS, word) || (word == "m" && self.gap(at).starts_with('.')) {
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
            || label.rsplit(|c| !near::is_inner(c)).next().is_some_and(|last| FLATS.contains(&last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed<'t>(text: &'t str, values: &[(&str, &str)]) -> Vec<(&'t str, String)> {
        let mut findings: Vec<Finding> = values
            .iter()
            .map(|(value, label)| {
                let start = text.find(value).unwrap();
                Finding {
                    range: start..start + value.len(),
                    label: (*label).into(),
                    subtype: None,
                    confidence: 0.9,
                    rank: Rank::Model,
                    evidence: Evidence::default(),
                }
            })
            .collect();
        streets(text, &mut findings);
        flats(text, &mut findings);
        crate::arbitrate::arbitrate(text, findings).into_iter().map(|f| (&text[f.range], f.label)).collect()
    }

    fn has_flat(text: &str, values: &[(&str, &str)], flat: &str) {
        let got = completed(text, values);
        assert!(got.contains(&(flat, "SECONDARY_ADDRESS".to_string())), "{flat} in {text}: {got:?}");
    }

    #[test]
    fn flats_beside_a_street() {
        has_flat("488 Joshua Mission\nApt: Apt. 618\nCity", &[("Joshua Mission", "STREET_NAME")], "Apt. 618");
        has_flat(
            "Flat 5B, 778 Lee Drive",
            &[("5B", "BUILDING_NUMBER"), ("Lee Drive", "STREET_NAME")],
            "Flat 5B",
        );
        has_flat(
            "flat 9b, 9 duffy lodge",
            &[("9b, 9", "BUILDING_NUMBER"), ("duffy lodge", "STREET_NAME")],
            "flat 9b",
        );
        has_flat("Llorens 72, Piso 9, 11348", &[("72", "BUILDING_NUMBER")], "Piso 9");
        has_flat("Largo Moura 6, 8º Esq., 6807", &[("Largo Moura", "STREET_NAME")], "8º Esq.");
        has_flat(
            "Mármol 50, 1º R, 12956 Huelva",
            &[("50, 1º R", "BUILDING_NUMBER"), ("Huelva", "CITY")],
            "1º R",
        );
        has_flat("Seestr. 5, 2. OG, 10115 Berlin", &[("Berlin", "CITY")], "2. OG");
        has_flat("9 rue Moreno, 3e étage, Paris", &[("rue Moreno", "STREET_NAME")], "3e étage");
        has_flat("C/ Ontiveros, 19, 4 D.", &[], "4 D");
        has_flat("Calle Abenarabí, 3, 4, Der.", &[], "4, Der");
        has_flat("PO Box 12, Oslo", &[("Oslo", "CITY")], "Box 12");
    }

    #[test]
    fn boxes_and_what_only_looks_like_one() {
        has_flat("Postfach 10 22 33, 50674 Köln", &[("50674", "ZIP_CODE")], "Postfach 10 22 33");
        has_flat("ul. Piotrkowska 104, m. 7, Łódź", &[("Łódź", "CITY")], "m. 7");
        let got = completed("Lyon: BP 120/80, Top 5 % and Unit 4-9", &[("Lyon", "CITY")]);
        assert_eq!(got.len(), 1, "{got:?}");
    }

    #[test]
    fn flats_far_from_any_address_are_none() {
        assert!(completed("UNITS 4-9 and Unit 5B of the course, Room 12.", &[]).is_empty());
        assert!(completed("On the 2nd floor and the 3º B.", &[]).is_empty());
    }

    #[test]
    fn the_house_beside_a_flat_stays_covered() {
        let got = completed(
            "flat 9b, 9 duffy lodge",
            &[("9b, 9", "BUILDING_NUMBER"), ("duffy lodge", "STREET_NAME")],
        );
        assert!(got.contains(&("9", "BUILDING_NUMBER".to_string())), "{got:?}");
    }

    #[test]
    fn streets_by_their_form() {
        let street = |text: &'static str| -> Vec<&str> {
            completed(text, &[]).into_iter().map(|(value, _)| value).collect()
        };
        assert_eq!(street("Domicilio: C/ Parrales, 6."), ["C/ Parrales", "6"]);
        assert_eq!(street("an Geiselstr. 8/4, 27428"), ["Geiselstr.", "8/4"]);
        assert_eq!(street("in der Jiri-Jopich-Allee 5"), ["Jiri-Jopich-Allee", "5"]);
        assert_eq!(street("adres: ul. Jana Pawła II 84/43,"), ["ul. Jana Pawła II", "84/43"]);
        assert_eq!(street("au 12 bis rue de la Paix à"), ["12 bis", "rue de la Paix"]);
        assert_eq!(street("at 21615 S Michigan Ave, Boston"), ["21615", "S Michigan Ave"]);
        assert_eq!(street("Address: 6 Mill Hill Lane, Kingston"), ["6", "Mill Hill Lane"]);
        assert_eq!(street("abito in Via Roma 12 a Torino"), ["Via Roma", "12"]);
        assert!(street("Sent via Slack 3 times, on the Umweg 5, 12 Angry Men").is_empty());
        assert!(street("weg 5.3 and Heimweg 2, 3.15 rue").is_empty());
    }

    #[test]
    fn streets_of_the_model_get_their_kind_and_point() {
        let got = completed("adres: ul. Asnyka, 71-336", &[("Asnyka", "STREET_NAME")]);
        assert_eq!(got[0].0, "ul. Asnyka");
        let got = completed("senden an Krokerstr. 940", &[("Krokerstr", "STREET_NAME")]);
        assert_eq!(got[0].0, "Krokerstr.");
        let got = completed("I live in Elm St. Come by", &[("Elm St", "STREET_NAME")]);
        assert_eq!(got[0].0, "Elm St");
    }
}
