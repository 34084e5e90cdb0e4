//! Added and special tokens: found in the text before anything else, leftmost and longest.

use crate::characters::{Classes, decode, decode_before, is_white};
use crate::layout::{added, section};
use crate::table::{Table, Words};
use crate::trie::Trie;

/// The added tokens of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Added<'a> {
    records: Words<'a>,
    bytes: &'a [u8],
    /// Tokens sought in the text as it came.
    pub(crate) raw: Trie<'a>,
    /// Tokens sought in the normalised text.
    pub(crate) normalized: Trie<'a>,
    classes: Classes<'a>,
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
            raw: Trie::new(table, section::ADDED_RAW),
            normalized: Trie::new(table, section::ADDED_NORMALIZED),
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
        trie: &Trie<'a>,
        text: &[u8],
        mut part: impl FnMut(Option<u32>, usize, usize),
    ) {
        let mut done = 0;
        let mut at = 0;
        while let Some((index, mut start, mut end)) = next_match(trie, text, at) {
            at = end;
            let Some(record) = self.record(index) else { continue };
            if record.flags & added::SINGLE_WORD != 0 && !self.stands_alone(text, start, end) {
                continue;
            }
            if record.flags & added::LSTRIP != 0 {
                while let Some((point, before)) = decode_before(text, start) {
                    if !is_white(point) {
                        break;
                    }
                    start = before;
                }
                start = start.max(done);
            }
            if record.flags & added::RSTRIP != 0 {
                while let Some((point, length)) = decode(text, end) {
                    if !is_white(point) {
                        break;
                    }
                    end += length;
                }
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

/// The leftmost match at or after `at`, the longest of those: (record, start, end).
fn next_match(trie: &Trie<'_>, text: &[u8], at: usize) -> Option<(u32, usize, usize)> {
    let root = trie.root()?;
    for (start, &label) in text.iter().enumerate().skip(at) {
        let Some(mut node) = trie.child(root, label) else { continue };
        let mut best = node.value().map(|index| (index, start, start + 1));
        for (place, &label) in text.iter().enumerate().skip(start + 1) {
            match trie.child(node, label) {
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
    }
    None
}
