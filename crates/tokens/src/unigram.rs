//! Unigram: the path through a word with the highest sum of scores.

use crate::characters::width;
use crate::encoding::Encoding;
use crate::layout::{NONE, field, flag, section};
use crate::normalize::View;
use crate::table::{Table, Words};
use crate::trie::Trie;
use alloc::vec::Vec;

/// The model's part of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unigram<'a> {
    trie: Trie<'a>,
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
            scores: table.section(section::SCORES).as_chunks::<8>().0,
            unknown: table.word(field::UNKNOWN),
            unknown_score: table.f64(field::UNKNOWN_SCORE),
            fallback: fallback.then(|| table.words(section::UNITS)),
        }
    }

    /// The score of a piece, as the tokenizer file gives it.
    pub(crate) fn score(&self, id: u32) -> f64 {
        self.scores.get(id as usize).map_or(f64::NEG_INFINITY, |bytes| f64::from_le_bytes(*bytes))
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
        self.forward(word, &mut lattice.ends);
        self.backward(view, word, start, &lattice.ends, out);
    }

    fn forward(&self, word: &[u8], ends: &mut Vec<End>) {
        ends.clear();
        ends.resize(word.len() + 1, End::UNREACHED);
        let mut at = 0;
        while let Some(&first) = word.get(at) {
            let so_far = ends.get(at).map_or(0.0, |end| end.score);
            let character = width(first).min(word.len() - at);
            let mut has_single = false;
            let mut node = self.trie.root();
            for (index, &label) in word.iter().enumerate().skip(at) {
                node = node.and_then(|node| self.trie.child(node, label));
                let Some(reached) = node else { break };
                if let Some(id) = reached.value() {
                    if let Some(target) = ends.get_mut(index + 1) {
                        target.offer(self.score(id) + so_far, id, at);
                    }
                    has_single |= index + 1 == at + character;
                }
            }
            if !has_single && let Some(target) = ends.get_mut(at + character) {
                target.offer(self.unknown_score + so_far, self.unknown, at);
            }
            at += character;
        }
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
