//! Context words: where they stand, and which one is nearest to a candidate.

use crate::tables::{WORD_GROUPS, WORDS, may_be_word};
use crate::text::{byte, byte_before, is_letter_at};
use crate::work;
use core::cell::Cell;
use core::ops::Range;

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

/// All context words of a stretch of text, by position.
pub struct Context<'t> {
    text: &'t str,
    hits: Vec<Hit>,
    /// Groups of all words: what no word speaks for need not be looked up.
    groups: u128,
    /// Where the last question was: questions come in the order of the text.
    cursor: Cell<usize>,
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
    /// Its groups.
    pub groups: u128,
}

/// The words on either side of a value.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    start: usize,
    end: usize,
    before: (usize, usize),
    after: (usize, usize),
    /// Groups of all of them.
    pub groups: u128,
}

impl<'t> Context<'t> {
    /// Finds the words of the whole text.
    #[cfg(test)]
    pub fn of(text: &'t str) -> Context<'t> {
        Context::within(text, 0..text.len())
    }

    /// Finds the words that begin in `range`.
    pub fn within(text: &'t str, range: Range<usize>) -> Context<'t> {
        let bytes = text.as_bytes();
        work::add(range.len());
        let mut hits: Vec<Hit> = Vec::new();
        let mut before = byte_before(text, range.start);
        let mut groups = 0;
        for at in range {
            let b = bytes[at];
            let last = core::mem::replace(&mut before, b);
            let fresh = !(last.is_ascii_alphanumeric() || last >= 0x80)
                || (b.is_ascii_uppercase() && last.is_ascii_lowercase());
            let letter = b.is_ascii_alphanumeric() || b >= 0xc0;
            if fresh
                && letter
                && may_be_word(bytes, at)
                && let Some(hit) = word_at(text, at)
                // `National Insurance number` is not about an insurance number.
                && hits.last().is_none_or(|last| last.end < hit.end)
            {
                groups |= hit.groups;
                hits.push(hit);
            }
        }
        Context { text, hits, groups, cursor: Cell::new(0) }
    }

    /// All words, by position.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// Does any word of the text belong to these groups?
    pub fn speaks_of(&self, groups: u128) -> bool {
        self.groups & groups != 0
    }

    /// Index of the first word that starts at `at` or behind.
    pub fn first_from(&self, at: usize) -> usize {
        // Most questions are one or two words on from the last one.
        let mut i = self.cursor.get();
        for _ in 0..8 {
            if i > 0 && self.hits[i - 1].start >= at {
                i -= 1;
            } else if self.hits.get(i).is_some_and(|h| h.start < at) {
                i += 1;
            } else {
                self.cursor.set(i);
                return i;
            }
        }
        i = self.hits.partition_point(|h| h.start < at);
        self.cursor.set(i);
        i
    }

    /// The words near a value: at most [`LOOK`] on either side.
    pub fn around(&self, start: usize, end: usize) -> Around {
        let split = self.first_from(start);
        let mut around = Around { start, end, before: (split, split), after: (split, split), groups: 0 };
        if self.hits.is_empty() {
            return around;
        }
        around.before.0 = split.saturating_sub(LOOK);
        for hit in self.hits[around.before.0..split].iter().filter(|h| is_before(h, start)) {
            around.groups |= hit.groups;
        }
        let mut first = split;
        work::add(LOOK);
        while self.hits.get(first).is_some_and(|h| h.start < end) {
            first += 1;
        }
        around.after = (first, first);
        for hit in self.hits[first..].iter().take(LOOK).take_while(|h| h.start - end <= AFTER) {
            around.after.1 += 1;
            around.groups |= hit.groups;
        }
        around
    }

    /// The nearest word of these groups around a candidate.
    pub fn near(&self, start: usize, end: usize, groups: u128) -> Option<Spoken> {
        if self.groups & groups == 0 {
            return None;
        }
        self.nearest(&self.around(start, end), groups)
    }

    /// The nearest word of these groups among those around a value.
    pub fn nearest(&self, around: &Around, groups: u128) -> Option<Spoken> {
        let &Around { start, end, before, after, groups: all } = around;
        if all & groups == 0 {
            return None;
        }
        let words = self.hits[before.0..before.1].iter().rev();
        let hit = words.filter(|h| is_before(h, start)).find(|h| h.groups & groups != 0);
        if let Some(h) = hit {
            return Some(self.spoken(h, h.end..start, start - h.end));
        }
        let h = self.hits[after.0..after.1].iter().find(|h| h.groups & groups != 0)?;
        let spoken = self.spoken(h, end..h.start, h.start - end + 40);
        (spoken.tight && !self.text[end..h.start].contains('\n')).then_some(spoken)
    }

    /// Does a word of these groups stand before the candidate, within `most` bytes?
    pub fn before(&self, start: usize, groups: u128, most: usize) -> Option<&Hit> {
        if self.groups & groups == 0 {
            return None;
        }
        let split = self.first_from(start);
        let near = self.hits[..split].iter().rev().take(LOOK);
        near.filter(|h| h.end <= start && start - h.end <= most).find(|h| h.groups & groups != 0)
    }

    /// Do only connecting words stand between a word and what begins at `at`?
    pub fn is_beside(&self, hit: &Hit, at: usize) -> bool {
        hit.end <= at && at - hit.end <= TIGHT && connects(&self.text[hit.end..at])
    }

    fn spoken(&self, hit: &Hit, gap: Range<usize>, distance: usize) -> Spoken {
        let tight = gap.len() <= TIGHT && connects(&self.text[gap]);
        Spoken { range: (hit.start, hit.end), distance, tight, groups: hit.groups }
    }
}

fn is_before(hit: &Hit, start: usize) -> bool {
    hit.end <= start && start - hit.end <= BEFORE
}

/// The longest context word that starts at `at`.
fn word_at(text: &str, at: usize) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    // What an open word speaks for, a longer word that begins with it speaks for, too: Ausweis, Ausweisnummer.
    let (mut carried, mut carried_to) = (0, at);
    WORDS.ends(text.as_bytes(), at, |end, set| {
        let goes_on = is_letter_at(text, end) && !is_hump(text, end);
        let (mut groups, mut open_groups) = (0, 0);
        for &n in set {
            let (these, open) = WORD_GROUPS[usize::from(n)];
            groups |= if open || !goes_on { these } else { 0 };
            open_groups |= if open { these } else { 0 };
        }
        if !text.as_bytes()[carried_to..end].iter().all(|b| b.is_ascii_alphabetic() || *b >= 0x80) {
            carried = 0;
        }
        if groups != 0 {
            best = Some(Hit { start: at, end, groups: groups | carried });
        }
        if open_groups != 0 {
            (carried, carried_to) = (carried | open_groups, end);
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
fn is_connecting(word: &[u8]) -> bool {
    matches!(
        word,
        b"is"
            | b"was"
            | b"are"
            | b"be"
            | b"no"
            | b"nr"
            | b"num"
            | b"number"
            | b"code"
            | b"id"
            | b"my"
            | b"the"
            | b"his"
            | b"her"
            | b"of"
            | b"to"
            | b"for"
            | b"with"
            | b"a"
            | b"as"
            | b"ending"
            | b"ist"
            | b"lautet"
            | b"nummer"
            | b"ihre"
            | b"meine"
            | b"von"
            | b"est"
            | b"numero"
            | b"le"
            | b"la"
            | b"de"
            | b"du"
            | b"es"
            | b"el"
            | b"del"
            | b"mi"
            | b"su"
            | b"di"
            | b"della"
            | b"il"
            | b"suo"
            | b"mio"
            | b"do"
            | b"da"
            | b"o"
            | b"meu"
            | b"seu"
            | b"van"
            | b"mijn"
            | b"uw"
            | b"jest"
            | b"moja"
            | b"n"
            | b"ref"
            | b"value"
            | b"und"
            | b"and"
            | b"issued"
            | b"us"
            | b"uk"
            | b"eu"
            | b"card"
    ) || ["numéro", "número", "è", "é", "mój", "nº", "n°", "º", "°"].iter().any(|w| w.as_bytes() == word)
}

/// Longest connecting word, in bytes.
const LONGEST: usize = 8;

fn connects(gap: &str) -> bool {
    work::add(gap.len());
    let mut words = 0;
    for word in gap.split(|c: char| !c.is_alphanumeric() && !matches!(c, 'º' | '°')) {
        if word.is_empty() {
            continue;
        }
        words += 1;
        if words > 4 || word.len() > LONGEST {
            return false;
        }
        let mut lower = [0u8; 2 * LONGEST];
        let mut n = 0;
        for c in word.chars().flat_map(char::to_lowercase) {
            // Lower case is at most half as long again in UTF-8.
            if n + c.len_utf8() > lower.len() {
                return false;
            }
            n += c.encode_utf8(&mut lower[n..]).len();
        }
        if !is_connecting(&lower[..n]) {
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

    #[test]
    fn the_first_question_answers_like_the_automaton() {
        // Every byte triple that may_be_word refuses leads the automaton nowhere.
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                for c in [b' ', b'a', b'n', b'z', b'0', b'.', 0xc3, 0xce, 0xb0] {
                    let bytes = [a, b, c, b'x'];
                    if !may_be_word(&bytes, 0) {
                        let mut ends = 0;
                        WORDS.ends(&bytes[..2], 0, |_, _| ends += 1);
                        assert_eq!(ends, 0, "{bytes:?}");
                        assert!(!WORDS.lives(&bytes[..3]), "{bytes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn questions_in_any_order() {
        let text = "iban x ".repeat(40);
        let context = Context::of(&text);
        for at in (0..text.len()).chain((0..text.len()).rev()).chain([3, 200, 7, 279]) {
            assert_eq!(context.first_from(at), context.hits().partition_point(|h| h.start < at));
        }
    }
}
