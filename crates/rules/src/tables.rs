//! The compiled automata and the recognisers they lead to, read in place.

use crate::checks::{self, Value};
use crate::work;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// An anchored automaton: state 0 is dead, state 1 the start.
pub struct Automaton {
    width: usize,
    classes: [u8; 256],
    next: &'static [[u8; 2]],
    accepts: &'static [u16],
    starts: &'static [u16],
    sets: &'static [u16],
}

/// Numbers of two bytes, low byte first, as `rules-build` writes them.
const fn pairs(bytes: &'static [u8]) -> &'static [[u8; 2]] {
    bytes.as_chunks().0
}

impl Automaton {
    fn step(&self, state: usize, byte: u8) -> usize {
        usize::from(u16::from_le_bytes(
            self.next[state * self.width + usize::from(self.classes[usize::from(byte)])],
        ))
    }

    /// Calls `visit` with every end behind `at` where patterns end, and with their numbers.
    pub fn ends(&self, bytes: &[u8], at: usize, mut visit: impl FnMut(usize, &'static [u16])) {
        let mut state = 1usize;
        for (i, &b) in bytes.iter().enumerate().skip(at) {
            work::add(1);
            state = self.step(state, b);
            if state == 0 {
                return;
            }
            let set = usize::from(self.accepts[state]);
            if set != 0 {
                visit(i + 1, &self.sets[usize::from(self.starts[set])..usize::from(self.starts[set + 1])]);
            }
        }
    }

    /// Does anything match that begins with these bytes, or goes on behind them?
    #[cfg(test)]
    pub fn lives(&self, bytes: &[u8]) -> bool {
        bytes.iter().fold(1, |state, &byte| self.step(state, byte)) != 0
    }

    /// Bytes of the tables.
    #[cfg(test)]
    pub fn bytes(&self) -> Vec<u8> {
        let tables = [self.accepts, self.starts, self.sets];
        let rest = tables.iter().flat_map(|t| t.iter().flat_map(|v| v.to_le_bytes())).chain(self.classes);
        self.next.as_flattened().iter().copied().chain(rest).collect()
    }
}

/// May a context word begin at `at`? A cheap question before the automaton's: three bytes say no to most words.
pub fn may_be_word(bytes: &[u8], at: usize) -> bool {
    let fold = |i: usize| bytes.get(at + i).map_or(0, |b| usize::from(FOLD[usize::from(*b)]));
    let i = (fold(0) << 10) | (fold(1) << 5) | fold(2);
    WORD_STARTS[i / 64] >> (i % 64) & 1 != 0
}

/// Five bits of a byte, as `rules-build` folds them.
static FOLD: [u8; 256] = {
    let mut fold = [0; 256];
    let mut b = 0;
    while b < 256 {
        fold[b] = match b as u8 {
            c @ (b'a'..=b'z' | b'A'..=b'Z') => c & 31,
            b'0'..=b'9' => 27,
            b' ' | b'_' | b'-' | b'.' => 28,
            0x80.. => 29,
            _ => 0,
        };
        b += 1;
    }
    fold
};

/// A check and the name under which it is explained.
type Check = (fn(&Value) -> bool, &'static str);

/// One line of `data/shapes.txt`.
pub struct Recogniser {
    pub rule: &'static str,
    pub label: &'static str,
    pub subtype: Option<&'static str>,
    pub check: Option<Check>,
    pub context: u128,
    pub policy: Policy,
}

/// When a shape whose check passed is believed. A context word always suffices.
pub struct Policy {
    /// Anywhere.
    pub strong: bool,
    /// Anywhere, if it is written with separators.
    pub punctuated: bool,
    /// Never as a piece of a longer number.
    pub entire: bool,
    /// A hint only behind the name of one country's number, which has its own rule.
    pub kind: bool,
    /// Anywhere, if no letter is lower case.
    pub upper: bool,
    /// As the whole text.
    pub whole: bool,
    /// As the whole text, as a hint.
    pub hint: bool,
    /// Only right beside its context word.
    pub tight: bool,
    /// With a context word even if the check fails, as a hint.
    pub unchecked: bool,
    /// Only with four digits or more.
    pub needs_digits: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_a_megabyte() {
        let words = WORD_GROUPS
            .iter()
            .flat_map(|(groups, open)| groups.to_le_bytes().into_iter().chain([u8::from(*open)]));
        let starts = WORD_STARTS.iter().flat_map(|w| w.to_le_bytes());
        let all: Vec<u8> =
            SHAPES.bytes().into_iter().chain(WORDS.bytes()).chain(words).chain(starts).collect();
        let packed = miniz_oxide::deflate::compress_to_vec(&all, 6).len();
        println!("{} bytes of tables, {packed} compressed", all.len());
        assert!(all.len() > 100_000 && packed <= 1 << 20, "{packed} bytes");
    }
}
