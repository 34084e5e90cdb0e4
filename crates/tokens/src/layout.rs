//! The numbers of the table format, shared with the crate that writes tables. `docs/tokens.md` explains each.

/// First eight bytes of every table.
pub const MAGIC: [u8; 8] = *b"LACTOKEN";
/// Raised whenever a reader of the old layout would misread the new one.
pub const VERSION: u32 = 1;
/// Fixed fields in front of the section directory.
pub const HEADER_BYTES: usize = 64;
/// One directory entry: offset and length, both u32.
pub const DIRECTORY_ENTRY_BYTES: usize = 8;
/// Sections start at multiples of this.
pub const ALIGNMENT: usize = 8;
/// "No id", "no node".
pub const NONE: u32 = u32::MAX;

/// Byte offsets of the header's fields.
pub mod field {
    pub const VERSION: usize = 8;
    pub const BYTES: usize = 12;
    pub const MODEL: usize = 16;
    pub const PRE_TOKENIZER: usize = 17;
    pub const DECODER: usize = 18;
    pub const FLAGS: usize = 20;
    pub const VOCABULARY: usize = 24;
    pub const UNKNOWN: usize = 28;
    pub const MAX_WORD_CHARS: usize = 32;
    pub const CONTINUING_NODE: usize = 36;
    pub const UNKNOWN_SCORE: usize = 40;
    pub const REPLACEMENT: usize = 48;
    pub const SECTIONS: usize = 52;
    pub const MERGE_SLOTS: usize = 56;
    pub const PREFIX_BYTES: usize = 60;
}

/// Values of the model byte.
pub mod model {
    pub const WORDPIECE: u8 = 1;
    pub const UNIGRAM: u8 = 2;
    pub const BPE: u8 = 3;
}

/// Values of the pre-tokenizer byte.
pub mod pre_tokenizer {
    pub const NONE: u8 = 0;
    pub const BERT: u8 = 1;
    pub const METASPACE: u8 = 2;
    pub const GPT2: u8 = 3;
    pub const LLAMA3: u8 = 4;
    pub const QWEN2: u8 = 5;
    pub const SMOLLM: u8 = 6;
}

/// Values of the decoder byte.
pub mod decoder {
    pub const SPACES: u8 = 0;
    pub const WORDPIECE: u8 = 1;
    pub const METASPACE: u8 = 2;
    pub const BYTES: u8 = 3;
    pub const SENTENCEPIECE: u8 = 4;
}

/// Bits of the header's flags.
pub mod flag {
    /// WordPiece decoder: remove the space before punctuation and contractions.
    pub const CLEANUP: u32 = 1;
    /// Metaspace: put the replacement in front of every piece, or of the first only.
    pub const PREPEND_ALWAYS: u32 = 1 << 1;
    pub const PREPEND_FIRST: u32 = 1 << 2;
    /// Metaspace: cut in front of every replacement character.
    pub const SPLIT: u32 = 1 << 3;
    /// White space separates words and is dropped, ahead of Metaspace.
    pub const WHITESPACE_SPLIT: u32 = 1 << 4;
    /// Byte-level: a piece that does not start with a space gets one.
    pub const PREFIX_SPACE: u32 = 1 << 5;
    /// Byte-level post-processor: ranges leave out the spaces at either end of a token.
    pub const TRIM_OFFSETS: u32 = 1 << 6;
    /// The trimming post-processor's own `add_prefix_space`.
    pub const TRIM_KEEPS_FIRST: u32 = 1 << 7;
    /// Characters without a token become `<0xNN>` tokens.
    pub const BYTE_FALLBACK: u32 = 1 << 8;
    /// BPE: a word that is a token is that token, whatever its merges say.
    pub const IGNORE_MERGES: u32 = 1 << 9;
    /// BPE: neighbouring unknown characters become one unknown token.
    pub const FUSE_UNKNOWN: u32 = 1 << 10;
    /// BPE on characters (SentencePiece style) and not on bytes.
    pub const CHARACTERS: u32 = 1 << 11;
    /// Decoding drops the prefix space of the first token (Metaspace, SentencePiece).
    pub const DECODE_STRIPS_FIRST: u32 = 1 << 12;
}

/// Indices of the sections in the directory.
pub mod section {
    pub const PIECE_OFFSETS: usize = 0;
    pub const PIECE_BYTES: usize = 1;
    pub const PIECE_FLAGS: usize = 2;
    pub const TRIE_NODES: usize = 3;
    pub const TRIE_LABELS: usize = 4;
    pub const TRIE_WIDE: usize = 5;
    pub const SCORES: usize = 6;
    pub const MERGES: usize = 7;
    pub const UNITS: usize = 8;
    pub const CLASS_INDEX: usize = 9;
    pub const CLASS_BLOCKS: usize = 10;
    pub const CHAR_INDEX: usize = 11;
    pub const CHAR_BLOCKS: usize = 12;
    pub const CHAR_POOL: usize = 13;
    pub const MARKS: usize = 14;
    pub const MARK_ELEMENTS: usize = 15;
    pub const CHARSMAP: usize = 16;
    pub const NORMALIZER: usize = 17;
    pub const ADDED: usize = 18;
    pub const ADDED_BYTES: usize = 19;
    pub const ADDED_RAW: usize = 20;
    pub const ADDED_NORMALIZED: usize = 23;
    pub const TEMPLATE: usize = 26;
    pub const COMPOSITIONS: usize = 27;
    pub const COUNT: usize = 28;
}

/// Bits of a piece's flag byte.
pub mod piece {
    /// The id exists.
    pub const PRESENT: u8 = 1;
    /// Skipped by a decoder that leaves out special tokens.
    pub const SPECIAL: u8 = 2;
    /// Declared in the added tokens.
    pub const ADDED: u8 = 4;
    /// `<0xNN>`: the piece stands for one byte, its value is in the piece's bytes.
    pub const BYTE: u8 = 8;
    /// Unigram, BPE: the model makes this one token of the piece's own bytes.
    pub const WHOLE: u8 = 16;
}

/// Bits of a character class.
pub mod class {
    pub const WHITE: u8 = 1;
    pub const BERT_PUNCTUATION: u8 = 2;
    pub const LETTER: u8 = 4;
    pub const NUMBER: u8 = 8;
    pub const WORD: u8 = 16;
    /// `char::is_numeric`, which the Digits pre-tokenizer asks.
    pub const NUMERIC: u8 = 32;
    /// Canonical composition leaves text of such characters as it is.
    pub const COMPOSED: u8 = 64;
    /// A grapheme of its own next to any other such character.
    pub const LONE: u8 = 128;
}

/// Bits of a character map entry: `offset << 11 | length << 3 | bits`; zero maps a character to itself.
pub mod charmap {
    pub const MAPPED: u32 = 1;
    /// The output holds a combining character that survives: order matters, take the slow path.
    pub const REORDERS: u32 = 1 << 1;
    /// Does not begin a run of combining characters: itself combining, or dropped before decomposition.
    pub const CONTINUES: u32 = 1 << 2;
}

/// Normaliser steps: a word with the code, then its arguments.
pub mod step {
    /// The character map, one character at a time, with reordering of combining marks if MARKS is filled.
    pub const CHARACTERS: u32 = 1;
    /// SentencePiece's precompiled map over grapheme clusters.
    pub const PRECOMPILED: u32 = 2;
    pub const STRIP_LEFT: u32 = 3;
    pub const STRIP_RIGHT: u32 = 4;
    /// Arguments: pattern offset, pattern length, replacement offset, replacement length (in ADDED_BYTES),
    /// minimum number of repetitions; at least that many of the pattern in a row become one replacement
    /// (1 and "once": every single occurrence).
    pub const REPLACE: u32 = 5;
    pub const REPLACE_RUN: u32 = 6;
    /// Arguments: offset, length (in ADDED_BYTES).
    pub const PREPEND: u32 = 7;
    pub const LOWERCASE: u32 = 8;
    /// Canonical composition.
    pub const NFC: u32 = 9;
}

/// One added token: `id, flags, content offset, content length` (u32 each).
pub mod added {
    pub const RECORD_WORDS: usize = 4;
    pub const SINGLE_WORD: u32 = 1;
    pub const LSTRIP: u32 = 2;
    pub const RSTRIP: u32 = 4;
    pub const NORMALIZED: u32 = 8;
    pub const SPECIAL: u32 = 16;
}

/// A trie node is a u64: children (8 bits), first child (24), value + 1 or 0 (24), label of the first child (8). Nodes
/// with at least this many children hold an index into TRIE_WIDE in place of the first child, and this count.
pub const WIDE_CHILDREN: u32 = 5;
/// Words of one wide record: first child, running counts (3 bytes), then 256 bits.
pub const WIDE_WORDS: usize = 10;
/// Bytes of a token, at most: readers look no further ahead, so time stays linear whatever a table holds. The longest
/// tokens of known vocabularies are runs of 128 spaces or dashes.
pub const LONGEST_PIECE: usize = 1024;
/// Steps of a normaliser, and how many times longer its replacements may make a text. Real ones have four steps, and
/// `\u{2581}` for a space is three times as long.
pub const MOST_STEPS: usize = 32;
pub const MOST_GROWTH: usize = 64;
/// Bytes of a string in a normaliser, and of what the precompiled map makes of one cluster.
pub const LONGEST_STRING: usize = 255;
/// Slots that a search for a merge looks at. Writers add slots until every pair is found within.
pub const MOST_PROBES: usize = 64;
/// Bits of a code point that index inside a block of a two-stage map.
pub const BLOCK_BITS: u32 = 7;
