//! The tokenizers crate beside ours on one vocabulary.

use tokens::layout::{decoder, field};
use tokens::{Encoding, Tokenizer};

/// Texts longer than this are not decoded again: the reference takes quadratic time for some.
const DECODED_BYTES: usize = 2_000;

/// Both tokenizers of one file.
pub struct Pair {
    pub reference: tokenizers::Tokenizer,
    pub table: Vec<u8>,
}

impl Pair {
    /// Reads a `tokenizer.json` twice.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let table = tokens_build::from_tokenizer_json(json).map_err(|error| error.to_string())?;
        let reference = tokenizers::Tokenizer::from_bytes(json).map_err(|error| error.to_string())?;
        Ok(Self { reference, table })
    }

    /// Ours.
    pub fn ours(&self) -> Result<Tokenizer<'_>, String> {
        Tokenizer::from_table(&self.table).map_err(|error| error.to_string())
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
            let differs = |what: &str, ours: String, theirs: String| {
                let text: String = text.chars().take(120).collect();
                Err(format!("{text:?}: {what} {ours}, the reference has {theirs}"))
            };
            if encoding.ids != theirs.get_ids() {
                return differs("ids", format!("{:?}", encoding.ids), format!("{:?}", theirs.get_ids()));
            }
            let ranges: Vec<(u32, u32)> =
                theirs.get_offsets().iter().map(|&(s, e)| (s as u32, e as u32)).collect();
            if encoding.ranges != ranges {
                return differs("ranges", format!("{:?}", encoding.ranges), format!("{ranges:?}"));
            }
            let special: Vec<bool> = theirs.get_special_tokens_mask().iter().map(|&mask| mask == 1).collect();
            if encoding.special != special {
                return differs("special", format!("{:?}", encoding.special), format!("{special:?}"));
            }
            for (&id, token) in encoding.ids.iter().zip(theirs.get_tokens()) {
                // A template has names of its own for what it adds.
                if !specials && !self.is_token(ours, id, token) {
                    return differs("token", format!("{:?}", ours.token(id)), format!("{token:?}"));
                }
            }
            tokens += encoding.len();
        }
        if text.len() <= DECODED_BYTES {
            self.compare_decoded(ours, &encoding.ids)?;
        }
        Ok(tokens)
    }

    /// Whether the reference calls the token `id` what we do. Where one was added, or is unknown to a Unigram model, it
    /// gives the text that stands there.
    fn is_token(&self, ours: &Tokenizer<'_>, id: u32, token: &str) -> bool {
        ours.token(id) == Some(&self.bytes_of(token))
            || self.reference.get_added_vocabulary().get_added_tokens_decoder().contains_key(&id)
            || self.reference.token_to_id(token).is_none()
    }

    /// What a token stands for: the byte alphabet, and SentencePiece's `<0xNN>`, read.
    fn bytes_of(&self, token: &str) -> Vec<u8> {
        match self.table[field::DECODER] {
            decoder::BYTES => alphabet_bytes(token),
            decoder::SENTENCEPIECE => match token.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'))
            {
                Some(digits) if digits.len() == 2 => {
                    u8::from_str_radix(digits, 16).map_or_else(|_| token.into(), |byte| vec![byte])
                }
                _ => token.into(),
            },
            _ => token.into(),
        }
    }

    /// Compares what both make of the ids, with and without special tokens, at once and token by token.
    pub fn compare_decoded(&self, ours: &Tokenizer<'_>, ids: &[u32]) -> Result<(), String> {
        for skip in [false, true] {
            let theirs = self.reference.decode(ids, skip).map_err(|error| error.to_string())?;
            let text = ours.decode(ids, skip);
            if text != theirs {
                return Err(format!("{ids:?}: decoded {text:?}, the reference has {theirs:?}"));
            }
            let mut stream = if skip { ours.stream() } else { ours.stream().with_special() };
            let mut streamed = String::new();
            ids.iter().for_each(|&id| streamed.push_str(stream.push(id)));
            streamed.push_str(stream.finish());
            if streamed != theirs {
                return Err(format!("{ids:?}: streamed {streamed:?}, the reference has {theirs:?}"));
            }
        }
        Ok(())
    }

    /// Compares every id's token and every token's id; returns how many there are.
    pub fn compare_vocabulary(&self) -> Result<usize, String> {
        let ours = self.ours()?;
        let mut count = 0;
        for id in 0..ours.vocabulary() as u32 {
            let theirs = self.reference.id_to_token(id);
            let expected = theirs.as_deref().map(|token| self.bytes_of(token));
            if ours.token(id) != expected.as_deref() {
                return Err(format!("id {id}: {:?}, the reference has {expected:?}", ours.token(id)));
            }
            let Some(token) = theirs else { continue };
            count += 1;
            let known = String::from_utf8(self.bytes_of(&token)).ok();
            if let Some(plain) = known
                && ours.id_of(&plain) != self.reference.token_to_id(&token)
            {
                return Err(format!(
                    "token {token:?}: id {:?}, the reference has another",
                    ours.id_of(&plain)
                ));
            }
        }
        match self.reference.get_vocab_size(true) {
            expected if expected == count => Ok(count),
            expected => Err(format!("{count} tokens, the reference has {expected}")),
        }
    }

    /// Compares the bits of all Unigram scores; returns how many there are.
    pub fn compare_scores(&self) -> Result<usize, String> {
        let ours = self.ours()?;
        let tokenizers::ModelWrapper::Unigram(model) = self.reference.get_model() else {
            return Err("the reference is not a Unigram model".into());
        };
        let mut count = 0;
        for (id, (_, score)) in model.iter().enumerate() {
            if ours.score(id as u32).map(f64::to_bits) != Some(score.to_bits()) {
                return Err(format!("id {id}: score {:?}, the reference has {score}", ours.score(id as u32)));
            }
            count += 1;
        }
        Ok(count)
    }
}

/// GPT-2's byte alphabet read backwards, written independently of the crate that makes tables; other tokens as they
/// are.
fn alphabet_bytes(token: &str) -> Vec<u8> {
    let byte_of = |character: char| {
        let mut next = 256;
        (0..=255u8).find(|&byte| {
            let keeps = (b'!'..=b'~').contains(&byte) || (0xa1..=0xac).contains(&byte) || byte >= 0xae;
            let point = if keeps {
                u32::from(byte)
            } else {
                next += 1;
                next - 1
            };
            point == u32::from(character)
        })
    };
    token.chars().map(byte_of).collect::<Option<Vec<u8>>>().unwrap_or_else(|| token.into())
}
