//! The tokenizers crate beside ours, text by text.
#![allow(dead_code)] // Each test file uses its part.

pub mod texts;

use super::tokens::{Encoding, Tokenizer};

pub fn root(path: &str) -> String {
    format!("{}/../../testdata/{path}", env!("CARGO_MANIFEST_DIR"))
}

pub fn read(path: &str) -> Vec<u8> {
    let path = root(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Both tokenizers of one file.
pub struct Pair {
    pub reference: tokenizers::Tokenizer,
    table: &'static [u8],
}

impl Pair {
    pub fn from_json(json: &[u8]) -> Self {
        let table = tokens_build::from_tokenizer_json(json).unwrap_or_else(|error| panic!("{error}"));
        let reference = tokenizers::Tokenizer::from_bytes(json).unwrap_or_else(|error| panic!("{error}"));
        Self::new(reference, table)
    }

    pub fn new(reference: tokenizers::Tokenizer, table: Vec<u8>) -> Self {
        Self { reference, table: table.leak() }
    }

    pub fn ours(&self) -> Tokenizer<'static> {
        Tokenizer::from_table(self.table).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Compares one text, with and without the template; returns the number of tokens, or what differs.
    pub fn compare(
        &self,
        ours: &Tokenizer<'_>,
        text: &str,
        encoding: &mut Encoding,
    ) -> Result<usize, String> {
        let mut tokens = 0;
        for specials in [false, true] {
            if specials {
                ours.encode_with_specials(text, encoding);
            } else {
                ours.encode(text, encoding);
            }
            let theirs = self.reference.encode(text, specials).map_err(|error| error.to_string())?;
            let ranges: Vec<(u32, u32)> =
                theirs.get_offsets().iter().map(|&(s, e)| (s as u32, e as u32)).collect();
            let special: Vec<bool> = theirs.get_special_tokens_mask().iter().map(|&mask| mask == 1).collect();
            if encoding.ids != theirs.get_ids() {
                return Err(format!(
                    "{text:?}: ids {:?}, the reference has {:?} ({:?})",
                    encoding.ids,
                    theirs.get_ids(),
                    theirs.get_tokens()
                ));
            }
            if encoding.ranges != ranges {
                return Err(format!(
                    "{text:?}: ranges {:?}, the reference has {ranges:?} ({:?})",
                    encoding.ranges,
                    theirs.get_tokens()
                ));
            }
            if encoding.special != special {
                return Err(format!(
                    "{text:?}: special {:?}, the reference has {special:?}",
                    encoding.special
                ));
            }
            tokens += encoding.len();
        }
        Ok(tokens)
    }

    /// Compares all texts and panics with the first ten differences.
    pub fn check(&self, texts: impl Iterator<Item = String>) -> usize {
        let ours = self.ours();
        let mut encoding = Encoding::new();
        let (mut count, mut tokens) = (0, 0);
        let mut differences = Vec::new();
        for text in texts {
            count += 1;
            match self.compare(&ours, &text, &mut encoding) {
                Ok(found) => tokens += found,
                Err(difference) => differences.push(difference),
            }
        }
        let first = differences[..differences.len().min(10)].join("\n");
        assert!(differences.is_empty(), "{} of {count} texts differ:\n{first}", differences.len());
        assert!(count > 0 && tokens > 0);
        count
    }

    /// Every id's token and every token's id, and what decoding makes of ids.
    pub fn check_vocabulary(&self, bytes_of: impl Fn(&str) -> Vec<u8>) {
        let ours = self.ours();
        assert_eq!(
            self.reference.get_vocab_size(true),
            (0..ours.vocabulary() as u32).filter(|&id| ours.token(id).is_some()).count()
        );
        for id in 0..ours.vocabulary() as u32 {
            let theirs = self.reference.id_to_token(id);
            assert_eq!(ours.token(id).map(<[u8]>::to_vec), theirs.as_deref().map(&bytes_of), "id {id}");
        }
    }
}

/// Texts of the evaluation set.
pub fn dev_texts() -> Vec<String> {
    let file = String::from_utf8(read("eval/dev.jsonl")).unwrap();
    let texts: Vec<String> = file
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_string()
        })
        .collect();
    assert_eq!(texts.len(), 462);
    texts
}
