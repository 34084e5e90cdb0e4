//! The compiled automata and the recognisers they lead to, read in place.

use crate::checks::{self, Value};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// An anchored automaton: state 0 is dead, state 1 the start.
pub struct Automaton {
    width: usize,
    classes: [u8; 256],
    next: &'static [u16],
    accepts: &'static [u16],
    starts: &'static [u16],
    sets: &'static [u16],
}

impl Automaton {
    /// Calls `visit` with every end behind `at` where patterns end, and with their numbers.
    pub fn ends(&self, bytes: &[u8], at: usize, mut visit: impl FnMut(usize, &'static [u16])) {
        let mut state = 1usize;
        for (i, &b) in bytes.iter().enumerate().skip(at) {
            state = usize::from(self.next[state * self.width + usize::from(self.classes[usize::from(b)])]);
            if state == 0 {
                return;
            }
            let set = usize::from(self.accepts[state]);
            if set != 0 {
                visit(i + 1, &self.sets[usize::from(self.starts[set])..usize::from(self.starts[set + 1])]);
            }
        }
    }

    /// Bytes of the tables.
    #[cfg(test)]
    pub fn bytes(&self) -> Vec<u8> {
        let tables = [self.next, self.accepts, self.starts, self.sets];
        tables.iter().flat_map(|t| t.iter().flat_map(|v| v.to_le_bytes())).chain(self.classes).collect()
    }
}

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
