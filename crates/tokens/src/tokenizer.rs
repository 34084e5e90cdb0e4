//! The tokenizer: a table's parts put to work one after the other.

use crate::added::Added;
use crate::bpe::Bpe;
use crate::characters::{CharMap, Classes, Marks, decode};
use crate::compose::Composer;
use crate::encoding::{Encoding, Scratch};
use crate::layout::{self, field, flag, piece, section};
use crate::normalize::{Normalizer, View, prepend};
use crate::precompiled::Precompiled;
use crate::pretokenize;
use crate::table::{Table, TableError, Words};
use crate::trie::Trie;
use crate::unigram::Unigram;
use crate::wordpiece::WordPiece;
use alloc::string::String;

/// A tokenizer over a table that stays where it lies.
///
/// ```
/// # let table = tokens_build::from_tokenizer_json(include_bytes!("../../../testdata/tokenizers/rampart/tokenizer.json")).unwrap();
/// let tokenizer = lacuna_tokens::Tokenizer::from_table(&table).unwrap();
/// let mut encoding = lacuna_tokens::Encoding::new();
/// tokenizer.encode_with_specials("Grüße an Anna", &mut encoding);
/// assert_eq!(encoding.ranges.first(), Some(&(0, 0)));
/// assert!(encoding.special[0] && !encoding.special[1]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tokenizer<'a> {
    model: Model<'a>,
    normalizer: Normalizer<'a>,
    classes: Classes<'a>,
    added: Added<'a>,
    pieces: Pieces<'a>,
    template: Words<'a>,
    pre_tokenizer: u8,
    pub(crate) decoder: u8,
    flags: u32,
    /// Metaspace's replacement character.
    pub(crate) replacement: u32,
    /// Length of the WordPiece decoder's prefix, which leads the table's strings.
    prefix_bytes: u32,
}

#[derive(Clone, Copy, Debug)]
enum Model<'a> {
    WordPiece(WordPiece<'a>),
    Unigram(Unigram<'a>),
    Bpe(Bpe<'a>),
}

/// Where a token came from: the model writes its text in the byte alphabet, added tokens do not.
#[derive(Clone, Copy, Debug)]
enum Whose {
    Model,
    Added,
}

#[derive(Clone, Copy, Debug)]
struct Pieces<'a> {
    offsets: Words<'a>,
    bytes: &'a [u8],
    flags: &'a [u8],
    trie: Trie<'a>,
}

impl<'a> Tokenizer<'a> {
    /// Reads a table in place: checks the header and the directory, a fixed amount of work without an allocation.
    ///
    /// Contents are not checked: a table with damaged contents gives other tokens, never a panic.
    ///
    /// # Errors
    /// Names the field or section and the numbers that do not fit.
    pub fn from_table(bytes: &'a [u8]) -> Result<Tokenizer<'a>, TableError> {
        let table = Table::new(bytes)?;
        let trie = Trie::new(&table, section::TRIE_NODES);
        let model = match table.byte(field::MODEL) {
            layout::model::WORDPIECE => Model::WordPiece(WordPiece::new(&table, trie)),
            layout::model::UNIGRAM => Model::Unigram(Unigram::new(&table, trie)),
            layout::model::BPE => Model::Bpe(Bpe::new(&table, trie)),
            found => return Err(TableError::Field { name: "model", found: u32::from(found) }),
        };
        let pre_tokenizer = table.byte(field::PRE_TOKENIZER);
        if pre_tokenizer > layout::pre_tokenizer::SMOLLM {
            return Err(TableError::Field { name: "pre-tokenizer", found: u32::from(pre_tokenizer) });
        }
        let decoder = table.byte(field::DECODER);
        if decoder > layout::decoder::SENTENCEPIECE {
            return Err(TableError::Field { name: "decoder", found: u32::from(decoder) });
        }
        let characters = CharMap::new(&table);
        let normalizer = Normalizer {
            steps: table.words(section::NORMALIZER),
            characters,
            ascii: characters.ascii(),
            marks: Marks::new(&table),
            precompiled: Precompiled::new(&table, &characters),
            composer: Composer::new(&table),
            strings: table.section(section::ADDED_BYTES),
        };
        normalizer.check()?;
        Ok(Self {
            model,
            normalizer,
            classes: Classes::new(&table),
            added: Added::new(&table),
            pieces: Pieces {
                offsets: table.words(section::PIECE_OFFSETS),
                bytes: table.section(section::PIECE_BYTES),
                flags: table.section(section::PIECE_FLAGS),
                trie,
            },
            template: table.words(section::TEMPLATE),
            pre_tokenizer,
            decoder,
            flags: table.word(field::FLAGS),
            replacement: table.word(field::REPLACEMENT),
            prefix_bytes: table.word(field::PREFIX_BYTES),
        })
    }

    /// Fills `out` with the tokens of `text`. Added and special tokens are found in the text; none is put around it.
    ///
    /// # Panics
    /// If `text` has 4 GiB or more, which ranges of u32 cannot hold.
    pub fn encode(&self, text: &str, out: &mut Encoding) {
        out.clear();
        self.append(text, out);
    }

    /// As [`Tokenizer::encode`], with the tokens of the post-processor's template around (`[CLS]` … `[SEP]`).
    pub fn encode_with_specials(&self, text: &str, out: &mut Encoding) {
        out.clear();
        let before = self.template.get(0).unwrap_or(0) as usize;
        let after = self.template.get(1).unwrap_or(0) as usize;
        self.put_special(2, before, out);
        self.append(text, out);
        self.put_special(2usize.saturating_add(before), after, out);
    }

    fn put_special(&self, first: usize, count: usize, out: &mut Encoding) {
        for id in self.template.iter().skip(first).take(count) {
            out.push(id, (0, 0));
        }
        out.special.resize(out.ids.len(), true);
    }

    fn append(&self, text: &str, out: &mut Encoding) {
        assert!(u32::try_from(text.len()).is_ok(), "a text of {} bytes does not fit u32 ranges", text.len());
        let mut scratch = core::mem::take(&mut out.scratch);
        let first = out.len();
        let bytes = text.as_bytes();
        self.added.split(&self.added.raw, bytes, |id, start, end| match id {
            Some(id) => {
                let token = bytes.get(start..end).unwrap_or(&[]);
                let range = (start as u32, end as u32);
                out.push(id, self.trim(out.len() - first, token, Whose::Added, range));
            }
            None => self.between(bytes, start, end, first, &mut scratch, out),
        });
        out.special.resize(out.ids.len(), false);
        out.scratch = scratch;
    }

    /// Text between added tokens.
    fn between(
        &self,
        original: &[u8],
        start: usize,
        end: usize,
        first: usize,
        scratch: &mut Scratch,
        out: &mut Encoding,
    ) {
        let piece = original.get(start..end).unwrap_or(&[]);
        let shift = start as u32;
        if self.normalizer.is_identity() {
            let view = View { text: piece, starts: None, shift, original };
            self.split_normalized(view, first, scratch, out);
            return;
        }
        self.normalizer.run(piece, shift, &mut scratch.normalized, &mut scratch.other);
        let normalized = core::mem::take(&mut scratch.normalized);
        let view = View { text: &normalized.text, starts: Some(&normalized.starts), shift, original };
        self.split_normalized(view, first, scratch, out);
        scratch.normalized = normalized;
    }

    fn split_normalized(&self, view: View<'_>, first: usize, scratch: &mut Scratch, out: &mut Encoding) {
        if self.added.normalized.is_empty() {
            if !view.text.is_empty() {
                self.pre_tokenize(view, first, scratch, out);
            }
            return;
        }
        self.added.split(&self.added.normalized, view.text, |id, start, end| {
            let part = view.part(start, end);
            match id {
                Some(id) => {
                    let range = view.range(start, end);
                    out.push(id, self.trim(out.len() - first, part.text, Whose::Added, range));
                }
                None => self.pre_tokenize(part, first, scratch, out),
            }
        });
    }

    fn pre_tokenize(&self, view: View<'_>, first: usize, scratch: &mut Scratch, out: &mut Encoding) {
        match self.pre_tokenizer {
            layout::pre_tokenizer::NONE => self.model(&view, 0, view.text.len(), first, scratch, out),
            layout::pre_tokenizer::BERT => {
                if let Model::WordPiece(model) = &self.model {
                    pretokenize::bert(&view, &self.classes, |start, end| model.word(&view, start, end, out));
                } else {
                    pretokenize::bert(&view, &self.classes, |start, end| {
                        self.model(&view, start, end, first, scratch, out);
                    });
                }
            }
            layout::pre_tokenizer::METASPACE => self.metaspace(view, first, scratch, out),
            _ => self.byte_level(view, first, scratch, out),
        }
    }
}

/// After pre-tokenization: words to tokens.
impl<'a> Tokenizer<'a> {
    fn model(
        &self,
        view: &View<'_>,
        start: usize,
        end: usize,
        first: usize,
        scratch: &mut Scratch,
        out: &mut Encoding,
    ) {
        match &self.model {
            Model::WordPiece(model) => model.word(view, start, end, out),
            Model::Unigram(model) => model.word(view, start, end, &mut scratch.lattice, out),
            Model::Bpe(model) if self.has(flag::TRIM_OFFSETS) => {
                model.word(view, start, end, &mut scratch.merger, |id, start, end| {
                    let range = view.range(start, end);
                    out.push(id, self.trim(out.len() - first, self.piece(id), Whose::Model, range));
                });
            }
            Model::Bpe(model) => model.word(view, start, end, &mut scratch.merger, |id, start, end| {
                out.push(id, view.range(start, end));
            }),
        }
    }

    /// Metaspace: spaces become the replacement, one is put in front, and each begins a word.
    fn metaspace(&self, view: View<'_>, first: usize, scratch: &mut Scratch, out: &mut Encoding) {
        if self.has(flag::WHITESPACE_SPLIT) {
            pretokenize::words(view.text, &self.classes, |start, end| {
                self.metaspace_piece(view.part(start, end), first, scratch, out);
            });
        } else {
            self.metaspace_piece(view, first, scratch, out);
        }
    }

    fn metaspace_piece(&self, view: View<'_>, first: usize, scratch: &mut Scratch, out: &mut Encoding) {
        let mut buffer = [0; 4];
        let replacement = char::from_u32(self.replacement).unwrap_or(char::REPLACEMENT_CHARACTER);
        let mark = replacement.encode_utf8(&mut buffer).as_bytes();
        let mut changed = core::mem::take(&mut scratch.other);
        changed.text.clear();
        changed.starts.clear();
        let starts_with_mark = view.text.starts_with(mark) || view.text.first() == Some(&b' ');
        // The first split is the one whose original begins at 0.
        let prepends = self.has(flag::PREPEND_ALWAYS) || (self.has(flag::PREPEND_FIRST) && view.shift == 0);
        if prepends && !starts_with_mark {
            changed.extend(mark, view.start_of(0));
        }
        let mut at = 0;
        for word in view.text.split_inclusive(|&byte| byte == b' ') {
            let end = at + word.len();
            let kept = word.strip_suffix(b" ").unwrap_or(word);
            view.copy(at, at + kept.len(), &mut changed);
            if kept.len() < word.len() {
                changed.extend(mark, view.start_of(end - 1));
            }
            at = end;
        }
        let marked = View { text: &changed.text, starts: Some(&changed.starts), ..view };
        if self.has(flag::SPLIT) {
            pretokenize::before_each(marked.text, self.replacement, |start, end| {
                self.model(&marked, start, end, first, scratch, out);
            });
        } else {
            self.model(&marked, 0, marked.text.len(), first, scratch, out);
        }
        scratch.other = changed;
    }

    fn byte_level(&self, view: View<'_>, first: usize, scratch: &mut Scratch, out: &mut Encoding) {
        if !self.has(flag::PREFIX_SPACE) || view.text.first() == Some(&b' ') {
            return self.byte_level_piece(view, first, scratch, out);
        }
        let mut changed = core::mem::take(&mut scratch.other);
        changed.text.clear();
        changed.starts.clear();
        match view.starts {
            Some(starts) => {
                changed.text.extend_from_slice(view.text);
                changed.starts.extend_from_slice(starts);
            }
            None => changed.extend_original(view.text, view.shift),
        }
        prepend(&mut changed, b" ");
        let prefixed = View { text: &changed.text, starts: Some(&changed.starts), ..view };
        self.byte_level_piece(prefixed, first, scratch, out);
        scratch.other = changed;
    }

    fn byte_level_piece(&self, view: View<'_>, first: usize, scratch: &mut Scratch, out: &mut Encoding) {
        let mut word = |start, end| self.model(&view, start, end, first, scratch, out);
        match self.pre_tokenizer {
            layout::pre_tokenizer::GPT2 => pretokenize::gpt2(view.text, &self.classes, &mut word),
            layout::pre_tokenizer::LLAMA3 => pretokenize::llama3(view.text, &self.classes, 3, &mut word),
            layout::pre_tokenizer::QWEN2 => pretokenize::llama3(view.text, &self.classes, 1, &mut word),
            _ => pretokenize::smollm(view.text, &self.classes, &mut word),
        }
    }

    /// The byte-level post-processor: takes the spaces at either end of a token out of its range.
    ///
    /// **Source**: `process_offsets` in the tokenizers crate, which counts characters and moves bytes.
    fn trim(&self, index: usize, token: &[u8], whose: Whose, range: (u32, u32)) -> (u32, u32) {
        if !self.has(flag::TRIM_OFFSETS) {
            return range;
        }
        let is_space = |point: u32| match whose {
            Whose::Model => point == u32::from(b' '),
            // U+0120 is how the byte alphabet writes a space.
            Whose::Added => point == 0x120 || char::from_u32(point).is_some_and(char::is_whitespace),
        };
        let mut leading = 0;
        let mut at = 0;
        while let Some((_, length)) = decode(token, at).filter(|&(point, _)| is_space(point)) {
            leading += 1;
            at += length;
        }
        let mut trailing = 0;
        let mut at = token.len();
        while let Some((_, before)) =
            crate::characters::decode_before(token, at).filter(|&(point, _)| is_space(point))
        {
            trailing += 1;
            at = before;
        }
        if leading == 1 && (index == 0 || range.0 == 0) && self.has(flag::TRIM_KEEPS_FIRST) {
            leading = 0;
        }
        let first = (range.0 + leading).min(range.1);
        let last = if range.1 >= trailing { (range.1 - trailing).max(first) } else { range.1 };
        (first, last)
    }
}

/// Tables looked into.
impl<'a> Tokenizer<'a> {
    /// The bytes a token stands for; byte-level tokens without their disguise. Nothing for an id that does not exist.
    pub fn token(&self, id: u32) -> Option<&'a [u8]> {
        (self.piece_flags(id) & piece::PRESENT != 0).then(|| self.piece(id))
    }

    /// The id of a token, added tokens first. Byte-level vocabularies are asked for plain text (`" the"`).
    pub fn id_of(&self, token: &str) -> Option<u32> {
        self.added.id_of(token.as_bytes()).or_else(|| self.pieces.trie.get(token.as_bytes()))
    }

    /// One more than the highest id.
    pub fn vocabulary(&self) -> usize {
        self.pieces.flags.len()
    }

    /// The score of a Unigram piece, as the tokenizer file gives it. Added tokens that are no pieces have none.
    pub fn score(&self, id: u32) -> Option<f64> {
        match &self.model {
            Model::Unigram(model) => model.known_score(id),
            _ => None,
        }
    }

    /// The text after the table's normaliser.
    pub fn normalize(&self, text: &str) -> String {
        let mut scratch = Scratch::default();
        self.normalizer.run(text.as_bytes(), 0, &mut scratch.normalized, &mut scratch.other);
        String::from_utf8_lossy(&scratch.normalized.text).into_owned()
    }

    /// Whether the model makes one token of these bytes as a word: table writers store it for every piece.
    #[doc(hidden)]
    pub fn arrives_whole(&self, bytes: &[u8], encoding: &mut Encoding) -> bool {
        match &self.model {
            Model::Bpe(model) => model.arrives_whole(bytes, &mut encoding.scratch.merger),
            Model::Unigram(model) => {
                encoding.clear();
                let view = View { text: bytes, starts: None, shift: 0, original: bytes };
                let mut scratch = core::mem::take(&mut encoding.scratch);
                model.word(&view, 0, bytes.len(), &mut scratch.lattice, encoding);
                encoding.scratch = scratch;
                encoding.len() == 1 && self.pieces.trie.get(bytes) == encoding.ids.first().copied()
            }
            Model::WordPiece(_) => false,
        }
    }

    /// Whether a decoder that leaves out special tokens leaves out this one.
    pub fn is_special(&self, id: u32) -> bool {
        self.piece_flags(id) & piece::SPECIAL != 0
    }

    pub(crate) fn piece(&self, id: u32) -> &'a [u8] {
        let offset = |index: usize| self.pieces.offsets.get(index).unwrap_or(0) as usize;
        self.pieces.bytes.get(offset(id as usize)..offset(id as usize + 1)).unwrap_or(&[])
    }

    pub(crate) fn piece_flags(&self, id: u32) -> u8 {
        self.pieces.flags.get(id as usize).copied().unwrap_or(0)
    }

    #[inline(always)]
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The prefix of WordPiece's continuing pieces.
    pub(crate) fn continuing_prefix(&self) -> &'a str {
        let prefix = self.normalizer.strings.get(..self.prefix_bytes as usize).unwrap_or(&[]);
        core::str::from_utf8(prefix).unwrap_or_default()
    }
}
