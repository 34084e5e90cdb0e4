//! Context words: where they stand, and which one is nearest to a candidate.

use crate::tables::{WORD_GROUPS, WORDS};
use crate::text::{byte, byte_before, is_letter_at};

/// How far behind a word a value may stand, and how far before it.
const BEFORE: usize = 64;
const AFTER: usize = 32;

/// A word right beside its value: at most this many bytes of connecting words.
const TIGHT: usize = 32;

/// So many words are looked at on either side: they bound the time for a text of nothing but context words.
const LOOK: usize = 12;

/// A context word.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub start: usize,
    pub end: usize,
    pub groups: u128,
}

/// All context words of a text, by position.
pub struct Context<'t> {
    text: &'t str,
    hits: Vec<Hit>,
}

/// The word that speaks for a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spoken {
    /// Its bytes.
    pub range: (usize, usize),
    /// Bytes between it and the candidate; words behind the candidate count as farther.
    pub distance: usize,
    /// Do only connecting words stand between them?
    pub tight: bool,
}

impl<'t> Context<'t> {
    /// Finds the words.
    pub fn of(text: &'t str) -> Context<'t> {
        let bytes = text.as_bytes();
        let mut hits: Vec<Hit> = Vec::new();
        let mut before = b' ';
        for (at, &b) in bytes.iter().enumerate() {
            let letter = b.is_ascii_alphanumeric() || b >= 0xc0;
            let fresh = !(before.is_ascii_alphanumeric() || before >= 0x80);
            let hump = b.is_ascii_uppercase() && before.is_ascii_lowercase();
            before = b;
            if letter && (fresh || hump) {
                hits.extend(word_at(text, at));
            }
        }
        Context { text, hits }
    }

    /// All words, by position.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// The nearest word of these groups around a candidate.
    pub fn near(&self, start: usize, end: usize, groups: u128) -> Option<Spoken> {
        if groups == 0 || self.hits.is_empty() {
            return None;
        }
        let split = self.hits.partition_point(|h| h.start < start);
        let before = self.hits[..split]
            .iter()
            .rev()
            .take(LOOK)
            .filter(|h| h.end <= start && start - h.end <= BEFORE)
            .find(|h| h.groups & groups != 0)
            .map(|h| self.spoken(h, h.end, start, start - h.end));
        let first =
            self.hits[split..].iter().position(|h| h.start >= end).map_or(self.hits.len(), |i| split + i);
        let after = || {
            self.hits[first..]
                .iter()
                .take(LOOK)
                .take_while(|h| h.start - end <= AFTER)
                .find(|h| h.groups & groups != 0)
                .map(|h| self.spoken(h, end, h.start, h.start - end + 40))
                .filter(|s| s.tight && !self.text[end..s.range.0].contains('\n'))
        };
        before.or_else(after)
    }

    /// Does a word of these groups stand before the candidate, within `most` bytes?
    pub fn before(&self, start: usize, groups: u128, most: usize) -> Option<&Hit> {
        let split = self.hits.partition_point(|h| h.start < start);
        let near = self.hits[..split].iter().rev().take(LOOK);
        near.filter(|h| h.end <= start && start - h.end <= most).find(|h| h.groups & groups != 0)
    }

    /// Do only connecting words stand between a word and what begins at `at`?
    pub fn is_beside(&self, hit: &Hit, at: usize) -> bool {
        hit.end <= at && at - hit.end <= TIGHT && connects(&self.text[hit.end..at])
    }

    fn spoken(&self, hit: &Hit, from: usize, to: usize, distance: usize) -> Spoken {
        let tight = to - from <= TIGHT && connects(&self.text[from..to]);
        Spoken { range: (hit.start, hit.end), distance, tight }
    }
}

/// The longest context word that starts at `at`.
fn word_at(text: &str, at: usize) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    WORDS.ends(text.as_bytes(), at, |end, set| {
        let goes_on = is_letter_at(text, end) && !is_hump(text, end);
        let groups = set
            .iter()
            .map(|&n| WORD_GROUPS[usize::from(n)])
            .filter(|(_, open)| *open || !goes_on)
            .fold(0, |all, (groups, _)| all | groups);
        if groups != 0 {
            let same = best.filter(|b| b.end == end).map_or(0, |b| b.groups);
            best = Some(Hit { start: at, end, groups: groups | same });
        }
    });
    // An open word runs to the end of the written word, so that it stands beside its value.
    if let Some(hit) = &mut best {
        let rest = text.as_bytes()[hit.end..].iter().take(24);
        hit.end += rest.take_while(|b| b.is_ascii_alphabetic() || **b >= 0x80).count();
        hit.end = text.floor_char_boundary(hit.end);
    }
    best
}

/// `userPhone`: a capital begins a new word.
fn is_hump(text: &str, at: usize) -> bool {
    byte(text, at).is_ascii_uppercase() && byte_before(text, at).is_ascii_lowercase()
}

/// Words that may stand between a name and its value, in the languages of the context words.
const CONNECTING: [&str; 74] = [
    "is", "was", "are", "be", "no", "nr", "num", "number", "code", "id", "my", "the", "his", "her", "of",
    "to", "for", "with", "a", "as", "ending", "ist", "lautet", "nummer", "ihre", "meine", "von", "est",
    "numéro", "numero", "le", "la", "de", "du", "es", "el", "número", "del", "mi", "su", "è", "di", "della",
    "il", "suo", "mio", "é", "do", "da", "o", "meu", "seu", "van", "mijn", "uw", "jest", "to", "mój", "moja",
    "n", "nº", "n°", "º", "°", "o", "ref", "value", "und", "and", "issued", "us", "uk", "eu", "card",
];

fn connects(gap: &str) -> bool {
    let mut words = 0;
    for word in gap.split(|c: char| !c.is_alphanumeric() && !matches!(c, 'º' | '°')) {
        if word.is_empty() {
            continue;
        }
        words += 1;
        if words > 4 || !CONNECTING.contains(&word.to_lowercase().as_str()) {
            return false;
        }
    }
    // A full stop between words begins another sentence; a line break is that of a form.
    let inner = gap.trim_matches(|c: char| !c.is_alphanumeric());
    !inner.contains(". ") && !gap.contains([';', '?', '!']) && gap.matches('\n').count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::group;

    #[test]
    fn nearest_word_before() {
        let text = "account 4830021177, routing 071900032";
        let context = Context::of(text);
        let spoken = context.near(28, 37, group::ACCOUNT | group::ROUTING).unwrap();
        assert_eq!(&text[spoken.range.0..spoken.range.1], "routing");
        assert!(spoken.tight && spoken.distance == 1);
    }

    #[test]
    fn forms_of_words() {
        for text in [
            "Numéro de sécurité sociale",
            "NUMERO DE SECURITE SOCIALE",
            "user_ssn",
            "customerSsn",
            "Sozialversicherungsnummern",
        ] {
            assert!(!Context::of(text).hits().is_empty(), "{text}");
        }
        assert!(Context::of("assn passed").hits().is_empty());
    }

    #[test]
    fn word_behind() {
        let text = "A12803456 is my passport";
        assert!(Context::of(text).near(0, 9, group::PASSPORT).is_some_and(|s| s.tight));
    }

    #[test]
    fn another_sentence() {
        assert!(!connects(" expired. The"));
        assert!(connects(" no.: "));
        assert!(connects(" number is "));
        assert!(connects(". | "));
    }
}
