//! Byte pair encoding: the pair with the lowest rank first, the leftmost of equals.

use crate::characters::width;
use crate::layout::{NONE, field, flag, piece, section};
use crate::merge::{Merger, Merges};
use crate::normalize::View;
use crate::table::{Table, Words};
use crate::trie::Trie;
use alloc::vec::Vec;

/// The model's part of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bpe<'a> {
    trie: Trie<'a>,
    flags: u32,
    unknown: u32,
    piece_flags: &'a [u8],
    units: Words<'a>,
    merges: Merges<'a>,
}

/// Whether every byte of a word had a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    All,
    Some,
}

impl<'a> Bpe<'a> {
    pub(crate) fn new(table: &Table<'a>, trie: Trie<'a>) -> Self {
        Self {
            trie,
            flags: table.word(field::FLAGS),
            unknown: table.word(field::UNKNOWN),
            piece_flags: table.section(section::PIECE_FLAGS),
            units: table.words(section::UNITS),
            merges: Merges::new(table),
        }
    }

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Appends the tokens of the word `start..end` of the view.
    #[inline]
    pub(crate) fn word(
        &self,
        view: &View<'_>,
        start: usize,
        end: usize,
        merger: &mut Merger,
        mut push: impl FnMut(u32, usize, usize),
    ) {
        let word = view.text.get(start..end).unwrap_or(&[]);
        if let Some(id) = self.whole(word) {
            push(id, start, end);
            return;
        }
        if self.merge(word, merger) == Kept::Some {
            return self.push_shifted(word, start, merger, push);
        }
        let mut at = start;
        for symbol in merger.symbols() {
            let next = at + symbol.length as usize;
            push(symbol.id, at, next);
            at = next;
        }
    }

    /// The token that is the whole word, where merging is known to arrive there or not asked.
    #[inline(always)]
    fn whole(&self, word: &[u8]) -> Option<u32> {
        let id = self.trie.get(word)?;
        let flags = self.piece_flags.get(id as usize)?;
        (flags & piece::WHOLE != 0 || self.has(flag::IGNORE_MERGES)).then_some(id)
    }

    /// Positions of a word some of whose bytes have no token.
    ///
    /// **Source**: the reference leaves such bytes out and counts the lengths of what is left, in the byte alphabet
    /// where a byte takes one or two, so the ranges of later tokens lie early. The same here, or ranges would differ.
    fn push_shifted(
        &self,
        word: &[u8],
        start: usize,
        merger: &Merger,
        mut push: impl FnMut(u32, usize, usize),
    ) {
        let letters = |byte: u8| if (0x21..=0x7e).contains(&byte) { 1 } else { 2 };
        let places: Vec<usize> =
            word.iter().enumerate().flat_map(|(i, &b)| core::iter::repeat_n(i, letters(b))).collect();
        let mut kept = word.iter().copied().filter(|&byte| self.unit(byte).is_some());
        let mut at = 0;
        for symbol in merger.symbols() {
            let length: usize = kept.by_ref().take(symbol.length as usize).map(letters).sum();
            let place = |at: usize| places.get(at).copied().unwrap_or(0);
            push(symbol.id, start + place(at), start + place((at + length).saturating_sub(1)) + 1);
            at += length;
        }
    }

    fn unit(&self, byte: u8) -> Option<u32> {
        self.units.get(usize::from(byte)).filter(|&id| id != NONE)
    }

    /// Leaves the word's tokens in the merger's symbols.
    fn merge(&self, word: &[u8], merger: &mut Merger) -> Kept {
        merger.clear();
        let mut kept = Kept::All;
        if self.has(flag::CHARACTERS) {
            self.split_characters(word, merger);
        } else {
            for &byte in word {
                match self.unit(byte) {
                    Some(id) => merger.add(id, 1),
                    None if self.unknown == NONE => kept = Kept::Some,
                    None => self.add_unknown(merger, 1),
                }
            }
        }
        self.merges.run(merger);
        kept
    }

    /// Whether merging the bytes of `word` ends in one token.
    pub(crate) fn arrives_whole(&self, word: &[u8], merger: &mut Merger) -> bool {
        self.merge(word, merger) == Kept::All && merger.symbols().count() == 1
    }

    fn split_characters(&self, word: &[u8], merger: &mut Merger) {
        let mut at = 0;
        while let Some(&first) = word.get(at) {
            let end = (at + width(first)).min(word.len());
            let character = word.get(at..end).unwrap_or(&[]);
            if let Some(id) = self.trie.get(character) {
                merger.add(id, (end - at) as u32);
            } else if self.has(flag::BYTE_FALLBACK) && character.iter().all(|&b| self.unit(b).is_some()) {
                character.iter().filter_map(|&b| self.unit(b)).for_each(|id| merger.add(id, 1));
            } else {
                self.add_unknown(merger, (end - at) as u32);
            }
            at = end;
        }
    }

    fn add_unknown(&self, merger: &mut Merger, length: u32) {
        match merger.last_mut() {
            Some(last) if self.has(flag::FUSE_UNKNOWN) && last.id == self.unknown => last.length += length,
            _ => merger.add(self.unknown, length),
        }
    }
}
