//! A file that arrives piece by piece, from a download or a file picker.

use model::decoder::{self, Config, Image, Plan};
use weights::{Gguf, Head};

use super::vocabulary::{TABLE, TABLE_KEYS, table};
use super::{Error, Model};

/// The most bytes before the tensors. The largest published vocabularies take 15 MB; a false length must not take all
/// memory.
pub const MAX_HEAD_BYTES: u64 = 64 << 20;

/// The least a directory takes: magic, version, two counts.
const LEAST: usize = 24;

/// A model of which a part has come. Matrices are packed and the tokenizer is compiled on the way: what is in memory is
/// the packed model and no second copy of it.
#[derive(Debug)]
pub struct Arriving {
    size: Option<u64>,
    head: Vec<u8>,
    /// Bytes of `head` before it is worth reading again.
    wanted: usize,
    room: fn(usize),
    body: Option<decoder::Arriving>,
}

impl Arriving {
    /// A model of `size` bytes, where that is known.
    pub fn new(size: Option<u64>) -> Arriving {
        Arriving::with_room(size, |_| {})
    }

    /// As [`Arriving::new`]; `room` is called before the model's place is allocated, in one piece of so many bytes.
    pub fn with_room(size: Option<u64>, room: fn(usize)) -> Arriving {
        Arriving { size, head: Vec::new(), wanted: LEAST, room, body: None }
    }

    /// Takes the next bytes of the file.
    ///
    /// **Errors**: what is no GGUF file, or none of a language model; no memory for all of it.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if let Some(body) = &mut self.body {
            body.take(bytes);
            return Ok(());
        }
        self.head.extend_from_slice(bytes);
        if self.head.len() < self.wanted {
            return Ok(());
        }
        match Gguf::head(&self.head, self.size) {
            Ok(head) => {
                let mut plan = plan(&head)?;
                let read = self.head.len().min(head.file().data_offset() as usize);
                let rest = self.head[read..].to_vec();
                // Before there is room made for the model: what is free is then in one piece.
                self.head = Vec::new();
                plan.settle();
                (self.room)(plan.bytes());
                let mut body = plan.begin()?;
                body.skip(read as u64);
                body.take(&rest);
                self.body = Some(body);
                Ok(())
            }
            Err(weights::Error::Truncated { what, offset, needs, .. }) => {
                let end = offset.saturating_add(needs);
                if let Some(size) = self.size.filter(|size| end > *size) {
                    let has = size.saturating_sub(offset);
                    return Err(weights::Error::Truncated { what, offset, needs, has }.into());
                }
                if end > MAX_HEAD_BYTES {
                    let reason = "the largest published vocabularies take 15 MB";
                    let what = format!("{what}: bytes before the tensors");
                    return Err(
                        weights::Error::Limit { what, found: end, limit: MAX_HEAD_BYTES, reason }.into()
                    );
                }
                // Growing steps: a directory of megabytes is read a few times, not once a piece.
                self.wanted = (end as usize).max(self.head.len() + self.head.len() / 4);
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The packed model, for [`Model::from_gguf`].
    ///
    /// **Errors**: the bytes ended too soon.
    pub fn finish(self) -> Result<Image, Error> {
        if let Some(body) = self.body {
            return Ok(body.finish()?);
        }
        // A file shorter than what was waited for.
        let mut body = plan(&Gguf::head(&self.head, Some(self.head.len() as u64))?)?.begin()?;
        body.take(&self.head);
        Ok(body.finish()?)
    }
}

fn plan(head: &Head<'_>) -> Result<Plan, Error> {
    let file = head.file();
    // As [`Model::from_gguf`]: the kind of file first.
    Config::from_gguf(file)?;
    let compiled = if file.tensor(TABLE).is_ok() { None } else { Some((TABLE, table(file)?)) };
    Ok(Plan::new(head, &TABLE_KEYS, compiled)?)
}

impl Model<'static> {
    /// The model of an image, for the rest of the program, and the file's metadata.
    ///
    /// **Errors**: as [`Model::from_gguf`].
    pub fn from_image(image: Image) -> Result<(Model<'static>, Gguf<'static>), Error> {
        let file = Gguf::parse(image.leak())?;
        Ok((Model::from_gguf(&file)?, file))
    }
}
