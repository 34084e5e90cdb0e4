//! WordPiece: the longest piece first, again and again; a word that cannot be covered is unknown.

use crate::encoding::Encoding;
use crate::layout::{LONGEST_PIECE, NONE, field};
use crate::normalize::View;
use crate::table::Table;
use crate::trie::{Node, Trie};

/// The model's part of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordPiece<'a> {
    trie: Trie<'a>,
    unknown: u32,
    max_word_chars: usize,
    /// The trie's node below the continuation prefix (`##`).
    continuing: Option<Node>,
}

impl<'a> WordPiece<'a> {
    pub(crate) fn new(table: &Table<'a>, trie: Trie<'a>) -> Self {
        let continuing = table.word(field::CONTINUING_NODE);
        Self {
            trie,
            unknown: table.word(field::UNKNOWN),
            max_word_chars: table.word(field::MAX_WORD_CHARS) as usize,
            continuing: if continuing == NONE { None } else { trie.node(continuing) },
        }
    }

    /// Appends the tokens of the word `start..end` of the view.
    ///
    /// **Source**: `WordPiece::tokenize` in the tokenizers crate. Pieces are whole UTF-8 strings, so walking bytes
    /// and walking characters meet the same longest piece.
    #[inline]
    pub(crate) fn word(&self, view: &View<'_>, start: usize, end: usize, out: &mut Encoding) {
        let before = out.len();
        let word = view.text.get(start..end).unwrap_or(&[]);
        if self.too_long(word) || self.cover(view, word, start, out).is_none() {
            out.truncate(before);
            out.push(self.unknown, view.range(start, end));
        }
    }

    fn too_long(&self, word: &[u8]) -> bool {
        word.len() > self.max_word_chars
            && word.iter().filter(|&&b| b & 0xc0 != 0x80).count() > self.max_word_chars
    }

    #[inline(always)]
    fn cover(&self, view: &View<'_>, word: &[u8], start: usize, out: &mut Encoding) -> Option<()> {
        let mut node = self.trie.root()?;
        let mut at = 0;
        while at < word.len() {
            let (id, length) = self.longest(node, word.get(at..)?)?;
            out.push(id, view.range(start + at, start + at + length));
            at += length;
            if at < word.len() {
                node = self.continuing?;
            }
        }
        Some(())
    }

    /// The longest piece at the start of `text`, continuing from `node`.
    #[inline(always)]
    fn longest(&self, mut node: Node, text: &[u8]) -> Option<(u32, usize)> {
        let mut best = None;
        for (index, &label) in text.iter().enumerate().take(LONGEST_PIECE) {
            match self.trie.child(node, label) {
                Some(child) => node = child,
                None => break,
            }
            if let Some(id) = node.value() {
                best = Some((id, index + 1));
            }
        }
        best
    }
}
