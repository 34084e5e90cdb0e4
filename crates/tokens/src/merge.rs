//! Merging of a word's symbols: the pair with the lowest rank first, the leftmost of equals.

use crate::layout::{MOST_PROBES, NONE, section};
use crate::table::Table;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Words longer than this go through the heap; below it scanning all pairs is faster.
const SCAN_SYMBOLS: usize = 48;
/// Words longer than this go rank by rank; below it the lists of all ranks cost more than the heap.
const HEAP_SYMBOLS: usize = 4_096;

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

/// Buffers of one word's merging.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merger {
    symbols: Vec<Symbol>,
    heap: BinaryHeap<Reverse<u64>>,
    ranks: Ranks,
}

/// A piece of the word; a removed one has length 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    pub(crate) id: u32,
    pub(crate) length: u32,
    previous: u32,
    next: u32,
    /// Rank and result of joining with the next symbol; rank NONE if they do not join.
    rank: u32,
    joined: u32,
}

/// Places of pairs by rank: for each rank the last of a chain of entries.
#[derive(Clone, Debug, Default)]
struct Ranks {
    last: Vec<u32>,
    /// Place, and the entry before it in the chain.
    entries: Vec<(u32, u32)>,
    places: Vec<u32>,
}

impl Merger {
    pub(crate) fn clear(&mut self) {
        self.symbols.clear();
    }

    pub(crate) fn add(&mut self, id: u32, length: u32) {
        self.symbols.push(Symbol { id, length, previous: NONE, next: NONE, rank: NONE, joined: NONE });
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Symbol> {
        self.symbols.last_mut()
    }

    /// What is left of the symbols, in order.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(|symbol| symbol.length > 0)
    }
}

impl Ranks {
    /// Queues a place; false for a rank above `most`, which no real table has.
    fn push(&mut self, rank: u32, place: usize, most: usize) -> bool {
        let rank = rank as usize;
        if rank >= most {
            return false;
        }
        if self.last.len() <= rank {
            self.last.resize(rank + 1, NONE);
        }
        self.entries.push((place as u32, self.last[rank]));
        self.last[rank] = self.entries.len() as u32 - 1;
        true
    }

    /// The places of a rank from left to right, in `places`.
    fn take(&mut self, rank: usize) {
        self.places.clear();
        let mut at = core::mem::replace(&mut self.last[rank], NONE);
        while let Some(&(place, before)) = self.entries.get(at as usize) {
            self.places.push(place);
            at = before;
        }
        self.places.reverse();
        // Runs, since every rank before has queued its places from left to right.
        self.places.sort();
    }
}

impl<'a> Merges<'a> {
    pub(crate) fn new(table: &Table<'a>) -> Self {
        Self { slots: table.section(section::MERGES).as_chunks::<16>().0 }
    }

    /// Rank and result of joining a pair; NONE twice if it does not join.
    #[inline(always)]
    fn join(&self, left: u32, right: u32) -> (u32, u32) {
        let mut at = merge_slot(left, right, self.slots.len());
        for _ in 0..MOST_PROBES {
            let Some(slot) = self.slots.get(at) else { break };
            let slot = u128::from_le_bytes(*slot);
            let (found_left, found_right) = (slot as u32, (slot >> 32) as u32);
            if found_left == left && found_right == right {
                return ((slot >> 64) as u32, (slot >> 96) as u32);
            }
            if found_left == NONE {
                break;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        (NONE, NONE)
    }

    /// Merges as long as any pair joins.
    #[inline]
    pub(crate) fn run(&self, merger: &mut Merger) {
        match merger.symbols.len() {
            length if length <= SCAN_SYMBOLS => self.scan(&mut merger.symbols),
            length if length <= HEAP_SYMBOLS => {
                self.link(&mut merger.symbols);
                self.by_heap(merger);
            }
            _ => {
                self.link(&mut merger.symbols);
                if !self.by_rank(merger) {
                    self.by_heap(merger);
                }
            }
        }
    }

    /// For short words: look through all pairs for the best, close the gap, repeat.
    fn scan(&self, symbols: &mut Vec<Symbol>) {
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

    /// Makes the symbols a list and looks up all pairs.
    fn link(&self, symbols: &mut [Symbol]) {
        for index in 0..symbols.len() {
            symbols[index].previous = (index as u32).wrapping_sub(1);
            symbols[index].next = if index + 1 == symbols.len() { NONE } else { index as u32 + 1 };
            self.pair(symbols, index);
        }
    }

    /// Looks up the pair that starts at `index`; its rank.
    fn pair(&self, symbols: &mut [Symbol], index: usize) -> u32 {
        let symbol = symbols[index];
        let (rank, joined) = match symbols.get(symbol.next as usize) {
            Some(next) => self.join(symbol.id, next.id),
            None => (NONE, NONE),
        };
        (symbols[index].rank, symbols[index].joined) = (rank, joined);
        rank
    }

    /// Joins the symbol at `index` with the next; gives the two places whose pairs have changed to `changed`.
    fn close(&self, symbols: &mut [Symbol], index: usize, mut changed: impl FnMut(u32, usize)) {
        let symbol = symbols[index];
        let right = symbols[symbol.next as usize];
        symbols[symbol.next as usize].length = 0;
        if right.next != NONE {
            symbols[right.next as usize].previous = index as u32;
        }
        let length = symbol.length + right.length;
        symbols[index] = Symbol { id: symbol.joined, length, next: right.next, ..symbol };
        changed(self.pair(symbols, index), index);
        if symbol.previous != NONE {
            changed(self.pair(symbols, symbol.previous as usize), symbol.previous as usize);
        }
    }

    /// A heap of (rank, place): O(n log n).
    fn by_heap(&self, merger: &mut Merger) {
        let Merger { symbols, heap, .. } = merger;
        let key = |rank: u32, place: usize| Reverse((u64::from(rank) << 32) | place as u64);
        let mut keys = core::mem::take(heap).into_vec();
        keys.clear();
        let joins = |symbol: &Symbol| symbol.length > 0 && symbol.rank != NONE;
        keys.extend(symbols.iter().enumerate().filter(|(_, s)| joins(s)).map(|(at, s)| key(s.rank, at)));
        *heap = BinaryHeap::from(keys);
        while let Some(Reverse(found)) = heap.pop() {
            let (rank, index) = ((found >> 32) as u32, found as u32 as usize);
            // Stale: removed, or its pair has changed since.
            if symbols[index].length == 0 || symbols[index].rank != rank {
                continue;
            }
            self.close(symbols, index, |rank, place| {
                if rank != NONE {
                    heap.push(key(rank, place));
                }
            });
        }
    }

    /// Rank by rank, each from left to right: linear, since a pair that comes up ranks below the one it came from. False
    /// if one does not: merges in an order that no trainer gives, and the heap goes on from here.
    fn by_rank(&self, merger: &mut Merger) -> bool {
        let Merger { symbols, ranks, .. } = merger;
        let most = 4 * self.slots.len();
        ranks.last.clear();
        ranks.entries.clear();
        for (place, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| symbol.rank != NONE) {
            if !ranks.push(symbol.rank, place, most) {
                return false;
            }
        }
        let mut rank = 0;
        while rank < ranks.last.len() {
            ranks.take(rank);
            for at in 0..ranks.places.len() {
                let index = ranks.places[at] as usize;
                if symbols[index].length == 0 || symbols[index].rank as usize != rank {
                    continue;
                }
                let mut in_order = true;
                self.close(symbols, index, |found, place| {
                    if found != NONE {
                        in_order &= found as usize > rank && ranks.push(found, place, most);
                    }
                });
                if !in_order {
                    return false;
                }
            }
            rank += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Slots of (left, right, rank, joined) as `tokens-build` places them.
    fn slots(merges: &[[u32; 4]]) -> Vec<[u8; 16]> {
        let mut slots = vec![[0xff; 16]; (4 * merges.len()).next_power_of_two()];
        for merge in merges {
            let mut at = merge_slot(merge[0], merge[1], slots.len());
            while slots[at] != [0xff; 16] {
                at = (at + 1) & (slots.len() - 1);
            }
            let bytes: Vec<u8> = merge.iter().flat_map(|word| word.to_le_bytes()).collect();
            slots[at].copy_from_slice(&bytes);
        }
        slots
    }

    /// All ways of merging a word give the same symbols, whether ranks rise from a piece to its products or not.
    #[test]
    fn every_way_is_the_same() {
        let mut state = 1u64;
        let mut random = |end: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % end
        };
        for round in 0..300 {
            // Three letters; ranks in order, in any order, or with many equal ones.
            let count = 1 + random(30);
            let mut merges: Vec<[u32; 4]> = Vec::new();
            for number in 0..count {
                let known = 3 + number;
                let pair = [random(known), random(known)];
                if merges.iter().any(|merge| merge[..2] == pair) {
                    continue;
                }
                let rank = [number, random(40), random(4)][round % 3];
                merges.push([pair[0], pair[1], rank, known]);
            }
            let slots = slots(&merges);
            let merges = Merges { slots: &slots };
            let word: Vec<u32> = (0..1 + random(200)).map(|_| random(3)).collect();
            let merged = |way: &dyn Fn(&mut Merger)| -> Vec<(u32, u32)> {
                let mut merger = Merger::default();
                word.iter().for_each(|&id| merger.add(id, 1));
                way(&mut merger);
                merger.symbols().map(|symbol| (symbol.id, symbol.length)).collect()
            };
            let scanned = merged(&|merger| merges.scan(&mut merger.symbols));
            let heaped = merged(&|merger| {
                merges.link(&mut merger.symbols);
                merges.by_heap(merger);
            });
            let ranked = merged(&|merger| {
                merges.link(&mut merger.symbols);
                if !merges.by_rank(merger) {
                    assert_ne!(round % 3, 0, "ranks in order need no heap");
                    merges.by_heap(merger);
                }
            });
            assert_eq!(scanned, heaped, "round {round}");
            assert_eq!(scanned, ranked, "round {round}");
            assert_eq!(scanned.iter().map(|(_, length)| length).sum::<u32>(), word.len() as u32);
        }
    }
}
