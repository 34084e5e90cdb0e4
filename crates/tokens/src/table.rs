//! A checked view of a table's bytes: header, directory, and sections read in place.

use crate::layout::{self, field, section};
use core::fmt;

/// Why bytes are not a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableError {
    /// Shorter than the header and directory.
    Short { bytes: usize, needed: usize },
    /// The first eight bytes are something else.
    Magic { found: [u8; 8] },
    /// Written by another version of the format.
    Version { found: u32, known: u32 },
    /// The length in the header is not the length at hand.
    Length { header: u32, bytes: usize },
    /// The directory has another number of sections.
    Sections { found: u32, known: usize },
    /// A section reaches beyond the table, or is not aligned.
    Section { name: &'static str, offset: u32, length: u32, bytes: usize },
    /// A section's size does not fit what the header or another section says.
    Size { name: &'static str, found: usize, expected: usize },
    /// A header field holds a value this version does not know.
    Field { name: &'static str, found: u32 },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { bytes, needed } => {
                write!(f, "token table: {bytes} bytes, header and directory need {needed}")
            }
            Self::Magic { found } => {
                write!(f, "token table: starts with {found:?}, not {:?}", layout::MAGIC)
            }
            Self::Version { found, known } => {
                write!(f, "token table: version {found}, this build reads {known}")
            }
            Self::Length { header, bytes } => {
                write!(f, "token table: header says {header} bytes, there are {bytes}")
            }
            Self::Sections { found, known } => {
                write!(f, "token table: {found} sections, this version has {known}")
            }
            Self::Section { name, offset, length, bytes } => write!(
                f,
                "token table section {name}: offset {offset} and length {length} do not fit {bytes} bytes aligned to {}",
                layout::ALIGNMENT
            ),
            Self::Size { name, found, expected } => {
                write!(f, "token table section {name}: {found} bytes, expected {expected}")
            }
            Self::Field { name, found } => write!(f, "token table field {name}: unknown value {found}"),
        }
    }
}

impl core::error::Error for TableError {}

/// Little-endian u32 numbers in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a>(&'a [[u8; 4]]);

impl<'a> Words<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks::<4>().0)
    }

    #[inline(always)]
    pub(crate) fn get(self, index: usize) -> Option<u32> {
        self.0.get(index).map(|bytes| u32::from_le_bytes(*bytes))
    }

    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u32> + 'a {
        self.0.iter().map(|bytes| u32::from_le_bytes(*bytes))
    }
}

/// Little-endian u16 numbers in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halves<'a>(&'a [[u8; 2]]);

impl<'a> Halves<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks::<2>().0)
    }

    #[inline(always)]
    pub(crate) fn get(self, index: usize) -> Option<u16> {
        self.0.get(index).map(|bytes| u16::from_le_bytes(*bytes))
    }
}

const NAMES: [&str; section::COUNT] = [
    "piece offsets",
    "piece bytes",
    "piece flags",
    "trie nodes",
    "trie labels",
    "trie wide nodes",
    "scores",
    "merges",
    "units",
    "class index",
    "class blocks",
    "character index",
    "character blocks",
    "character pool",
    "marks",
    "mark elements",
    "charsmap",
    "normalizer",
    "added tokens",
    "added bytes",
    "raw added nodes",
    "raw added labels",
    "raw added wide nodes",
    "normalized added nodes",
    "normalized added labels",
    "normalized added wide nodes",
    "template",
    "compositions",
];

/// The header's fields and the sections' bytes, each section known to lie inside the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'a> {
    bytes: &'a [u8],
    /// Directory entries, already checked.
    directory: Words<'a>,
}

impl<'a> Table<'a> {
    /// Checks header and directory: a fixed amount of work, whatever the vocabulary.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, TableError> {
        let needed = layout::HEADER_BYTES + section::COUNT * layout::DIRECTORY_ENTRY_BYTES;
        let Some(head) = bytes.get(..needed) else {
            return Err(TableError::Short { bytes: bytes.len(), needed });
        };
        if !head.starts_with(&layout::MAGIC) {
            let mut found = [0; 8];
            found.copy_from_slice(&head[..8]);
            return Err(TableError::Magic { found });
        }
        let table = Self { bytes, directory: Words::new(&head[layout::HEADER_BYTES..]) };
        let version = table.word(field::VERSION);
        if version != layout::VERSION {
            return Err(TableError::Version { found: version, known: layout::VERSION });
        }
        let length = table.word(field::BYTES);
        if length as usize != bytes.len() {
            return Err(TableError::Length { header: length, bytes: bytes.len() });
        }
        let sections = table.word(field::SECTIONS);
        if sections as usize != section::COUNT {
            return Err(TableError::Sections { found: sections, known: section::COUNT });
        }
        for (index, name) in NAMES.iter().enumerate() {
            table.check_section(index, name)?;
        }
        table.check_sizes()?;
        Ok(table)
    }

    fn check_section(&self, index: usize, name: &'static str) -> Result<(), TableError> {
        let (offset, length) = self.entry(index);
        let end = offset as u64 + length as u64;
        if end > self.bytes.len() as u64 || !(offset as usize).is_multiple_of(layout::ALIGNMENT) {
            return Err(TableError::Section { name, offset, length, bytes: self.bytes.len() });
        }
        Ok(())
    }

    fn check_sizes(&self) -> Result<(), TableError> {
        let vocabulary = self.word(field::VOCABULARY) as usize;
        let model = self.byte(field::MODEL);
        let blocks = 0x11_0000 >> layout::BLOCK_BITS;
        let expect = |index: usize, expected: usize| {
            let found = self.section(index).len();
            if found == expected {
                Ok(())
            } else {
                Err(TableError::Size { name: NAMES[index], found, expected })
            }
        };
        expect(section::PIECE_OFFSETS, vocabulary.saturating_add(1).saturating_mul(4))?;
        expect(section::PIECE_FLAGS, vocabulary)?;
        expect(section::CLASS_INDEX, 2 * blocks)?;
        // Added tokens behind the model's pieces have no score.
        let scores = self.section(section::SCORES).len() / 8;
        expect(
            section::SCORES,
            if model == layout::model::UNIGRAM { 8 * scores.min(vocabulary) } else { 0 },
        )?;
        let slots = if model == layout::model::BPE { self.word(field::MERGE_SLOTS) as usize } else { 0 };
        expect(section::MERGES, slots.saturating_mul(16))?;
        if slots != 0 && !slots.is_power_of_two() {
            return Err(TableError::Field { name: "merge slots", found: slots as u32 });
        }
        Ok(())
    }

    fn entry(&self, index: usize) -> (u32, u32) {
        (self.directory.get(2 * index).unwrap_or(0), self.directory.get(2 * index + 1).unwrap_or(0))
    }

    /// A section's bytes.
    pub(crate) fn section(&self, index: usize) -> &'a [u8] {
        let (offset, length) = self.entry(index);
        self.bytes.get(offset as usize..offset as usize + length as usize).unwrap_or(&[])
    }

    pub(crate) fn words(&self, index: usize) -> Words<'a> {
        Words::new(self.section(index))
    }

    /// A header byte.
    pub(crate) fn byte(&self, offset: usize) -> u8 {
        self.bytes.get(offset).copied().unwrap_or(0)
    }

    /// A header word.
    pub(crate) fn word(&self, offset: usize) -> u32 {
        let bytes = self.bytes.get(offset..offset + 4).and_then(|b| b.first_chunk::<4>());
        bytes.map_or(0, |b| u32::from_le_bytes(*b))
    }

    pub(crate) fn f64(&self, offset: usize) -> f64 {
        let bytes = self.bytes.get(offset..offset + 8).and_then(|b| b.first_chunk::<8>());
        bytes.map_or(0.0, |b| f64::from_le_bytes(*b))
    }
}
