//! Characters of UTF-8 bytes, and the two-stage maps from code points to classes and to normalised text.

use crate::layout::{self, BLOCK_BITS, charmap, class, section};
use crate::table::{Halves, Table, Words};

/// Length of the UTF-8 character that starts with `first` (1 for a stray continuation byte).
#[inline(always)]
pub(crate) fn width(first: u8) -> usize {
    match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// The code point at `at` and its length; bytes that are not UTF-8 give U+FFFD and 1.
#[inline(always)]
pub(crate) fn decode(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let first = *text.get(at)?;
    if first < 0x80 {
        return Some((u32::from(first), 1));
    }
    Some(decode_long(text, at, first).unwrap_or((0xfffd, 1)))
}

#[inline]
fn decode_long(text: &[u8], at: usize, first: u8) -> Option<(u32, usize)> {
    let next = |index: usize| text.get(at + index).map(|b| u32::from(b & 0x3f));
    let first32 = u32::from(first);
    match first {
        0xc0..0xe0 => Some(((first32 & 0x1f) << 6 | next(1)?, 2)),
        0xe0..0xf0 => Some(((first32 & 0x0f) << 12 | next(1)? << 6 | next(2)?, 3)),
        0xf0..=0xff => Some(((first32 & 7) << 18 | next(1)? << 12 | next(2)? << 6 | next(3)?, 4)),
        _ => None,
    }
}

/// The code point that ends at `end`, and where it starts.
pub(crate) fn decode_before(text: &[u8], end: usize) -> Option<(u32, usize)> {
    let mut start = end.checked_sub(1)?;
    while start > 0 && end - start < 4 && text.get(start)? & 0xc0 == 0x80 {
        start -= 1;
    }
    let (point, _) = decode(text, start)?;
    Some((point, start))
}

/// `char::is_whitespace` of a code point.
pub(crate) fn is_white(point: u32) -> bool {
    char::from_u32(point).is_some_and(char::is_whitespace)
}

/// ASCII characters: one block of a two-stage map.
pub(crate) const ASCII: usize = 128;
const _: () = assert!(ASCII == 1 << BLOCK_BITS);

/// What an ASCII byte becomes where that is one byte; above ASCII, what needs a closer look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsciiMap([u8; ASCII]);

impl AsciiMap {
    pub(crate) const CLOSER: u8 = 0xff;

    /// A map of ASCII bytes for which `of` gives an ASCII byte, or nothing.
    pub(crate) fn new(of: impl Fn(u8) -> Option<u8>) -> Self {
        Self(core::array::from_fn(|byte| of(byte as u8).filter(u8::is_ascii).unwrap_or(Self::CLOSER)))
    }

    #[inline(always)]
    pub(crate) fn get(&self, byte: u8) -> u8 {
        if byte.is_ascii() { self.0[usize::from(byte)] } else { Self::CLOSER }
    }

    /// The end of the run from `at` of bytes that the map has.
    #[inline(always)]
    pub(crate) fn run(&self, text: &[u8], at: usize) -> usize {
        let rest = text.get(at..).unwrap_or(&[]);
        at + rest.iter().position(|&byte| self.get(byte) == Self::CLOSER).unwrap_or(rest.len())
    }
}

/// Classes of all code points (bits of `layout::class`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classes<'a> {
    index: Halves<'a>,
    blocks: &'a [u8],
    /// Of the first block, which most text stays in.
    ascii: [u8; ASCII],
}

impl<'a> Classes<'a> {
    pub(crate) fn new(table: &Table<'a>) -> Self {
        let index = Halves::new(table.section(section::CLASS_INDEX));
        let blocks = table.section(section::CLASS_BLOCKS);
        let start = usize::from(index.get(0).unwrap_or(0)) << BLOCK_BITS;
        let ascii = blocks.get(start..).and_then(|block| block.first_chunk()).copied();
        Self { index, blocks, ascii: ascii.unwrap_or([0; ASCII]) }
    }

    #[inline(always)]
    pub(crate) fn of(&self, point: u32) -> u8 {
        if point < ASCII as u32 {
            return self.of_ascii(point as u8);
        }
        let block = self.index.get((point >> BLOCK_BITS) as usize).unwrap_or(0);
        let at = (usize::from(block) << BLOCK_BITS) | (point as usize & ((1 << BLOCK_BITS) - 1));
        self.blocks.get(at).copied().unwrap_or(0)
    }

    /// The class of an ASCII character.
    #[inline(always)]
    pub(crate) fn of_ascii(&self, byte: u8) -> u8 {
        self.ascii[usize::from(byte) & (ASCII - 1)]
    }

    /// Class and length of the character at `at`.
    #[inline(always)]
    pub(crate) fn at(&self, text: &[u8], at: usize) -> Option<(u8, usize)> {
        let (point, length) = decode(text, at)?;
        Some((self.of(point), length))
    }

    pub(crate) fn is_word(&self, point: u32) -> bool {
        self.of(point) & class::WORD != 0
    }
}

/// What a character becomes, from CHAR_INDEX, CHAR_BLOCKS and CHAR_POOL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CharMap<'a> {
    index: Halves<'a>,
    blocks: Words<'a>,
    pool: &'a [u8],
}

/// One entry of the character map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping(u32);

impl Mapping {
    #[inline(always)]
    pub(crate) fn is_identity(self) -> bool {
        self.0 & charmap::MAPPED == 0
    }

    pub(crate) fn reorders(self) -> bool {
        self.0 & charmap::REORDERS != 0
    }

    pub(crate) fn continues(self) -> bool {
        self.0 & charmap::CONTINUES != 0
    }
}

impl<'a> CharMap<'a> {
    pub(crate) fn new(table: &Table<'a>) -> Self {
        Self {
            index: Halves::new(table.section(section::CHAR_INDEX)),
            blocks: table.words(section::CHAR_BLOCKS),
            pool: table.section(section::CHAR_POOL),
        }
    }

    #[inline(always)]
    pub(crate) fn of(&self, point: u32) -> Mapping {
        let block = self.index.get((point >> BLOCK_BITS) as usize).unwrap_or(0);
        let at = (usize::from(block) << BLOCK_BITS) | (point as usize & ((1 << BLOCK_BITS) - 1));
        Mapping(self.blocks.get(at).unwrap_or(0))
    }

    /// ASCII characters that become one ASCII character, in whatever neighbourhood.
    pub(crate) fn ascii(&self) -> AsciiMap {
        AsciiMap::new(|byte| {
            let mapping = self.of(u32::from(byte));
            if mapping.is_identity() {
                return Some(byte);
            }
            match self.output(mapping) {
                &[output] if !mapping.reorders() && !mapping.continues() => Some(output),
                _ => None,
            }
        })
    }

    /// The output of a mapped character.
    #[inline(always)]
    pub(crate) fn output(&self, mapping: Mapping) -> &'a [u8] {
        let start = (mapping.0 >> 11) as usize;
        let length = (mapping.0 >> 3 & 0xff) as usize;
        self.pool.get(start..start + length).unwrap_or(&[])
    }
}

/// Decompositions and combining classes of the characters whose order can matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks<'a> {
    /// Sorted pairs: code point, `first element << 8 | elements`.
    points: Words<'a>,
    /// `combining class << 24 | code point`.
    elements: Words<'a>,
}

impl<'a> Marks<'a> {
    pub(crate) fn new(table: &Table<'a>) -> Self {
        Self { points: table.words(section::MARKS), elements: table.words(section::MARK_ELEMENTS) }
    }

    /// The decomposition of `point` as (combining class, code point); nothing if it has starters only.
    pub(crate) fn decomposition(&self, point: u32) -> Option<impl Iterator<Item = (u8, u32)> + use<'a>> {
        let (mut low, mut high) = (0, self.points.len() / 2);
        while low < high {
            let middle = (low + high) / 2;
            let found = self.points.get(2 * middle)?;
            if found == point {
                let place = self.points.get(2 * middle + 1)?;
                let first = (place >> 8) as usize;
                let elements = self.elements;
                return Some(
                    (first..first + (place & 0xff) as usize)
                        .filter_map(move |i| elements.get(i))
                        .map(|e| ((e >> 24) as u8, e & 0xff_ffff)),
                );
            }
            if found < point {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        None
    }
}

const _: () = assert!(layout::section::CHAR_POOL == layout::section::CHAR_BLOCKS + 1);
