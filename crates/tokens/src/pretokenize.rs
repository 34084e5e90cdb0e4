//! Cutting a piece of normalised text into the words that a model sees one at a time.

use crate::characters::{Classes, decode};
use crate::layout::class;
use crate::normalize::View;

/// BERT's cut: white space separates and is dropped, each punctuation character stands alone.
#[inline(always)]
pub(crate) fn bert(view: &View<'_>, classes: &Classes<'_>, mut word: impl FnMut(usize, usize)) {
    let text = view.text;
    let mut start = 0;
    let mut at = 0;
    while let Some((class, length)) = classes.at(text, at) {
        if class & (class::WHITE | class::BERT_PUNCTUATION) != 0 {
            if start < at {
                word(start, at);
            }
            if class & class::WHITE == 0 {
                word(at, at + length);
            }
            start = at + length;
        }
        at += length;
    }
    if start < text.len() {
        word(start, text.len());
    }
}

/// Runs of anything but white space.
pub(crate) fn words(text: &[u8], classes: &Classes<'_>, mut word: impl FnMut(usize, usize)) {
    let mut start = 0;
    let mut at = 0;
    while let Some((class, length)) = classes.at(text, at) {
        if class & class::WHITE != 0 {
            if start < at {
                word(start, at);
            }
            start = at + length;
        }
        at += length;
    }
    if start < text.len() {
        word(start, text.len());
    }
}

/// Cuts in front of every `replacement` character.
pub(crate) fn before_each(text: &[u8], replacement: u32, mut word: impl FnMut(usize, usize)) {
    let mut start = 0;
    let mut at = 0;
    while let Some((point, length)) = decode(text, at) {
        if point == replacement && start < at {
            word(start, at);
            start = at;
        }
        at += length;
    }
    if start < text.len() {
        word(start, text.len());
    }
}

/// Classes of a run for the byte-level patterns.
const LETTER: u8 = class::LETTER;
const NUMBER: u8 = class::NUMBER;
const WHITE: u8 = class::WHITE;
const KNOWN: u8 = LETTER | NUMBER | WHITE;

/// A reader of characters and their classes over one piece.
#[derive(Clone, Copy)]
struct Reader<'t, 'a> {
    text: &'t [u8],
    classes: &'t Classes<'a>,
}

impl Reader<'_, '_> {
    /// Class and end of the character at `at`.
    #[inline(always)]
    fn at(&self, at: usize) -> Option<(u8, usize)> {
        self.classes.at(self.text, at).map(|(class, length)| (class, at + length))
    }

    /// The end of the run from `at` of characters whose class, masked, is `wanted`; at most `most` of them.
    #[inline(always)]
    fn run(&self, mut at: usize, mask: u8, wanted: u8, most: usize) -> usize {
        for _ in 0..most {
            match self.at(at) {
                Some((class, next)) if class & mask == wanted => at = next,
                _ => break,
            }
        }
        at
    }

    /// `'s|'t|'re|'ve|'m|'ll|'d` at `at`; with `fold` in either case (and the long s, which folds to s).
    fn contraction(&self, at: usize, fold: bool) -> Option<usize> {
        let rest = self.text.get(at..)?;
        if *rest.first()? != b'\'' {
            return None;
        }
        let letter = |i: usize| rest.get(i).map(|b| if fold { b.to_ascii_lowercase() } else { *b });
        match (letter(1)?, letter(2)) {
            (b's' | b't' | b'm' | b'd', _) => Some(at + 2),
            (b'r' | b'v', Some(b'e')) | (b'l', Some(b'l')) => Some(at + 3),
            (0xc5, Some(0xbf)) if fold => Some(at + 3),
            _ => None,
        }
    }

    /// `\s+(?!\S)|\s+` from `at`, which is white: all of a run at the end of the piece, else all but its last
    /// character, else that one.
    fn white(&self, at: usize) -> usize {
        let mut last = at;
        let mut end = at;
        while let Some((class, next)) = self.at(end) {
            if class & WHITE == 0 {
                return if last > at { last } else { end };
            }
            last = end;
            end = next;
        }
        end
    }
}

/// GPT-2's pattern: `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
pub(crate) fn gpt2(text: &[u8], classes: &Classes<'_>, word: &mut impl FnMut(usize, usize)) {
    let reader = Reader { text, classes };
    let mut at = 0;
    while let Some((class, next)) = reader.at(at) {
        let end = gpt2_word(&reader, at, class, next);
        word(at, end);
        at = end;
    }
}

#[inline(always)]
fn gpt2_word(reader: &Reader<'_, '_>, at: usize, class: u8, next: usize) -> usize {
    if class & KNOWN == 0
        && let Some(end) = reader.contraction(at, false)
    {
        return end;
    }
    // ` ?` in front of a run of one kind.
    let (kind, from) = match reader.at(next) {
        Some((after, _)) if reader.text.get(at) == Some(&b' ') && after & WHITE == 0 => (after, next),
        _ => (class, at),
    };
    if kind & WHITE != 0 {
        return reader.white(at);
    }
    let kind = kind & KNOWN;
    if kind == LETTER || kind == NUMBER || kind == 0 {
        reader.run(from, KNOWN, kind, usize::MAX)
    } else {
        next
    }
}

/// SmolLM's cut: every numeric character alone, GPT-2's pattern between them.
pub(crate) fn smollm(text: &[u8], classes: &Classes<'_>, word: &mut impl FnMut(usize, usize)) {
    let mut start = 0;
    let mut at = 0;
    while let Some((class, length)) = classes.at(text, at) {
        if class & class::NUMERIC != 0 {
            let base = start;
            gpt2(text.get(start..at).unwrap_or(&[]), classes, &mut |start, end| {
                word(base + start, base + end)
            });
            gpt2(text.get(at..at + length).unwrap_or(&[]), classes, &mut |start, end| {
                word(at + start, at + end)
            });
            start = at + length;
        }
        at += length;
    }
    let base = start;
    gpt2(text.get(start..).unwrap_or(&[]), classes, &mut |start, end| word(base + start, base + end));
}

/// Llama 3's pattern, and Qwen 2's with `digits` 1: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|`
/// `\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
pub(crate) fn llama3(text: &[u8], classes: &Classes<'_>, digits: usize, word: &mut impl FnMut(usize, usize)) {
    let reader = Reader { text, classes };
    let mut at = 0;
    while let Some((class, next)) = reader.at(at) {
        let end = llama3_word(&reader, at, class, next, digits);
        word(at, end);
        at = end;
    }
}

#[inline(always)]
fn llama3_word(reader: &Reader<'_, '_>, at: usize, class: u8, next: usize, digits: usize) -> usize {
    if class & LETTER != 0 {
        return reader.run(next, LETTER, LETTER, usize::MAX);
    }
    if class & NUMBER != 0 {
        return reader.run(at, NUMBER, NUMBER, digits);
    }
    if let Some(end) = reader.contraction(at, true) {
        return end;
    }
    let is_break = matches!(reader.text.get(at), Some(b'\r' | b'\n'));
    let after = reader.at(next);
    if !is_break && after.is_some_and(|(after, _)| after & LETTER != 0) {
        return reader.run(next, LETTER, LETTER, usize::MAX);
    }
    let is_symbol = |found: Option<(u8, usize)>| found.is_some_and(|(class, _)| class & KNOWN == 0);
    if is_symbol(Some((class, next))) || (reader.text.get(at) == Some(&b' ') && is_symbol(after)) {
        let end = reader.run(next, KNOWN, 0, usize::MAX);
        return breaks(reader.text, end);
    }
    // White space: up to its last line break if it has one.
    match last_break(reader, at) {
        Some(end) => end,
        None => reader.white(at),
    }
}

fn breaks(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b'\r' | b'\n')) {
        at += 1;
    }
    at
}

/// The end of the last line break in the run of white space at `at`.
fn last_break(reader: &Reader<'_, '_>, mut at: usize) -> Option<usize> {
    let mut found = None;
    while let Some((class, next)) = reader.at(at) {
        if class & WHITE == 0 {
            break;
        }
        if matches!(reader.text.get(at), Some(b'\r' | b'\n')) {
            found = Some(next);
        }
        at = next;
    }
    found
}
