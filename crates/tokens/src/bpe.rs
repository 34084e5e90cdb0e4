//! Byte pair encoding: the pair with the lowest rank first, the leftmost of equals.

use crate::characters::width;
use crate::layout::{NONE, field, flag, piece, section};
use crate::normalize::View;
use crate::table::{Table, Words};
use crate::trie::Trie;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Words longer than this go through the heap; below it scanning all pairs is faster.
const SCAN_SYMBOLS: usize = 48;

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

/// Pairs of ids to (rank, id of the joined piece): open addressing, linear probing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merges<'a> {
    slots: &'a [[u8; 16]],
}

/// The slot at which the search for a pair begins, for a power of two of slots.
pub fn merge_slot(left: u32, right: u32, slots: usize) -> usize {
    let key = (u64::from(left) << 32) | u64::from(right);
    // Fibonacci hashing: the high half of the product is well mixed.
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & slots.wrapping_sub(1)
}

impl Merges<'_> {
    #[inline(always)]
    fn get(&self, left: u32, right: u32) -> Option<(u32, u32)> {
        let mut at = merge_slot(left, right, self.slots.len());
        for _ in 0..self.slots.len() {
            let slot = u128::from_le_bytes(*self.slots.get(at)?);
            let (found_left, found_right) = (slot as u32, (slot >> 32) as u32);
            if found_left == left && found_right == right {
                return Some(((slot >> 64) as u32, (slot >> 96) as u32));
            }
            if found_left == NONE {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }
}

/// Whether every byte of a word had a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    All,
    Some,
}

/// Buffers of one word's merging.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merger {
    symbols: Vec<Symbol>,
    heap: BinaryHeap<Reverse<u64>>,
}

/// A piece of the word; a removed one has length 0.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    id: u32,
    length: u32,
    previous: u32,
    next: u32,
    /// Rank and result of joining with the next symbol; rank NONE if they do not join.
    rank: u32,
    joined: u32,
}

impl<'a> Bpe<'a> {
    pub(crate) fn new(table: &Table<'a>, trie: Trie<'a>) -> Self {
        Self {
            trie,
            flags: table.word(field::FLAGS),
            unknown: table.word(field::UNKNOWN),
            piece_flags: table.section(section::PIECE_FLAGS),
            units: table.words(section::UNITS),
            merges: Merges { slots: table.section(section::MERGES).as_chunks::<16>().0 },
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
        for symbol in merger.symbols.iter().filter(|symbol| symbol.length > 0) {
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
        for symbol in merger.symbols.iter().filter(|symbol| symbol.length > 0) {
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
        merger.symbols.clear();
        let mut kept = Kept::All;
        if self.has(flag::CHARACTERS) {
            self.split_characters(word, &mut merger.symbols);
        } else {
            for &byte in word {
                match self.unit(byte) {
                    Some(id) => add(&mut merger.symbols, id, 1),
                    None if self.unknown == NONE => kept = Kept::Some,
                    None => self.add_unknown(&mut merger.symbols, 1),
                }
            }
        }
        if merger.symbols.len() <= SCAN_SYMBOLS {
            self.merge_scanning(&mut merger.symbols);
        } else {
            self.merge_queued(merger);
        }
        kept
    }

    /// Whether merging the bytes of `word` ends in one token.
    pub(crate) fn arrives_whole(&self, word: &[u8], merger: &mut Merger) -> bool {
        self.merge(word, merger) == Kept::All
            && merger.symbols.iter().filter(|symbol| symbol.length > 0).count() == 1
    }

    fn split_characters(&self, word: &[u8], symbols: &mut Vec<Symbol>) {
        let mut at = 0;
        while let Some(&first) = word.get(at) {
            let end = (at + width(first)).min(word.len());
            let character = word.get(at..end).unwrap_or(&[]);
            if let Some(id) = self.trie.get(character) {
                add(symbols, id, (end - at) as u32);
            } else if self.has(flag::BYTE_FALLBACK) && character.iter().all(|&b| self.unit(b).is_some()) {
                character.iter().filter_map(|&b| self.unit(b)).for_each(|id| add(symbols, id, 1));
            } else {
                self.add_unknown(symbols, (end - at) as u32);
            }
            at = end;
        }
    }

    fn add_unknown(&self, symbols: &mut Vec<Symbol>, length: u32) {
        match symbols.last_mut() {
            Some(last) if self.has(flag::FUSE_UNKNOWN) && last.id == self.unknown => last.length += length,
            _ => add(symbols, self.unknown, length),
        }
    }

    fn join(&self, left: u32, right: u32) -> (u32, u32) {
        self.merges.get(left, right).unwrap_or((NONE, NONE))
    }

    /// For short words: look through all pairs for the best, close the gap, repeat.
    fn merge_scanning(&self, symbols: &mut Vec<Symbol>) {
        for index in 1..symbols.len() {
            (symbols[index - 1].rank, symbols[index - 1].joined) =
                self.join(symbols[index - 1].id, symbols[index].id);
        }
        loop {
            let mut best = (NONE, 0);
            for (index, symbol) in symbols.iter().enumerate() {
                if symbol.rank < best.0 {
                    best = (symbol.rank, index);
                }
            }
            if best.0 == NONE {
                return;
            }
            let index = best.1;
            let right = symbols.remove(index + 1);
            let after = symbols.get(index + 1).map(|symbol| symbol.id);
            let symbol = &mut symbols[index];
            symbol.id = symbol.joined;
            symbol.length += right.length;
            let id = symbol.id;
            (symbol.rank, symbol.joined) = after.map_or((NONE, NONE), |after| self.join(id, after));
            if index > 0 {
                let previous = &mut symbols[index - 1];
                (previous.rank, previous.joined) = self.join(previous.id, id);
            }
        }
    }

    /// For long words: a heap of (rank, position) and a linked list, O(n log n).
    fn merge_queued(&self, merger: &mut Merger) {
        let Merger { symbols, heap } = merger;
        heap.clear();
        let last = symbols.len() - 1;
        for index in 0..symbols.len() {
            symbols[index].previous = (index as u32).wrapping_sub(1);
            symbols[index].next = if index == last { NONE } else { index as u32 + 1 };
            if index < last {
                self.queue(symbols, heap, index);
            }
        }
        while let Some(Reverse(key)) = heap.pop() {
            let (rank, index) = ((key >> 32) as u32, key as u32 as usize);
            let symbol = symbols[index];
            // Stale: removed, or its pair has changed since.
            if symbol.length == 0 || symbol.rank != rank {
                continue;
            }
            let right = symbols[symbol.next as usize];
            symbols[symbol.next as usize].length = 0;
            if right.next != NONE {
                symbols[right.next as usize].previous = index as u32;
            }
            let length = symbol.length + right.length;
            symbols[index] =
                Symbol { id: symbol.joined, length, next: right.next, rank: NONE, joined: NONE, ..symbol };
            self.queue(symbols, heap, index);
            if symbol.previous != NONE {
                self.queue(symbols, heap, symbol.previous as usize);
            }
        }
    }

    /// Looks up the pair that starts at `index` and queues it if it joins.
    fn queue(&self, symbols: &mut [Symbol], heap: &mut BinaryHeap<Reverse<u64>>, index: usize) {
        let symbol = symbols[index];
        let (rank, joined) = match symbols.get(symbol.next as usize) {
            Some(next) => self.join(symbol.id, next.id),
            None => (NONE, NONE),
        };
        (symbols[index].rank, symbols[index].joined) = (rank, joined);
        if rank != NONE {
            heap.push(Reverse((u64::from(rank) << 32) | index as u64));
        }
    }
}

fn add(symbols: &mut Vec<Symbol>, id: u32, length: u32) {
    symbols.push(Symbol { id, length, previous: NONE, next: NONE, rank: NONE, joined: NONE });
}
