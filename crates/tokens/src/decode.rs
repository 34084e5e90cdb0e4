//! Ids back to text, at once or token by token.

use crate::Tokenizer;
use crate::layout::{decoder, flag, piece};
use alloc::string::String;
use alloc::vec::Vec;

/// The character SentencePiece writes for a space.
const METASPACE: &str = "\u{2581}";

impl<'a> Tokenizer<'a> {
    /// The text of `ids`; ids the table does not know are passed over. Bytes that are not UTF-8 come out as U+FFFD.
    ///
    /// **Source**: the decoders of the tokenizers crate (`WordPiece`, `Metaspace`, `ByteLevel`, and Llama's sequence).
    pub fn decode(&self, ids: &[u32], skip_special: bool) -> String {
        let mut stream = self.stream();
        stream.skip_special = skip_special;
        let mut text = String::new();
        for &id in ids {
            text.push_str(stream.push(id));
        }
        text.push_str(stream.finish());
        text
    }

    /// A decoder for ids that arrive one at a time. It leaves out special tokens.
    pub fn stream(&self) -> Stream<'a> {
        Stream {
            tokenizer: *self,
            skip_special: true,
            first: true,
            pending: Vec::new(),
            ready: String::new(),
        }
    }
}

/// Decodes token by token and gives out whole UTF-8 characters only.
///
/// The concatenation of what `push` and `finish` return is what [`Tokenizer::decode`] returns for the same ids.
#[derive(Clone, Debug)]
pub struct Stream<'t> {
    tokenizer: Tokenizer<'t>,
    skip_special: bool,
    /// No token came yet; for SentencePiece: no text.
    first: bool,
    /// Bytes of a character that is not complete yet.
    pending: Vec<u8>,
    ready: String,
}

impl Stream<'_> {
    /// Lets special tokens through as text.
    #[must_use]
    pub fn with_special(mut self) -> Self {
        self.skip_special = false;
        self
    }

    /// Takes one id; returns the text that is certain now (often one token, sometimes nothing).
    pub fn push(&mut self, id: u32) -> &str {
        self.ready.clear();
        let flags = self.tokenizer.piece_flags(id);
        if flags & piece::PRESENT != 0 && (flags & piece::SPECIAL == 0 || !self.skip_special) {
            let bytes = self.tokenizer.piece(id);
            match self.tokenizer.decoder {
                decoder::BYTES => self.bytes(bytes),
                decoder::WORDPIECE => self.wordpiece(bytes),
                decoder::METASPACE => self.metaspace(bytes),
                decoder::SENTENCEPIECE => self.sentencepiece(bytes, flags),
                _ => self.spaced(bytes),
            }
            if self.tokenizer.decoder == decoder::SENTENCEPIECE {
                self.strip_first();
            } else {
                self.first = false;
            }
        }
        &self.ready
    }

    /// What is left at the end: U+FFFD for an incomplete character.
    pub fn finish(&mut self) -> &str {
        self.ready.clear();
        if !self.pending.is_empty() {
            self.ready.push(char::REPLACEMENT_CHARACTER);
            self.pending.clear();
        }
        self.first = true;
        &self.ready
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.pending.is_empty()
            && let Ok(text) = core::str::from_utf8(bytes)
        {
            self.ready.push_str(text);
            return;
        }
        self.pending.extend_from_slice(bytes);
        let mut done = 0;
        while let Some(rest) = self.pending.get(done..) {
            match core::str::from_utf8(rest) {
                Ok(text) => {
                    self.ready.push_str(text);
                    done = self.pending.len();
                    break;
                }
                Err(error) => {
                    let (valid, _) = rest.split_at(error.valid_up_to());
                    self.ready.push_str(core::str::from_utf8(valid).unwrap_or_default());
                    done += valid.len();
                    match error.error_len() {
                        Some(length) => {
                            self.ready.push(char::REPLACEMENT_CHARACTER);
                            done += length;
                        }
                        None => break,
                    }
                }
            }
        }
        self.pending.drain(..done);
    }

    fn spaced(&mut self, bytes: &[u8]) {
        if !self.first {
            self.ready.push(' ');
        }
        self.ready.push_str(&String::from_utf8_lossy(bytes));
    }

    fn wordpiece(&mut self, bytes: &[u8]) {
        let token = String::from_utf8_lossy(bytes);
        let prefix = self.tokenizer.continuing_prefix();
        let mut text = String::new();
        match token.strip_prefix(prefix) {
            Some(rest) if !self.first => text.push_str(rest),
            _ => {
                if !self.first {
                    text.push(' ');
                }
                text.push_str(&token);
            }
        }
        if self.tokenizer.has(flag::CLEANUP) {
            text = cleanup(&text);
        }
        self.ready.push_str(&text);
    }

    fn metaspace(&mut self, bytes: &[u8]) {
        let replacement = self.tokenizer.replacement;
        for character in String::from_utf8_lossy(bytes).chars() {
            if u32::from(character) != replacement {
                self.ready.push(character);
            } else if !self.first || !self.tokenizer.has(flag::DECODE_STRIPS_FIRST) {
                self.ready.push(' ');
            }
        }
    }

    fn sentencepiece(&mut self, bytes: &[u8], flags: u8) {
        if flags & piece::BYTE != 0 {
            self.bytes(bytes);
            return;
        }
        // A character that other tokens interrupt is not completed any more.
        if !self.pending.is_empty() {
            self.ready.push(char::REPLACEMENT_CHARACTER);
            self.pending.clear();
        }
        let text = String::from_utf8_lossy(bytes).replace(METASPACE, " ");
        self.ready.push_str(&text);
    }

    /// SentencePiece's prefix space: the first character of the whole text, whatever token brought it.
    fn strip_first(&mut self) {
        if !self.first || self.ready.is_empty() {
            return;
        }
        self.first = false;
        if self.tokenizer.has(flag::DECODE_STRIPS_FIRST) && self.ready.starts_with(' ') {
            self.ready.remove(0);
        }
    }
}

/// The replacements of the reference's WordPiece decoder, in its order.
fn cleanup(text: &str) -> String {
    const RULES: [(&str, &str); 11] = [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" do not", " don't"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ];
    let mut text = String::from(text);
    for (from, to) in RULES {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    text
}
