//! Unigram: the path through a word with the highest sum of scores.

use crate::characters::width;
use crate::encoding::Encoding;
use crate::layout::{LONGEST_PIECE, NONE, field, flag, piece, section};
use crate::normalize::View;
use crate::table::{Table, Words};
use crate::trie::Trie;
use alloc::vec::Vec;

/// The model's part of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unigram<'a> {
    trie: Trie<'a>,
    piece_flags: &'a [u8],
    scores: &'a [[u8; 8]],
    unknown: u32,
    unknown_score: f64,
    /// Ids of the `<0xNN>` tokens, if unknown text falls back to them.
    fallback: Option<Words<'a>>,
}

/// Best paths to every byte of the word at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lattice {
    ends: Vec<End>,
}

/// The best path that ends at a byte.
#[derive(Clone, Copy, Debug)]
struct End {
    score: f64,
    id: u32,
    /// Where the last piece of the path starts; NONE while no path has been found.
    from: u32,
}

impl End {
    const UNREACHED: Self = Self { score: 0.0, id: NONE, from: NONE };

    /// Takes the candidate if it is better; on a tie the piece that was found first (the longer one) stays.
    #[inline(always)]
    fn offer(&mut self, score: f64, id: u32, from: usize) {
        if self.from == NONE || score > self.score {
            *self = Self { score, id, from: from as u32 };
        }
    }
}

impl<'a> Unigram<'a> {
    pub(crate) fn new(table: &Table<'a>, trie: Trie<'a>) -> Self {
        let fallback = table.word(field::FLAGS) & flag::BYTE_FALLBACK != 0;
        Self {
            trie,
            piece_flags: table.section(section::PIECE_FLAGS),
            scores: table.section(section::SCORES).as_chunks::<8>().0,
            unknown: table.word(field::UNKNOWN),
            unknown_score: table.f64(field::UNKNOWN_SCORE),
            fallback: fallback.then(|| table.words(section::UNITS)),
        }
    }

    /// The score of a piece, as the tokenizer file gives it.
    #[inline(always)]
    pub(crate) fn known_score(&self, id: u32) -> Option<f64> {
        self.scores.get(id as usize).map(|bytes| f64::from_le_bytes(*bytes))
    }

    #[inline(always)]
    fn score(&self, id: u32) -> f64 {
        self.known_score(id).unwrap_or(f64::NEG_INFINITY)
    }

    /// Appends the tokens of the word `start..end` of the view.
    ///
    /// **Source**: `Unigram::encode_optimized` in the tokenizers crate, itself after SentencePiece: forward over the
    /// characters, shortest piece first, a strictly higher sum wins, one f64 addition a candidate.
    pub(crate) fn word(
        &self,
        view: &View<'_>,
        start: usize,
        end: usize,
        lattice: &mut Lattice,
        out: &mut Encoding,
    ) {
        let word = view.text.get(start..end).unwrap_or(&[]);
        match self.forward(word, &mut lattice.ends) {
            Some(id) => out.push(id, view.range(start, end)),
            None => self.backward(view, word, start, &lattice.ends, out),
        }
    }

    /// Whether the best path through the word that is this piece is known to be the piece alone.
    #[inline(always)]
    fn is_whole(&self, id: u32) -> bool {
        self.piece_flags.get(id as usize).is_some_and(|flags| flags & piece::WHOLE != 0)
    }

    /// Finds the best paths to all characters, or the one piece that is the whole word.
    fn forward(&self, word: &[u8], ends: &mut Vec<End>) -> Option<u32> {
        ends.clear();
        ends.resize(word.len() + 1, End::UNREACHED);
        let mut at = 0;
        let root = self.trie.root()?;
        while let (Some(rest), Some((here, targets))) = (
            word.get(at..).filter(|rest| !rest.is_empty()),
            ends.get_mut(at..).and_then(<[End]>::split_first_mut),
        ) {
            let so_far = here.score;
            let character = rest.first().map_or(1, |&first| width(first)).min(rest.len());
            let mut has_single = false;
            let mut last = (NONE, 0);
            let mut node = root;
            for (index, (&label, target)) in
                rest.iter().zip(targets.iter_mut()).enumerate().take(LONGEST_PIECE)
            {
                let Some(child) = self.trie.child(node, label) else { break };
                node = child;
                if let Some(id) = node.value() {
                    target.offer(self.score(id) + so_far, id, at);
                    has_single |= index + 1 == character;
                    last = (id, index + 1);
                }
            }
            if at == 0 && last.1 == word.len() && self.is_whole(last.0) {
                return Some(last.0);
            }
            if !has_single && let Some(target) = targets.get_mut(character - 1) {
                target.offer(self.unknown_score + so_far, self.unknown, at);
            }
            at += character;
        }
        None
    }

    fn backward(&self, view: &View<'_>, word: &[u8], start: usize, ends: &[End], out: &mut Encoding) {
        let before = out.len();
        let mut end = word.len();
        // The end of the run of unknown pieces at hand: neighbours become one token.
        let mut unknown_end = None;
        while end > 0 {
            let Some(&step) = ends.get(end) else { break };
            let from = step.from as usize;
            if from >= end {
                break;
            }
            if step.id == self.unknown {
                unknown_end.get_or_insert(end);
            } else {
                if let Some(last) = unknown_end.take() {
                    self.unknown_run(view, word, start, (end, last), out);
                }
                out.push(step.id, view.range(start + from, start + end));
            }
            end = from;
        }
        if let Some(last) = unknown_end {
            self.unknown_run(view, word, start, (end, last), out);
        }
        out.reverse_from(before);
    }

    /// A run of unknown pieces: it may happen to be a token, else bytes, else the unknown token.
    fn unknown_run(
        &self,
        view: &View<'_>,
        word: &[u8],
        start: usize,
        run: (usize, usize),
        out: &mut Encoding,
    ) {
        let text = word.get(run.0..run.1).unwrap_or(&[]);
        let range = view.range(start + run.0, start + run.1);
        if let Some(id) = self.trie.get(text) {
            out.push(id, range);
            return;
        }
        if let Some(units) = self.fallback {
            let known = |b: &u8| units.get(usize::from(*b)).filter(|&id| id != NONE);
            if text.iter().all(|b| known(b).is_some()) {
                // Backwards, since the caller turns everything round.
                text.iter().rev().filter_map(known).for_each(|id| out.push(id, range));
                return;
            }
        }
        out.push(self.unknown, range);
    }
}
