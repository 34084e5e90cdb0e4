//! A vocabulary on its way into a table, whatever file it came from.

use crate::error::{Error, field};
use crate::trie;
use crate::writer::Writer;
use std::collections::{HashMap, HashSet};
use tokens::layout::{self, NONE, added, decoder, field as at, model, piece, section};
use tokens::{Encoding, Tokenizer};

/// What an unknown character scores below the worst piece.
///
/// **Source**: `K_UNK_PENALTY` of the tokenizers crate and SentencePiece's `kUnkPenalty`.
pub(crate) const UNKNOWN_PENALTY: f64 = 10.0;

/// Ids up to this: the largest vocabularies have 2^18.
const MOST_IDS: usize = 1 << 22;

/// A pair of ids that join.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merge {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) rank: u32,
    pub(crate) joined: u32,
}

/// An added token.
#[derive(Clone, Debug)]
pub(crate) struct Added {
    pub(crate) id: u32,
    pub(crate) content: String,
    /// Bits of `layout::added`.
    pub(crate) flags: u32,
}

/// Tokens by id and what the model needs beside them.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    model: u8,
    tokens: Vec<Option<String>>,
    ids: HashMap<String, u32>,
    /// Tokens are written in the byte alphabet.
    pub(crate) byte_level: bool,
    pub(crate) prefix: Option<String>,
    pub(crate) scores: Vec<f64>,
    pub(crate) merges: Vec<Merge>,
    pub(crate) unknown: Option<u32>,
    /// The 256 byte tokens: of the alphabet, or `<0xNN>`.
    pub(crate) units: Vec<Option<u32>>,
}

impl Vocabulary {
    pub(crate) fn new(model: u8) -> Self {
        Self { model, ..Self::default() }
    }

    /// Adds a token; of two with the same text the later counts.
    pub(crate) fn insert(&mut self, token: &str, id: usize) -> Result<(), Error> {
        if id >= MOST_IDS {
            return Err(Error::TooLarge { what: "as an id", found: id, limit: MOST_IDS - 1 });
        }
        if self.tokens.len() <= id {
            self.tokens.resize(id + 1, None);
        }
        if let Some(other) = self.tokens[id].replace(token.into()) {
            return Err(field("model.vocab", format!("{other:?} and {token:?} both have id {id}")));
        }
        self.ids.insert(token.into(), id as u32);
        Ok(())
    }

    pub(crate) fn id(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    /// The number of distinct tokens, as the reference counts: a Unigram list counts every entry.
    pub(crate) fn len(&self) -> usize {
        if self.model == model::UNIGRAM { self.tokens.len() } else { self.ids.len() }
    }

    /// The merge of two tokens; the error is the token that is missing.
    pub(crate) fn merge(&self, left: &str, right: &str, rank: usize) -> Result<Merge, String> {
        let id = |token: &str| self.id(token).ok_or_else(|| token.to_string());
        let joined = [left, right].concat();
        Ok(Merge { left: id(left)?, right: id(right)?, rank: rank as u32, joined: id(&joined)? })
    }

    /// The tokens of the 256 bytes in the byte alphabet. A byte without one is left out of what is encoded, as the
    /// reference does: SmolLM's vocabulary lacks some control characters.
    pub(crate) fn use_byte_alphabet(&mut self) {
        self.units = alphabet().iter().map(|c| self.id(c.encode_utf8(&mut [0; 4]))).collect();
    }

    /// Writes everything and closes the table.
    pub(crate) fn finish(self, added: Vec<Added>, mut writer: Writer) -> Result<Vec<u8>, Error> {
        writer.byte(at::MODEL, self.model);
        self.write_trie(&mut writer)?;
        self.write_model(&mut writer)?;
        let ids = added.iter().map(|token| token.id as usize + 1).max().unwrap_or(0).max(self.tokens.len());
        writer.word(at::VOCABULARY, ids as u32);
        let normalized = normalized_contents(&added, ids, &writer)?;
        write_added(&added, &normalized, &mut writer)?;
        self.write_pieces(ids, &added, &normalized, &mut writer);
        let mut table = writer.finish()?;
        if self.model != model::WORDPIECE {
            self.mark_whole(&mut table)?;
        }
        // What cannot be read is not written: a limit that only readers know still ends here.
        Tokenizer::from_table(&table).map_err(|e| field("(table)", e.to_string()))?;
        Ok(table)
    }

    /// The bytes a token stands for in text.
    fn bytes(&self, token: &str) -> Option<Vec<u8>> {
        if self.byte_level { alphabet_bytes(token) } else { Some(token.as_bytes().to_vec()) }
    }

    fn write_trie(&self, writer: &mut Writer) -> Result<(), Error> {
        let keys: Vec<(Vec<u8>, u32)> = self
            .tokens
            .iter()
            .enumerate()
            .filter_map(|(id, token)| Some((self.bytes(token.as_deref()?)?, id as u32)))
            .collect();
        let mut keys: Vec<(&[u8], u32)> = keys.iter().map(|(key, id)| (&key[..], *id)).collect();
        let sections = trie::build(&mut keys)?;
        if let Some(prefix) = &self.prefix {
            writer.word(at::CONTINUING_NODE, sections.find(prefix.as_bytes()).unwrap_or(NONE));
        }
        writer.trie(section::TRIE_NODES, sections);
        Ok(())
    }

    fn write_model(&self, writer: &mut Writer) -> Result<(), Error> {
        if self.model == model::UNIGRAM {
            writer.section(section::SCORES, self.scores.iter().flat_map(|s| s.to_le_bytes()).collect());
        }
        if !self.units.is_empty() {
            writer.words(section::UNITS, self.units.iter().map(|unit| unit.unwrap_or(NONE)));
        }
        if self.model == model::BPE {
            let slots = merge_slots(&self.merges)?;
            writer.word(at::MERGE_SLOTS, (slots.len() / 4) as u32);
            writer.words(section::MERGES, slots);
        }
        Ok(())
    }

    fn write_pieces(&self, ids: usize, added: &[Added], normalized: &[String], writer: &mut Writer) {
        let mut texts: Vec<Option<&str>> = self.tokens.iter().map(Option::as_deref).collect();
        texts.resize(ids, None);
        let mut flags = vec![0u8; ids];
        let special: HashSet<&str> =
            added.iter().filter(|t| t.flags & added::SPECIAL != 0).map(|t| &t.content[..]).collect();
        for (token, normalized) in added.iter().zip(normalized) {
            // The reference decodes a normalised token as its normalised text.
            let text = if token.flags & added::NORMALIZED != 0 { normalized } else { &token.content };
            texts[token.id as usize] = Some(text);
            flags[token.id as usize] |= piece::ADDED;
        }
        let byte_tokens = writer.byte_at(at::DECODER) == decoder::SENTENCEPIECE;
        let mut offsets = vec![0u32];
        let mut bytes = Vec::new();
        for (text, flags) in texts.iter().zip(&mut flags) {
            if let Some(text) = text {
                *flags |= piece::PRESENT;
                if special.contains(text) {
                    *flags |= piece::SPECIAL;
                }
                match byte_token(text).filter(|_| byte_tokens) {
                    Some(byte) => {
                        *flags |= piece::BYTE;
                        bytes.push(byte);
                    }
                    None => bytes.extend(self.bytes(text).unwrap_or_else(|| text.as_bytes().to_vec())),
                }
            }
            offsets.push(bytes.len() as u32);
        }
        writer.words(section::PIECE_OFFSETS, offsets);
        writer.section(section::PIECE_BYTES, bytes);
        writer.section(section::PIECE_FLAGS, flags);
    }

    /// Marks the pieces that the model makes of their own bytes: words that are such a piece need no search.
    fn mark_whole(&self, table: &mut [u8]) -> Result<(), Error> {
        let whole: Vec<bool> = {
            let tokenizer = Tokenizer::from_table(table).map_err(|e| field("(table)", e.to_string()))?;
            let mut encoding = Encoding::new();
            self.tokens
                .iter()
                .map(|token| {
                    let bytes = token.as_deref().and_then(|token| self.bytes(token));
                    bytes.is_some_and(|bytes| {
                        !bytes.is_empty() && tokenizer.arrives_whole(&bytes, &mut encoding)
                    })
                })
                .collect()
        };
        let entry = layout::HEADER_BYTES + section::PIECE_FLAGS * layout::DIRECTORY_ENTRY_BYTES;
        let offset = table[entry..entry + 4].first_chunk().map_or(0, |b| u32::from_le_bytes(*b)) as usize;
        for (flags, whole) in table[offset..].iter_mut().zip(whole) {
            if whole {
                *flags |= piece::WHOLE;
            }
        }
        Ok(())
    }
}

/// The contents as they are sought in normalised text.
fn normalized_contents(added: &[Added], ids: usize, writer: &Writer) -> Result<Vec<String>, Error> {
    if added.iter().all(|token| token.flags & added::NORMALIZED == 0) {
        return Ok(added.iter().map(|token| token.content.clone()).collect());
    }
    let mut draft = writer.clone();
    draft.words(section::PIECE_OFFSETS, vec![0; ids + 1]);
    draft.section(section::PIECE_FLAGS, vec![0; ids]);
    let table = draft.finish()?;
    let tokenizer = Tokenizer::from_table(&table).map_err(|e| field("(table)", e.to_string()))?;
    Ok(added
        .iter()
        .map(|token| match token.flags & added::NORMALIZED {
            0 => token.content.clone(),
            _ => tokenizer.normalize(&token.content),
        })
        .collect())
}

fn write_added(added: &[Added], normalized: &[String], writer: &mut Writer) -> Result<(), Error> {
    let mut records = Vec::new();
    let (mut raw, mut after) = (Vec::new(), Vec::new());
    for (index, (token, normalized)) in added.iter().zip(normalized).enumerate() {
        let (offset, length) = writer.string(token.content.as_bytes());
        records.extend([token.id, token.flags, offset, length]);
        if token.flags & added::NORMALIZED == 0 {
            raw.push((token.content.as_bytes(), index as u32));
        } else if !normalized.is_empty() {
            after.push((normalized.as_bytes(), index as u32));
        }
    }
    writer.words(section::ADDED, records);
    writer.trie(section::ADDED_RAW, trie::build(&mut raw)?);
    writer.trie(section::ADDED_NORMALIZED, trie::build(&mut after)?);
    Ok(())
}

/// Open addressing with at most half the slots taken: left, right, rank, joined.
fn merge_slots(merges: &[Merge]) -> Result<Vec<u32>, Error> {
    let least = (2 * merges.len()).next_power_of_two().max(4);
    // Doubled while a pair would lie further from its place than readers look.
    for slots in [least, 2 * least, 4 * least] {
        if let Some(words) = placed(merges, slots) {
            return Ok(words);
        }
    }
    Err(Error::TooLarge {
        what: "merges that fall together",
        found: merges.len(),
        limit: layout::MOST_PROBES,
    })
}

fn placed(merges: &[Merge], slots: usize) -> Option<Vec<u32>> {
    let mut words = vec![NONE; 4 * slots];
    for merge in merges {
        let first = tokens::merge_slot(merge.left, merge.right, slots);
        let places = (first..first + layout::MOST_PROBES).map(|at| at & (slots - 1));
        let at = places.into_iter().find(|&at| words[4 * at] == NONE)?;
        words[4 * at..4 * at + 4].copy_from_slice(&[merge.left, merge.right, merge.rank, merge.joined]);
    }
    Some(words)
}

/// `<0xNN>`: the byte.
fn byte_token(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// The character that stands for each byte in byte-level vocabularies.
///
/// **Source**: `bytes_to_unicode` in GPT-2's encoder: printable Latin-1 stands for itself, the rest from U+0100 on.
pub(crate) fn alphabet() -> [char; 256] {
    let mut next = 0x100;
    std::array::from_fn(|byte| {
        let printable = matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
        let point = if printable {
            byte as u32
        } else {
            next += 1;
            next - 1
        };
        char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)
    })
}

/// The bytes of a token in the byte alphabet; nothing if it has other characters.
pub(crate) fn alphabet_bytes(token: &str) -> Option<Vec<u8>> {
    token
        .chars()
        .map(|c| match u32::from(c) {
            point @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => Some(point as u8),
            point @ 0x100..=0x120 => Some((point - 0x100) as u8),
            point @ 0x121..=0x142 => Some((point - 0x121 + 0x7f) as u8),
            0x143 => Some(0xad),
            _ => None,
        })
        .collect()
}
