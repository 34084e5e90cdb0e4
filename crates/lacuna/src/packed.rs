//! A model file that is read in place: its matrices packed, its tokenizer compiled.

#[cfg(feature = "load")]
use weights::{Kind, Writer};

use weights::Gguf;

use crate::{Clock, Error, Redactor};

/// The tensor that holds the compiled tokenizer.
const TABLE: &str = "lacuna.tokenizer";
/// The key that holds the tokenizer as published, which a packed file does without.
#[cfg(feature = "load")]
const SOURCE: &str = "tokenizer.huggingface.json";

/// The same model and tokenizer laid out for `target_arch` (`wasm32`, `x86_64`, `aarch64`): [`Redactor::packed`]
/// reads the result where it lies. `keys` are written into the metadata, e.g. where the file comes from.
///
/// # Errors
/// A file that is not a whole token classifier, or that is packed already.
#[cfg(feature = "load")]
pub fn pack(file: &[u8], target_arch: &str, keys: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
    let source = Gguf::parse(file)?;
    let table = crate::tokenizer_table(file)?;
    let packed = model::packed_gguf(&source, target_arch)?;
    let packed = Gguf::parse(&packed)?;
    let mut writer = Writer::new();
    for (key, value) in packed.keys().filter(|(key, _)| *key != SOURCE) {
        writer.set(key, value);
    }
    for (key, value) in keys {
        writer.set(key, *value);
    }
    for tensor in packed.tensors() {
        writer.tensor(tensor.name, tensor.kind, &tensor.dims, tensor.bytes)?;
    }
    writer.tensor(TABLE, Kind::I8, &[table.len()], table.as_slice())?;
    Ok(writer.to_vec())
}

/// Whether a file is one that `pack` made.
pub fn is_packed(file: &[u8]) -> bool {
    Gguf::parse(file).is_ok_and(|file| file.tensor(TABLE).is_ok())
}

/// A text from the metadata of a model file, e.g. `general.name`.
pub fn file_key(file: &[u8], key: &str) -> Option<String> {
    Some(Gguf::parse(file).ok()?.str(key).ok()?.to_string())
}

impl<'a> Redactor<'a> {
    /// A redactor over a file that `pack` made. Nothing is computed: weights and tokenizer are read in place, so
    /// `file` should start at a multiple of 64 bytes.
    ///
    /// # Errors
    /// A damaged file, or one that was not packed for this build's layout.
    pub fn packed(file: &'a [u8], clock: Clock<'_>) -> Result<Redactor<'a>, Error> {
        let tensor = Gguf::parse(file)?.tensor(TABLE)?;
        Redactor::new(file, tensor.bytes, None, clock)
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use crate::Options;

    const FILE: &[u8] = include_bytes!("../../../models/rampart/rampart-q4_0.gguf");

    #[test]
    fn a_packed_file_answers_as_its_source_does() {
        let packed = pack(FILE, std::env::consts::ARCH, &[("lacuna.source", "a test")]).unwrap();
        let keys = Gguf::parse(&packed).unwrap();
        assert_eq!(keys.str("lacuna.source").unwrap(), "a test");
        assert!(keys.get(SOURCE).is_none());
        let table = crate::tokenizer_table(FILE).unwrap();
        let plain = Redactor::new(FILE, &table, None, &|| 0.0).unwrap();
        let ours = Redactor::packed(&packed, &|| 0.0).unwrap();
        let text = "I am Ana Lima, ana@example.org, Rua Augusta 12, Lisboa";
        let options = Options::default();
        assert_eq!(ours.redact(text, &options).unwrap(), plain.redact(text, &options).unwrap());
        assert_eq!(ours.logits(text, None).unwrap(), plain.logits(text, None).unwrap());
    }

    #[test]
    fn what_is_not_packed_is_refused_with_a_reason() {
        let error = Redactor::packed(FILE, &|| 0.0).err().unwrap().to_string();
        assert!(error.contains(TABLE), "{error}");
        let packed = pack(FILE, std::env::consts::ARCH, &[]).unwrap();
        assert!(pack(&packed, std::env::consts::ARCH, &[]).is_err(), "packed twice");
        assert!(Redactor::packed(&packed[..packed.len() / 2], &|| 0.0).is_err(), "half a file");
    }
}
