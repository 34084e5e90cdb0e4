//! Text from small language models: GGUF files of the llama, qwen2, qwen3 and gemma3 families.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//! use lacuna::complete::{Event, Message, Model, Options, Session};
//!
//! let bytes = std::fs::read("model.gguf").unwrap();
//! let model = Model::from_gguf(&weights::Gguf::parse(&bytes).unwrap()).unwrap();
//! let prompt = model.chat(&[Message::user("Why is the sky blue?")]).unwrap();
//! let mut session = Session::new(&model);
//! session.generate(&prompt, &Options::default(), &mut |event| {
//!     if let Event::Text(text) = event { print!("{text}") }
//!     ControlFlow::Continue(())
//! }).unwrap();
//! ```
//!
//! The same prompt, options and seed give the same text on every machine.

#[cfg(feature = "load")]
mod arriving;
mod error;
mod generation;
mod options;
mod sample;
mod session;
mod stop;
mod template;
#[cfg(test)]
mod tests;
mod vocabulary;

#[cfg(feature = "load")]
pub use arriving::{Arriving, MAX_HEAD_BYTES};
pub use error::Error;
pub use generation::Generation;
pub use options::{MAX_TOKENS, Options};
pub use sample::{Random, Sampler};
pub use session::{End, Event, Generated, Logprob, Session};
pub use template::Message;
#[cfg(feature = "load")]
pub use vocabulary::table;
pub use vocabulary::{TABLE, TABLE_KEYS};

use std::borrow::Cow;

use model::decoder::Decoder;
use tokens::{Encoding, Tokenizer};
use weights::Gguf;

/// A language model with its tokenizer and chat template.
#[derive(Debug)]
pub struct Model<'a> {
    decoder: Decoder<'a>,
    table: Cow<'a, [u8]>,
    template: Option<&'a str>,
    bos: Option<u32>,
    eos: Option<u32>,
    ends: Vec<u32>,
}

impl<'a> Model<'a> {
    /// Reads a GGUF file. A file that `lacuna bundle` wrote is used in place; of others the matrices are packed and
    /// the tokenizer is compiled.
    ///
    /// **Errors**: what [`Decoder::from_gguf`] refuses; a tokenizer that is not known, or does not fit the model.
    pub fn from_gguf(file: &Gguf<'a>) -> Result<Model<'a>, Error> {
        Model::from_gguf_with(file, &mut |_, _| {})
    }

    /// As [`Model::from_gguf`]; `progress` hears how many tensors of how many are ready.
    ///
    /// **Errors**: as there.
    pub fn from_gguf_with(
        file: &Gguf<'a>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Model<'a>, Error> {
        // The kind of file first: what lacks an architecture is no language model, and that is the better answer.
        model::decoder::Config::from_gguf(file)?;
        let table = vocabulary::find(file)?;
        let tokenizer = Tokenizer::from_table(&table)?;
        let decoder = Decoder::from_gguf_with(file, progress)?;
        let (texts, rows) = (tokenizer.vocabulary(), decoder.config().vocabulary);
        if texts > rows {
            return Err(Error::Vocabulary { texts, rows });
        }
        let (bos, eos) = (vocabulary::id(file, "bos"), vocabulary::id(file, "eos"));
        let ends = vocabulary::ends(file, &tokenizer);
        let template = file.str("tokenizer.chat_template").ok();
        Ok(Model { decoder, table, template, bos, eos, ends })
    }

    /// The decoder.
    pub fn decoder(&self) -> &Decoder<'a> {
        &self.decoder
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> Tokenizer<'_> {
        Tokenizer::from_table(&self.table).expect("the table was checked when the model was read")
    }

    /// Whether the file has a chat template.
    pub fn has_template(&self) -> bool {
        self.template.is_some()
    }

    /// Ids that end a generation.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The ids of a plain text, with what the tokenizer puts before it.
    pub fn prompt(&self, text: &str) -> Vec<u32> {
        let mut encoding = Encoding::new();
        self.tokenizer().encode_with_specials(text, &mut encoding);
        // A file may ask for an end mark after texts; text to be continued has none.
        if encoding.ids.len() > 1 && encoding.ids.last() == self.eos.as_ref() && !self.ends_with_eos(text) {
            encoding.ids.pop();
        }
        encoding.ids
    }

    /// The ids of a conversation, written by the model's chat template, up to where the assistant speaks.
    ///
    /// **Errors**: the file has no template, or the template fails (a role it does not know, say).
    pub fn chat(&self, messages: &[Message<'_>]) -> Result<Vec<u32>, Error> {
        let tokenizer = self.tokenizer();
        let text_of = |id: Option<u32>| {
            let bytes = id.and_then(|id| tokenizer.token(id)).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        let (bos, eos) = (text_of(self.bos), text_of(self.eos));
        let text = template::render(self.template.ok_or(Error::NoTemplate)?, messages, &bos, &eos)?;
        // Templates that write the begin mark themselves would otherwise double it.
        if !bos.is_empty() && text.starts_with(&bos) {
            let mut encoding = Encoding::new();
            tokenizer.encode(&text, &mut encoding);
            return Ok(encoding.ids);
        }
        Ok(self.prompt(&text))
    }

    fn ends_with_eos(&self, text: &str) -> bool {
        let tokenizer = self.tokenizer();
        let eos = self.eos.and_then(|id| tokenizer.token(id)).unwrap_or_default();
        !eos.is_empty() && text.as_bytes().ends_with(eos)
    }
}
