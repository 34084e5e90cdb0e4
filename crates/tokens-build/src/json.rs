//! Hugging Face's `tokenizer.json`.

use crate::error::{Error, field};
use crate::writer::Writer;
use serde_json::Value;
use tokens::layout::field as at;

mod added;
mod model;
mod normalizer;
mod parts;

pub(crate) use model::fall_back_to_bytes;

/// Compiles a `tokenizer.json` into a table.
///
/// # Errors
/// Names the field and what is wrong with it: not JSON, missing, of another type, or a part that tables do not hold.
///
/// **Source**: the serialisation of the tokenizers crate, version 1.0.
pub fn from_tokenizer_json(json: &[u8]) -> Result<Vec<u8>, Error> {
    let file: Value =
        serde_json::from_slice(json).map_err(|error| Error::Json { problem: error.to_string() })?;
    if !file.is_object() {
        return Err(field("(root)", "not an object"));
    }
    if let Some(version) = file.get("version")
        && version.as_str() != Some("1.0")
    {
        return Err(Error::Unsupported {
            field: "version".into(),
            found: version.to_string(),
            supported: "\"1.0\"",
        });
    }
    let mut writer = Writer::new();
    let mut flags = 0;
    // The decoder's prefix leads the table's strings.
    parts::decoder(&file["decoder"], &mut writer, &mut flags)?;
    let byte_level = parts::pre_tokenizer(&file["pre_tokenizer"], &mut writer, &mut flags)?;
    let vocabulary = model::read(object(&file, "model")?, byte_level, &mut writer, &mut flags)?;
    normalizer::write(&file["normalizer"], &mut writer)?;
    parts::post_processor(&file["post_processor"], &mut writer, &mut flags)?;
    writer.word(at::FLAGS, flags);
    let added = added::read(&file["added_tokens"], &vocabulary)?;
    vocabulary.finish(added, writer)
}

/// `value[name]` as an object.
fn object<'v>(value: &'v Value, name: &str) -> Result<&'v Value, Error> {
    match value.get(name) {
        Some(found) if found.is_object() => Ok(found),
        Some(found) => Err(field(name, format!("{} instead of an object", kind(found)))),
        None => Err(field(name, "missing")),
    }
}

/// The JSON type of a value, for errors.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
