//! What an instance answers: bytes of JSON in, bytes of JSON out.

use lacuna::json::{self, ApiError};
use lacuna::{Clock, Redactor};
use serde_json::json;

use crate::BUILD;

/// A model that is ready, and where it comes from.
pub struct Session<'a> {
    redactor: Redactor<'a>,
    model: String,
    sha256: Option<String>,
}

/// The bytes of an answer, or the error that answers in its place.
pub type Outcome = Result<Vec<u8>, ApiError>;

/// Whether `file` carries its tokenizer compiled, so that [`Session::packed`] can read it in place.
pub fn is_packed(file: &[u8]) -> bool {
    lacuna::is_packed(file)
}

impl<'a> Session<'a> {
    /// Over a file that `lacuna::pack` made, read in place.
    ///
    /// # Errors
    /// A damaged file, or one packed for another layout.
    pub fn packed(file: &'a [u8], clock: Clock<'_>) -> Result<Session<'a>, ApiError> {
        Ok(Session::around(Redactor::packed(file, clock).map_err(unusable)?, file))
    }

    /// Over a file as `lacuna convert` writes it and the table that [`table`] made of it.
    ///
    /// # Errors
    /// A damaged file.
    pub fn plain(file: &'a [u8], table: &'a [u8], clock: Clock<'_>) -> Result<Session<'a>, ApiError> {
        Ok(Session::around(Redactor::new(file, table, None, clock).map_err(unusable)?, file))
    }

    fn around(redactor: Redactor<'a>, file: &[u8]) -> Session<'a> {
        let model = lacuna::file_key(file, "general.name").unwrap_or_default();
        let sha256 = lacuna::file_key(file, SOURCE_SHA256);
        Session { redactor, model, sha256 }
    }

    /// `{"version", "build", "model", "model_sha256", "rules_version"}`; the digest is that of the file as converted,
    /// and null where the file does not say.
    pub fn version(&self) -> Vec<u8> {
        let answer = json!({
            "version": lacuna::VERSION,
            "build": BUILD,
            "model": self.model,
            "model_sha256": self.sha256,
            "rules_version": rules::VERSION,
        });
        answer.to_string().into_bytes()
    }

    /// The API's answer to a text, with `"server_timing"` beside it. `read` holds the logits of all windows where
    /// others have computed them.
    ///
    /// # Errors
    /// Text that is not UTF-8, options that are not the API's.
    pub fn redact(&self, text: &[u8], options: &[u8], read: Option<&[f32]>, clock: Clock<'_>) -> Outcome {
        let text = utf8(text)?;
        let options = json::options(json::object(options)?)?;
        let redaction = match read {
            None => self.redactor.redact_timed(text, &options, clock)?,
            Some(logits) => self.redactor.redact_read(text, &options, logits, clock)?,
        };
        let mut answer = json::answer(&redaction, &options);
        answer["server_timing"] = redaction.timings.server_timing().into();
        Ok(answer.to_string().into_bytes())
    }

    /// The ids of each window as little-endian u32: their number, the length of each, then the ids of each.
    ///
    /// # Errors
    /// As [`Session::redact`].
    pub fn windows(&self, text: &[u8], options: &[u8]) -> Outcome {
        let options = json::options(json::object(options)?)?;
        let windows = self.redactor.window_ids(utf8(text)?, &options)?;
        let lengths = windows.iter().map(|ids| ids.len() as u32);
        let numbers =
            std::iter::once(windows.len() as u32).chain(lengths).chain(windows.iter().flatten().copied());
        Ok(numbers.flat_map(u32::to_le_bytes).collect())
    }

    /// The logits of one window as little-endian f32, then four more: the milliseconds of the pass, of its matrix
    /// products, of its attention and of the rest.
    ///
    /// # Errors
    /// Ids the model does not have, or more than it reads at once.
    pub fn forward(&self, ids: &[u32], clock: Clock<'_>) -> Outcome {
        let (mut numbers, times) = self
            .redactor
            .forward_timed(ids, clock)
            .map_err(|e| ApiError::new(400, "invalid_ids", e.to_string()))?;
        numbers.extend([times.forward, times.matmul, times.attention, times.other].map(|value| value as f32));
        Ok(little_endian(&numbers))
    }

    /// The plain view of one text, as `lacuna logits` has it, without the labels: `rows`, then ids and byte ranges
    /// as u32, then `[rows, labels]` logits as f32, all little-endian.
    ///
    /// # Errors
    /// A text longer than one pass.
    pub fn logits(&self, text: &[u8]) -> Outcome {
        let logits = self.redactor.logits(utf8(text)?, None)?;
        let ranges = logits.ranges.iter().flat_map(|&(start, end)| [start, end]);
        let numbers =
            std::iter::once(logits.ids.len() as u32).chain(logits.ids.iter().copied()).chain(ranges);
        let mut out: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        out.extend(little_endian(&logits.values));
        Ok(out)
    }
}

/// The key under which a packed file says which file it was made of.
pub const SOURCE_SHA256: &str = "lacuna.source_sha256";

/// Compiles the tokenizer of a file that is not packed.
///
/// # Errors
/// A damaged file, or a tokenizer of an unknown kind.
pub fn table(file: &[u8]) -> Result<Vec<u8>, ApiError> {
    lacuna::tokenizer_table(file).map_err(unusable)
}

/// The API's answer to a restore request.
///
/// # Errors
/// What the error says.
pub fn restore(body: &[u8]) -> Outcome {
    json::restore_request(body).map(String::into_bytes)
}

fn unusable(error: lacuna::Error) -> ApiError {
    ApiError { field: Some("model".into()), ..ApiError::new(400, "invalid_model", error.to_string()) }
}

fn utf8(text: &[u8]) -> Result<&str, ApiError> {
    std::str::from_utf8(text).map_err(|e| {
        ApiError::new(
            400,
            "invalid_utf8",
            format!("the text is not UTF-8: invalid byte at {}", e.valid_up_to()),
        )
    })
}

/// All NaNs are one value on the way out.
fn little_endian(values: &[f32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 * values.len());
    for value in values {
        let bits = if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
        out.extend_from_slice(&bits.to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = include_bytes!("../../../models/rampart/rampart-q4_0.gguf");

    fn text_of(outcome: Outcome) -> serde_json::Value {
        serde_json::from_slice(&outcome.unwrap()).unwrap()
    }

    #[test]
    fn an_answer_is_the_apis_with_timing_beside_it() {
        let table = table(FILE).unwrap();
        let session = Session::plain(FILE, &table, &|| 0.0).unwrap();
        let answer = text_of(session.redact(b"Ana, ana@example.org", br#"{"map":"plain"}"#, None, &|| 0.0));
        let fields: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["redacted_text", "items", "windows", "tokens", "map", "server_timing"]);
        assert_eq!(answer["map"]["[EMAIL_1]"], "ana@example.org");
        let version: serde_json::Value = serde_json::from_slice(&session.version()).unwrap();
        assert_eq!(version["build"], BUILD);
        assert!(version["model_sha256"].is_null(), "a file as converted does not know its own digest");
    }

    /// A clock that moves on by one at each look.
    fn ticking() -> impl Fn() -> f64 {
        let now = std::cell::Cell::new(0.0);
        move || {
            now.set(now.get() + 1.0);
            now.get()
        }
    }

    #[test]
    fn windows_and_logits_have_the_written_form() {
        let table = table(FILE).unwrap();
        let session = Session::plain(FILE, &table, &|| 0.0).unwrap();
        let text = "Ana Lima lives in Lisboa. ".repeat(40);
        let words: Vec<u32> = session
            .windows(text.as_bytes(), b"{}")
            .unwrap()
            .as_chunks()
            .0
            .iter()
            .map(|b| u32::from_le_bytes(*b))
            .collect();
        let count = words[0] as usize;
        assert!(count > 1);
        let lengths = &words[1..=count];
        assert_eq!(words.len(), 1 + count + lengths.iter().sum::<u32>() as usize);
        let mut ids = &words[1 + count..];
        let mut read: Vec<f32> = Vec::new();
        for &length in lengths {
            let (now, later) = ids.split_at(length as usize);
            let numbers = session.forward(now, &ticking()).unwrap();
            let numbers: Vec<f32> = numbers.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
            let (logits, times) = numbers.split_at(numbers.len() - 4);
            assert!(times[0] >= times[1..].iter().sum() && times.iter().all(|&ms| ms > 0.0), "{times:?}");
            read.extend(logits);
            ids = later;
        }
        let ours = session.redact(text.as_bytes(), b"{}", Some(&read), &|| 0.0).unwrap();
        assert_eq!(ours, session.redact(text.as_bytes(), b"{}", None, &|| 0.0).unwrap());
        assert_eq!(session.logits(b"Ana").unwrap().len(), 4 + 3 * (4 + 8 + 35 * 4), "[CLS] ana [SEP]");
    }

    #[test]
    fn bad_input_is_refused_by_name() {
        let table = table(FILE).unwrap();
        let session = Session::plain(FILE, &table, &|| 0.0).unwrap();
        let code = |outcome: Outcome| outcome.unwrap_err().code;
        assert_eq!(code(session.redact(b"\xff", b"{}", None, &|| 0.0)), "invalid_utf8");
        assert_eq!(code(session.redact(b"", b"[]", None, &|| 0.0)), "invalid_json");
        assert_eq!(code(session.redact(b"", br#"{"what":1}"#, None, &|| 0.0)), "unknown_field");
        assert_eq!(code(session.redact(b"", br#"{"map":"sealed"}"#, None, &|| 0.0)), "unsupported");
        assert_eq!(code(session.forward(&[1 << 30], &|| 0.0)), "invalid_ids");
        assert_eq!(code(session.forward(&[], &|| 0.0)), "invalid_ids");
        assert_eq!(code(restore(b"{}")), "invalid_field");
        assert_eq!(Session::packed(FILE, &|| 0.0).err().unwrap().code, "invalid_model");
        assert_eq!(code(table_of(&FILE[..100])), "invalid_model");
    }

    fn table_of(file: &[u8]) -> Outcome {
        table(file)
    }
}
