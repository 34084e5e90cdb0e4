//! Hugging Face's `tokenizer.json`.

use crate::error::Error;
use crate::writer::Writer;
use part::Part;
use serde_json::Value;
use tokens::layout::field as at;

mod added;
mod decoder;
mod model;
mod normalizer;
mod part;
mod post_processor;
mod pre_tokenizer;

pub(crate) use model::fall_back_to_bytes;

/// Compiles a `tokenizer.json` into a table.
///
/// # Errors
/// Names the field and what is wrong with it: not JSON, missing, of another type, or a part that tables do not hold.
///
/// **Source**: the serialisation of the tokenizers crate, version 1.0. A file that it refuses is refused.
pub fn from_tokenizer_json(json: &[u8]) -> Result<Vec<u8>, Error> {
    let file: Value =
        serde_json::from_slice(json).map_err(|error| Error::Json { problem: error.to_string() })?;
    let file = Part::root(&file)?;
    let version = file.text_or("version", "1.0")?;
    if version != "1.0" {
        let field = "version".into();
        return Err(Error::Unsupported { field, found: format!("{version:?}"), supported: "\"1.0\"" });
    }
    check_limits(&file)?;
    let mut writer = Writer::new();
    let mut flags = 0;
    // The decoder's prefix leads the table's strings.
    decoder::read(file.optional_part("decoder")?, &mut writer, &mut flags)?;
    let byte_level = pre_tokenizer::read(file.optional_part("pre_tokenizer")?, &mut writer, &mut flags)?;
    decoder::check(byte_level, &writer)?;
    let vocabulary = model::read(&file.part("model")?, byte_level, &mut writer, &mut flags)?;
    normalizer::write(file.optional_part("normalizer")?, &mut writer)?;
    post_processor::read(file.optional_part("post_processor")?, &mut writer, &mut flags)?;
    writer.word(at::FLAGS, flags);
    let added = added::read(&file, &vocabulary)?;
    vocabulary.finish(added, writer)
}

/// Truncation and padding must be well formed, and are left to callers: who encodes a document wants all of it.
fn check_limits(file: &Part<'_>) -> Result<(), Error> {
    if let Some(truncation) = file.optional_part("truncation")? {
        truncation.whole("max_length")?;
        truncation.whole("stride")?;
        truncation.text("strategy")?;
        truncation.text_or("direction", "Right")?;
    }
    if let Some(padding) = file.optional_part("padding")? {
        padding.value("strategy")?;
        padding.text("direction")?;
        padding.optional_whole("pad_to_multiple_of")?;
        padding.id("pad_id")?;
        padding.id("pad_type_id")?;
        padding.text("pad_token")?;
    }
    Ok(())
}
