//! Puts header, directory and sections together.

use crate::error::Error;
use tokens::layout::{self, field, section};

/// A table in the making: header fields by offset, sections by index.
#[derive(Clone)]
pub(crate) struct Writer {
    header: [u8; layout::HEADER_BYTES],
    sections: Vec<Vec<u8>>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        let mut header = [0; layout::HEADER_BYTES];
        header[..8].copy_from_slice(&layout::MAGIC);
        let mut writer = Self { header, sections: vec![Vec::new(); section::COUNT] };
        writer.word(field::VERSION, layout::VERSION);
        writer.word(field::SECTIONS, section::COUNT as u32);
        writer.word(field::UNKNOWN, layout::NONE);
        writer.word(field::CONTINUING_NODE, layout::NONE);
        let (index, blocks) = crate::classes::sections();
        writer.section(section::CLASS_INDEX, index.to_vec());
        writer.section(section::CLASS_BLOCKS, blocks.to_vec());
        writer
    }

    pub(crate) fn byte(&mut self, offset: usize, value: u8) {
        self.header[offset] = value;
    }

    pub(crate) fn byte_at(&self, offset: usize) -> u8 {
        self.header[offset]
    }

    pub(crate) fn word(&mut self, offset: usize, value: u32) {
        self.header[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn word_at(&self, offset: usize) -> u32 {
        self.header[offset..offset + 4].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    pub(crate) fn f64(&mut self, offset: usize, value: f64) {
        self.header[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn section(&mut self, index: usize, bytes: Vec<u8>) {
        self.sections[index] = bytes;
    }

    pub(crate) fn words(&mut self, index: usize, words: impl IntoIterator<Item = u32>) {
        self.section(index, words.into_iter().flat_map(u32::to_le_bytes).collect());
    }

    pub(crate) fn halves(&mut self, index: usize, halves: &[u16]) {
        self.section(index, halves.iter().flat_map(|h| h.to_le_bytes()).collect());
    }

    /// Appends to ADDED_BYTES and returns where: the home of all short strings of a table.
    pub(crate) fn string(&mut self, bytes: &[u8]) -> (u32, u32) {
        let strings = &mut self.sections[section::ADDED_BYTES];
        let offset = strings.len() as u32;
        strings.extend_from_slice(bytes);
        (offset, bytes.len() as u32)
    }

    /// The three sections of a trie from `first` on.
    pub(crate) fn trie(&mut self, first: usize, trie: crate::trie::TrieSections) {
        self.section(first, trie.nodes);
        self.section(first + 1, trie.labels);
        self.section(first + 2, trie.wide);
    }

    pub(crate) fn finish(mut self) -> Result<Vec<u8>, Error> {
        let mut directory = Vec::new();
        let mut body = Vec::new();
        let start = layout::HEADER_BYTES + section::COUNT * layout::DIRECTORY_ENTRY_BYTES;
        const { assert!((layout::HEADER_BYTES + section::COUNT * 8).is_multiple_of(layout::ALIGNMENT)) };
        for bytes in &self.sections {
            body.resize(body.len().next_multiple_of(layout::ALIGNMENT), 0);
            directory.extend(((start + body.len()) as u32).to_le_bytes());
            directory.extend((bytes.len() as u32).to_le_bytes());
            body.extend_from_slice(bytes);
        }
        let total = start + body.len();
        let length = u32::try_from(total).map_err(|_| Error::TooLarge {
            what: "bytes",
            found: total,
            limit: u32::MAX as usize,
        })?;
        self.word(field::BYTES, length);
        Ok([&self.header[..], &directory, &body].concat())
    }
}
