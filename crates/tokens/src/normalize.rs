//! Normalised text that remembers where each of its bytes came from.

use crate::characters::{AsciiMap, CharMap, Marks, decode, decode_before, is_white, width};
use crate::compose::Composer;
use crate::layout::{self, NONE, step};
use crate::precompiled::Precompiled;
use crate::table::{TableError, Words};
use alloc::vec::Vec;

/// Text as bytes, and for every byte the start of the original character it stands for.
///
/// **Source**: the alignments of `NormalizedString` in the tokenizers crate, where each byte carries the range of one
/// original character; its end follows from its start and the original text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Normalized {
    pub(crate) text: Vec<u8>,
    pub(crate) starts: Vec<u32>,
}

impl Normalized {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.starts.clear();
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8, start: u32) {
        self.text.push(byte);
        self.starts.push(start);
    }

    #[inline(always)]
    pub(crate) fn extend(&mut self, bytes: &[u8], start: u32) {
        self.text.extend_from_slice(bytes);
        self.starts.resize(self.text.len(), start);
    }

    fn push_point(&mut self, point: u32, start: u32) {
        let mut buffer = [0; 4];
        let character = char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.extend(character.encode_utf8(&mut buffer).as_bytes(), start);
    }

    /// Bytes as they are, byte `i` of `bytes` at original position `start + i`.
    pub(crate) fn extend_original(&mut self, bytes: &[u8], start: u32) {
        self.text.extend_from_slice(bytes);
        // Continuation bytes belong to the character whose start came last.
        let mut last = start;
        self.starts.extend((start..).zip(bytes).map(|(at, &byte)| {
            if byte & 0xc0 != 0x80 {
                last = at;
            }
            last
        }));
    }

    /// Bytes of `from`, with where they came from.
    #[inline(always)]
    pub(crate) fn extend_from(&mut self, text: &[u8], starts: &[u32]) {
        self.text.extend_from_slice(text);
        self.starts.extend_from_slice(starts);
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        self.starts.truncate(length);
    }
}

/// The steps of a table's normaliser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Normalizer<'a> {
    pub(crate) steps: Words<'a>,
    pub(crate) characters: CharMap<'a>,
    /// ASCII as the character map has it.
    pub(crate) ascii: AsciiMap,
    pub(crate) marks: Marks<'a>,
    pub(crate) precompiled: Precompiled<'a>,
    pub(crate) composer: Composer<'a>,
    pub(crate) strings: &'a [u8],
}

impl Normalizer<'_> {
    /// Whether text stays as it is.
    pub(crate) fn is_identity(&self) -> bool {
        self.steps.len() == 0
    }

    /// Checks codes, arguments and growth of the steps: whatever text comes, its normalised form stays in proportion.
    pub(crate) fn check(&self) -> Result<(), TableError> {
        let name = "normalizer";
        let most = layout::MOST_STEPS * 6 * 4;
        if 4 * self.steps.len() > most {
            return Err(TableError::Size { name, found: 4 * self.steps.len(), expected: most });
        }
        let mut growth = 1usize;
        let mut maps = 0;
        let mut at = 0;
        while let Some(code) = self.steps.get(at) {
            let string = |index: usize| {
                let offset = self.steps.get(at + 1 + index).unwrap_or(u32::MAX) as usize;
                let length = self.steps.get(at + 2 + index).unwrap_or(u32::MAX) as usize;
                let inside = self.strings.get(offset..offset.saturating_add(length));
                match inside.filter(|string| string.len() <= layout::LONGEST_STRING) {
                    Some(string) => Ok(string.len()),
                    None => Err(TableError::Size {
                        name: "normalizer string",
                        found: length,
                        expected: self.strings.len().min(layout::LONGEST_STRING),
                    }),
                }
            };
            at += 1 + match code {
                step::REPLACE | step::REPLACE_RUN => {
                    growth = growth.saturating_mul(string(2)?.div_ceil(string(0)?.max(1)).max(1));
                    5
                }
                step::PREPEND => {
                    string(0)?;
                    2
                }
                step::CHARACTERS | step::PRECOMPILED => {
                    maps += 1;
                    0
                }
                step::STRIP_LEFT | step::STRIP_RIGHT | step::LOWERCASE | step::NFC => 0,
                found => return Err(TableError::Field { name: "normalizer step", found }),
            };
        }
        if growth > layout::MOST_GROWTH {
            let found = u32::try_from(growth).unwrap_or(u32::MAX);
            return Err(TableError::Field { name: "growth of normalized text", found });
        }
        if maps > 1 {
            return Err(TableError::Field { name: "character maps of the normalizer", found: maps });
        }
        Ok(())
    }

    /// Fills `out` with the normalised `piece`, which starts at byte `shift` of the original text.
    pub(crate) fn run(&self, piece: &[u8], shift: u32, out: &mut Normalized, other: &mut Normalized) {
        out.clear();
        let mut at = 0;
        // The first step reads the original and needs no copy of it.
        if self.steps.get(0) == Some(step::CHARACTERS) {
            self.map_characters(piece, shift, out);
            at = 1;
        } else {
            out.extend_original(piece, shift);
        }
        while let Some(code) = self.steps.get(at) {
            at += 1 + self.one(code, at + 1, out, other);
        }
    }

    /// One step on `out`; returns the number of its arguments.
    fn one(&self, code: u32, arguments: usize, out: &mut Normalized, other: &mut Normalized) -> usize {
        let string = |index: usize| {
            let offset = self.steps.get(arguments + index).unwrap_or(0) as usize;
            let length = self.steps.get(arguments + index + 1).unwrap_or(0) as usize;
            self.strings.get(offset..offset.saturating_add(length)).unwrap_or(&[])
        };
        match code {
            step::PRECOMPILED => {
                core::mem::swap(out, other);
                out.clear();
                self.precompiled.run(&self.characters, other, out);
                0
            }
            step::STRIP_LEFT => {
                strip_left(out);
                0
            }
            step::STRIP_RIGHT => {
                strip_right(out);
                0
            }
            step::REPLACE | step::REPLACE_RUN => {
                let minimum = self.steps.get(arguments + 4).unwrap_or(1).max(1) as usize;
                let minimum = if code == step::REPLACE { None } else { Some(minimum) };
                if !occurs(&out.text, string(0), minimum.unwrap_or(1)) {
                    return 5;
                }
                core::mem::swap(out, other);
                out.clear();
                replace(other, string(0), string(2), minimum, out);
                5
            }
            step::PREPEND => {
                prepend(out, string(0));
                2
            }
            step::LOWERCASE => {
                core::mem::swap(out, other);
                out.clear();
                lowercase(other, out);
                0
            }
            step::NFC => {
                self.composer.run(out, other);
                0
            }
            _ => 0,
        }
    }

    /// BERT's normaliser and its like: each character alone, except where combining characters change places.
    fn map_characters(&self, piece: &[u8], shift: u32, out: &mut Normalized) {
        // Where the run of combining characters at hand began, in `piece` and in `out`.
        let mut run = (0, 0);
        let mut at = 0;
        out.text.reserve(piece.len());
        out.starts.reserve(piece.len());
        loop {
            let end = self.ascii.run(piece, at);
            if at < end {
                let plain = piece.get(at..end).unwrap_or(&[]);
                out.text.extend(plain.iter().map(|&byte| self.ascii.get(byte)));
                out.starts.extend(shift + at as u32..shift + end as u32);
                run = (end - 1, out.text.len() - 1);
                at = end;
            }
            let Some((point, length)) = decode(piece, at) else { break };
            let mapping = self.characters.of(point);
            let start = shift + at as u32;
            if mapping.is_identity() {
                run = (at, out.text.len());
                match piece.get(at..at + length) {
                    Some(&[byte]) => out.push(byte, start),
                    bytes => out.extend(bytes.unwrap_or(&[]), start),
                }
            } else {
                if mapping.reorders() {
                    out.truncate(run.1);
                    at = self.map_run(piece, run.0, shift, out);
                    run = (at, out.text.len());
                    continue;
                }
                if !mapping.continues() {
                    run = (at, out.text.len());
                }
                match self.characters.output(mapping) {
                    &[byte] => out.push(byte, start),
                    bytes => out.extend(bytes, start),
                }
            }
            at += length;
        }
    }

    /// Maps the run of combining characters that starts at `from` the slow way; returns where it ends.
    ///
    /// **Source**: the reference sorts decomposed characters by combining class and lets each that replaces a
    /// character take the next original position in turn, so positions do not move with the characters.
    fn map_run(&self, piece: &[u8], from: usize, shift: u32, out: &mut Normalized) -> usize {
        let mut elements: Vec<(u8, u32, bool)> = Vec::new();
        let mut positions: Vec<u32> = Vec::new();
        let mut at = from;
        while let Some((point, length)) = decode(piece, at) {
            let mapping = self.characters.of(point);
            let decomposition = self.marks.decomposition(point);
            let first_in_run = at == from;
            let begins = !mapping.continues();
            if begins && !first_in_run {
                break;
            }
            let start = shift + at as u32;
            at += length;
            match decomposition {
                Some(parts) => {
                    positions.push(start);
                    elements.extend(parts.enumerate().map(|(i, (order, point))| (order, point, i == 0)));
                }
                // Starters alone, or dropped before decomposition: nothing of it can move.
                None if mapping.is_identity() => out.push_point(point, start),
                None => out.extend(self.characters.output(mapping), start),
            }
        }
        elements.sort_by_key(|element| element.0);
        let mut next = positions.iter();
        let mut position = out.starts.last().copied().unwrap_or(NONE);
        for (_, point, replaces) in elements {
            if replaces {
                position = next.next().copied().unwrap_or(position);
            }
            let mapping = self.characters.of(point);
            if mapping.is_identity() {
                out.push_point(point, position);
            } else {
                out.extend(self.characters.output(mapping), position);
            }
        }
        at
    }
}

fn strip_left(out: &mut Normalized) {
    let mut at = 0;
    while let Some((point, length)) = decode(&out.text, at) {
        if !is_white(point) {
            break;
        }
        at += length;
    }
    out.text.drain(..at);
    out.starts.drain(..at);
}

fn strip_right(out: &mut Normalized) {
    let mut end = out.text.len();
    while let Some((point, start)) = decode_before(&out.text, end) {
        if !is_white(point) {
            break;
        }
        end = start;
    }
    out.truncate(end);
}

/// Whether `pattern` occurs at least `minimum` times in a row anywhere. Runs of one byte, usually a space, are sought
/// without looking at each place afresh.
fn occurs(text: &[u8], pattern: &[u8], minimum: usize) -> bool {
    match pattern {
        [] => false,
        &[byte] => {
            let mut run = 0;
            text.iter().any(|&found| {
                run = if found == byte { run + 1 } else { 0 };
                run >= minimum
            })
        }
        _ => text.windows(pattern.len()).any(|window| window == pattern),
    }
}

/// Replaces every occurrence of `pattern`, or every run of at least `minimum` of them.
///
/// The replacement takes the position of the last character it replaces, as in the reference.
fn replace(from: &Normalized, pattern: &[u8], with: &[u8], minimum: Option<usize>, out: &mut Normalized) {
    let mut at = 0;
    while at < from.text.len() {
        let mut repeats = 0;
        let mut end = at;
        if !pattern.is_empty() {
            while from.text.get(end..).is_some_and(|rest| rest.starts_with(pattern)) {
                repeats += 1;
                end += pattern.len();
                if minimum.is_none() {
                    break;
                }
            }
        }
        if repeats >= minimum.unwrap_or(1) {
            out.extend(with, from.starts.get(end - 1).copied().unwrap_or(NONE));
            at = end;
        } else {
            // On to where the pattern may begin again.
            let after = end.max(at + 1);
            let rest = from.text.get(after..).unwrap_or(&[]);
            let until = rest.iter().position(|byte| Some(byte) == pattern.first()).unwrap_or(rest.len());
            let next = after + until;
            out.text.extend_from_slice(from.text.get(at..next).unwrap_or(&[]));
            out.starts.extend_from_slice(from.starts.get(at..next).unwrap_or(&[]));
            at = next;
        }
    }
}

/// Puts `prefix` in front, at the position of the first character. Nothing stays nothing.
pub(crate) fn prepend(out: &mut Normalized, prefix: &[u8]) {
    if let Some(&start) = out.starts.first() {
        out.text.splice(0..0, prefix.iter().copied());
        out.starts.splice(0..0, core::iter::repeat_n(start, prefix.len()));
    }
}

fn lowercase(from: &Normalized, out: &mut Normalized) {
    let mut at = 0;
    while let Some((point, length)) = decode(&from.text, at) {
        let start = from.starts.get(at).copied().unwrap_or(NONE);
        if point < 0x80 {
            out.push((point as u8).to_ascii_lowercase(), start);
        } else if let Some(character) = char::from_u32(point) {
            character.to_lowercase().for_each(|lower| out.push_point(u32::from(lower), start));
        }
        at += length;
    }
}

/// A piece of text as the pre-tokenizer and the model see it, and the way back to the original.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'t> {
    pub(crate) text: &'t [u8],
    /// Original start of each byte's character; nothing if the text is the original.
    pub(crate) starts: Option<&'t [u32]>,
    /// Where the piece begins in the original.
    pub(crate) shift: u32,
    pub(crate) original: &'t [u8],
}

impl<'t> View<'t> {
    /// The part `start..end`, where offsets into the part are as before relative to its own start.
    pub(crate) fn part(&self, start: usize, end: usize) -> View<'t> {
        let text = self.text.get(start..end).unwrap_or(&[]);
        match self.starts {
            Some(starts) => {
                let starts = starts.get(start..end).unwrap_or(&[]);
                let shift = starts.first().copied().filter(|&first| first != NONE).unwrap_or(self.shift);
                View { text, starts: Some(starts), shift, original: self.original }
            }
            None => View { text, starts: None, shift: self.shift + start as u32, original: self.original },
        }
    }

    /// Appends the part `start..end` to `out`.
    #[inline(always)]
    pub(crate) fn copy(&self, start: usize, end: usize, out: &mut Normalized) {
        let text = self.text.get(start..end).unwrap_or(&[]);
        match self.starts {
            Some(starts) => out.extend_from(text, starts.get(start..end).unwrap_or(&[])),
            None => out.extend_original(text, self.shift + start as u32),
        }
    }

    /// The original start of the character byte `at` belongs to.
    #[inline(always)]
    pub(crate) fn start_of(&self, at: usize) -> u32 {
        match self.starts {
            Some(starts) => starts.get(at).copied().unwrap_or(NONE),
            None => self.shift + floor(self.text, at),
        }
    }

    /// The original range of the bytes `start..end` of the view (`start < end`).
    #[inline(always)]
    pub(crate) fn range(&self, start: usize, end: usize) -> (u32, u32) {
        match self.starts {
            Some(starts) => {
                let first = starts.get(start).copied().unwrap_or(NONE);
                let last = starts.get(end.wrapping_sub(1)).copied().unwrap_or(NONE);
                // NONE: inserted ahead of the piece's first character, an empty range at its start.
                let end = match self.original.get(last as usize) {
                    Some(&byte) => last + width(byte) as u32,
                    None => self.shift,
                };
                (if first == NONE { self.shift } else { first }, end)
            }
            None => (self.shift + floor(self.text, start), self.shift + ceil(self.text, end)),
        }
    }
}

/// The start of the character that byte `at` belongs to.
#[inline(always)]
fn floor(text: &[u8], mut at: usize) -> u32 {
    while at > 0 && text.get(at).is_some_and(|b| b & 0xc0 == 0x80) {
        at -= 1;
    }
    at as u32
}

/// The end of the character that byte `at - 1` belongs to.
#[inline(always)]
fn ceil(text: &[u8], mut at: usize) -> u32 {
    while text.get(at).is_some_and(|b| b & 0xc0 == 0x80) {
        at += 1;
    }
    at as u32
}
