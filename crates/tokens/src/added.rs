//! Added and special tokens: found in the text before anything else, leftmost and longest.

use crate::characters::{Classes, decode, decode_before, is_white};
use crate::layout::{LONGEST_PIECE, added, section};
use crate::table::{Table, Words};
use crate::trie::Trie;

/// The added tokens of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Added<'a> {
    records: Words<'a>,
    bytes: &'a [u8],
    /// Tokens sought in the text as it came.
    pub(crate) raw: Contents<'a>,
    /// Tokens sought in the normalised text.
    pub(crate) normalized: Contents<'a>,
    classes: Classes<'a>,
}

/// What is sought: contents by record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contents<'a> {
    trie: Trie<'a>,
    /// A bit for each byte that a content starts with.
    first: [u64; 4],
    /// That byte, if there is one alone: most vocabularies have `<` or `[`.
    only: Option<u8>,
}

/// One added token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) id: u32,
    flags: u32,
    offset: u32,
    length: u32,
}

impl<'a> Added<'a> {
    pub(crate) fn new(table: &Table<'a>) -> Self {
        Self {
            records: table.words(section::ADDED),
            bytes: table.section(section::ADDED_BYTES),
            raw: Contents::new(Trie::new(table, section::ADDED_RAW)),
            normalized: Contents::new(Trie::new(table, section::ADDED_NORMALIZED)),
            classes: Classes::new(table),
        }
    }

    fn record(&self, index: u32) -> Option<Record> {
        let word = |i: usize| self.records.get(index as usize * added::RECORD_WORDS + i);
        Some(Record { id: word(0)?, flags: word(1)?, offset: word(2)?, length: word(3)? })
    }

    /// The id of the added token with this content.
    pub(crate) fn id_of(&self, content: &[u8]) -> Option<u32> {
        (0..(self.records.len() / added::RECORD_WORDS) as u32)
            .filter_map(|index| self.record(index))
            .find(|record| self.content(record) == content)
            .map(|record| record.id)
    }

    /// The content of an added token.
    pub(crate) fn content(&self, record: &Record) -> &'a [u8] {
        let start = record.offset as usize;
        self.bytes.get(start..start.saturating_add(record.length as usize)).unwrap_or(&[])
    }

    /// Cuts `text` into added tokens (with their id) and what lies between them (without).
    ///
    /// **Source**: `AddedVocabulary::find_matches` in the tokenizers crate. A match that single_word refuses is
    /// passed over as a whole; lstrip and rstrip widen the token, not the search.
    pub(crate) fn split(
        &self,
        contents: &Contents<'a>,
        text: &[u8],
        mut part: impl FnMut(Option<u32>, usize, usize),
    ) {
        let mut done = 0;
        let mut at = 0;
        let mut white = 0..0;
        while let Some((index, mut start, mut end)) = contents.next(text, at) {
            at = end;
            let Some(record) = self.record(index) else { continue };
            if record.flags & added::SINGLE_WORD != 0 && !self.stands_alone(text, start, end) {
                continue;
            }
            if record.flags & added::LSTRIP != 0 {
                while let Some((point, before)) = decode_before(text, start).filter(|_| start > done) {
                    if !is_white(point) {
                        break;
                    }
                    start = before;
                }
                start = start.max(done);
            }
            if record.flags & added::RSTRIP != 0 {
                // Tokens that are white themselves may follow inside the run that the one before took.
                if !white.contains(&end) {
                    white = end..end_of_white(text, end);
                }
                end = white.end;
            }
            // White space that the token before took is no token again.
            if start >= end {
                continue;
            }
            if done < start {
                part(None, done, start);
            }
            part(Some(record.id), start, end);
            done = end;
        }
        if done < text.len() {
            part(None, done, text.len());
        }
    }

    fn stands_alone(&self, text: &[u8], start: usize, end: usize) -> bool {
        let before = decode_before(text, start).is_some_and(|(point, _)| self.classes.is_word(point));
        let after = decode(text, end).is_some_and(|(point, _)| self.classes.is_word(point));
        !before && !after
    }
}

fn end_of_white(text: &[u8], mut at: usize) -> usize {
    while let Some((point, length)) = decode(text, at) {
        if !is_white(point) {
            break;
        }
        at += length;
    }
    at
}

impl<'a> Contents<'a> {
    fn new(trie: Trie<'a>) -> Self {
        let mut first = [0; 4];
        trie.first_bytes().for_each(|byte| first[usize::from(byte >> 6)] |= 1 << (byte & 63));
        let mut bytes = trie.first_bytes();
        let only = bytes.next().filter(|_| bytes.next().is_none());
        Self { trie, first, only }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.trie.is_empty()
    }

    /// The first place at or after `at` where a content may start.
    #[inline(always)]
    fn candidate(&self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        let place = match self.only {
            Some(only) => {
                // Without a branch, so that a block is one comparison of vectors.
                let absent = |block: &&[u8; 32]| block.iter().fold(true, |none, &byte| none & (byte != only));
                let blocks = rest.as_chunks::<32>().0.iter();
                let passed = 32 * blocks.take_while(absent).count();
                passed + rest.get(passed..)?.iter().position(|&byte| byte == only)?
            }
            None => {
                rest.iter().position(|byte| self.first[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1)?
            }
        };
        Some(at + place)
    }

    /// The leftmost match at or after `at`, the longest of those: (record, start, end).
    fn next(&self, text: &[u8], mut at: usize) -> Option<(u32, usize, usize)> {
        let root = self.trie.root()?;
        while let Some(start) = self.candidate(text, at) {
            let mut node = root;
            let mut best = None;
            for (place, &label) in text.iter().enumerate().skip(start).take(LONGEST_PIECE) {
                match self.trie.child(node, label) {
                    Some(child) => node = child,
                    None => break,
                }
                if let Some(index) = node.value() {
                    best = Some((index, start, place + 1));
                }
            }
            if best.is_some() {
                return best;
            }
            at = start + 1;
        }
        None
    }
}
