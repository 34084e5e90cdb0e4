//! The JSON of the API: the same over HTTP, on the command line and in JavaScript.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map as Object, Value, json};

use crate::{
    Clock, Consistency, Error, Item, Map, MapMode, Mode, Options, Redaction, Redactor, RestoreMode, Source,
    Threshold, restore,
};

/// Why a request was refused, in the terms of HTTP.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    /// HTTP status.
    pub status: u16,
    /// A stable name, e.g. `invalid_field`.
    pub code: &'static str,
    /// One sentence for people.
    pub message: String,
    /// The field at fault, e.g. `threshold.EMAIL`.
    pub field: Option<String>,
    /// The limit that was passed.
    pub limit: Option<u64>,
    /// What was found in its place.
    pub got: Option<Value>,
}

impl ApiError {
    /// A refusal without a field.
    pub fn new(status: u16, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into(), field: None, limit: None, got: None }
    }

    fn field(field: &str, message: impl Into<String>, got: Option<Value>) -> ApiError {
        ApiError { field: Some(field.into()), got, ..ApiError::new(400, "invalid_field", message) }
    }

    /// A body over the limit.
    pub fn too_large(limit: u64, got: u64) -> ApiError {
        let message = format!("the body has {got} bytes, the limit is {limit}");
        ApiError {
            limit: Some(limit),
            got: Some(got.into()),
            ..ApiError::new(413, "body_too_large", message)
        }
    }

    /// `{"error": {...}}`.
    pub fn to_json(&self) -> String {
        json!({ "error": self.to_value() }).to_string()
    }

    /// The inner object of [`ApiError::to_json`].
    pub fn to_value(&self) -> Value {
        let mut error = Object::new();
        error.insert("code".into(), self.code.into());
        error.insert("message".into(), self.message.clone().into());
        if let Some(field) = &self.field {
            error.insert("field".into(), field.clone().into());
        }
        if let Some(limit) = self.limit {
            error.insert("limit".into(), limit.into());
        }
        if let Some(got) = &self.got {
            error.insert("got".into(), got.clone());
        }
        error.into()
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> ApiError {
        match error {
            Error::Option { field, message } => ApiError::field(&field, message, None),
            Error::Unsupported { field } => {
                let message = format!("{field} is not supported by this version");
                ApiError { code: "unsupported", ..ApiError::field(&field, message, None) }
            }
            other => ApiError::new(500, "internal", other.to_string()),
        }
    }
}

/// An answered request.
pub struct Answer {
    /// The body.
    pub json: String,
    /// The `Server-Timing` header.
    pub server_timing: String,
}

/// Answers the body of `POST /redact`.
///
/// # Errors
/// What `to_json` of the error says.
pub fn redact_request(redactor: &Redactor<'_>, body: &[u8], clock: Clock<'_>) -> Result<Answer, ApiError> {
    let mut request = object(body)?;
    let text = text_field(&mut request)?;
    let options = options(request)?;
    let redaction = redactor.redact_timed(&text, &options, clock)?;
    let server_timing = redaction.timings.server_timing();
    Ok(Answer { json: answer(&redaction, &options).to_string(), server_timing })
}

/// Answers the body of `POST /restore`.
///
/// # Errors
/// What `to_json` of the error says.
pub fn restore_request(body: &[u8]) -> Result<String, ApiError> {
    let mut request = object(body)?;
    let text = text_field(&mut request)?;
    let mut map = None;
    let mut mode = RestoreMode::Tolerant;
    for (field, value) in request {
        match field.as_str() {
            "map" => map = Some(map_field(value)?),
            "mode" => {
                mode = choice(
                    "mode",
                    &value,
                    &[("tolerant", RestoreMode::Tolerant), ("strict", RestoreMode::Strict)],
                )?;
            }
            "sealed" | "key" => return Err(Error::Unsupported { field }.into()),
            _ => return Err(unknown(&field)),
        }
    }
    let map = map.ok_or_else(|| ApiError::field("map", "is missing: the map of the redaction", None))?;
    let back = restore(&text, &map, mode);
    Ok(json!({ "text": back.text, "restored": back.restored, "unknown": back.unknown }).to_string())
}

/// The body of `GET /version`. `build` is `simd128`, `relaxed` or what else the port was built as.
#[cfg(feature = "rampart")]
pub fn version(build: &str) -> String {
    json!({
        "version": crate::VERSION,
        "build": build,
        "model": crate::embedded::MODEL_NAME,
        "model_sha256": crate::embedded::MODEL_SHA256,
        "rules_version": rules::VERSION,
    })
    .to_string()
}

/// One redaction as the API answers it.
pub fn answer(redaction: &Redaction, options: &Options) -> Value {
    let mut answer = Object::new();
    answer.insert("redacted_text".into(), redaction.text.clone().into());
    answer.insert("items".into(), items(&redaction.items, options.explain));
    answer.insert("windows".into(), redaction.windows.into());
    answer.insert("tokens".into(), redaction.tokens.into());
    if options.map == MapMode::Plain {
        let map: Object<String, Value> =
            redaction.map.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        answer.insert("map".into(), map.into());
    }
    answer.into()
}

/// The `items` of an answer.
pub fn items(items: &[Item], explain: bool) -> Value {
    items.iter().map(|found| item(found, explain)).collect()
}

fn item(item: &Item, explain: bool) -> Value {
    let mut out = Object::new();
    out.insert("label".into(), item.label.clone().into());
    if let Some(subtype) = item.subtype {
        out.insert("subtype".into(), subtype.into());
    }
    out.insert("placeholder".into(), item.placeholder.clone().into());
    out.insert("start".into(), item.chars.start.into());
    out.insert("end".into(), item.chars.end.into());
    out.insert("utf16".into(), json!([item.utf16.start, item.utf16.end]));
    out.insert("bytes".into(), json!([item.bytes.start, item.bytes.end]));
    out.insert("confidence".into(), rounded(item.confidence));
    let source = if item.source == Source::Rule { "rule" } else { "model" };
    out.insert("source".into(), source.into());
    if explain {
        let mut why = Object::new();
        let evidence = &item.evidence;
        if let Some(rule) = evidence.rule {
            why.insert("rule".into(), rule.into());
        }
        if let Some(label) = &evidence.model_label {
            why.insert("model_label".into(), label.clone().into());
        }
        if let Some(check) = evidence.check {
            why.insert("check".into(), check.into());
        }
        if let Some(context) = &evidence.context_word {
            why.insert("context".into(), context.clone().into());
        }
        out.insert("explain".into(), why.into());
    }
    out.into()
}

/// Four decimals: enough to choose a threshold, short enough to read.
fn rounded(confidence: f32) -> Value {
    json!(f64::from((confidence * 10_000.0).round()) / 10_000.0)
}

/// Reads the options of a request; unknown fields are refused by name.
///
/// # Errors
/// 400 with the field.
pub fn options(request: Object<String, Value>) -> Result<Options, ApiError> {
    let mut options = Options::default();
    for (field, value) in request {
        match field.as_str() {
            "labels" => options.labels = Some(names(&field, value)?),
            "keep" => options.keep = names(&field, value)?,
            "threshold" => options.threshold = threshold(value)?,
            "mode" => options.mode = choice(&field, &value, &[("full", Mode::Full), ("rules", Mode::Rules)])?,
            "consistency" => {
                let known = [
                    ("exact", Consistency::Exact),
                    ("ignore_case", Consistency::IgnoreCase),
                    ("off", Consistency::Off),
                ];
                options.consistency = choice(&field, &value, &known)?;
            }
            "map" if value == "sealed" => {
                return Err(Error::Unsupported { field: "map: sealed".into() }.into());
            }
            "map" => {
                options.map = choice(&field, &value, &[("none", MapMode::None), ("plain", MapMode::Plain)])?
            }
            "explain" => {
                options.explain = value
                    .as_bool()
                    .ok_or_else(|| ApiError::field(&field, "must be true or false", Some(brief(&value))))?;
            }
            "operators" | "allow" | "deny" | "rules" | "key" => {
                return Err(Error::Unsupported { field }.into());
            }
            _ => return Err(unknown(&field)),
        }
    }
    options.check()?;
    Ok(options)
}

/// Parses a body that must be one JSON object.
///
/// # Errors
/// 400: not UTF-8, not JSON (with line and column), not an object. The field is the one whose value breaks the
/// rules of JSON, a lone surrogate for one, and `body` where it is none.
pub fn object(body: &[u8]) -> Result<Object<String, Value>, ApiError> {
    let refused =
        |code, field: String, message| ApiError { field: Some(field), ..ApiError::new(400, code, message) };
    let text = std::str::from_utf8(body).map_err(|e| {
        let message = format!("the body is not UTF-8: invalid byte at {}", e.valid_up_to());
        refused("invalid_utf8", "body".into(), message)
    })?;
    let mut fields = Fields::default();
    let mut parser = serde_json::Deserializer::from_str(text);
    let parsed = (&mut fields).deserialize(&mut parser).and_then(|()| parser.end());
    match parsed {
        Ok(()) => Ok(fields.whole),
        Err(e) => {
            let field = fields.open.unwrap_or_else(|| "body".into());
            let message = match e.classify() {
                // The parser's own words would quote the text.
                Category::Data => format!("the body must be a JSON object, is {}", whole_kind(text)),
                _ => format!("the body is not JSON: {e}"),
            };
            Err(refused("invalid_json", field, message))
        }
    }
}

fn whole_kind(text: &str) -> &'static str {
    serde_json::from_str(text).as_ref().map_or("something else", kind)
}

/// The fields of an object, and the one whose value is being read.
#[derive(Default)]
struct Fields {
    whole: Object<String, Value>,
    open: Option<String>,
}

impl<'de> DeserializeSeed<'de> for &mut Fields {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Fields {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(name) = map.next_key::<String>()? {
            self.open = Some(name.clone());
            let value = map.next_value()?;
            self.whole.insert(name, value);
            self.open = None;
        }
        Ok(())
    }
}

fn text_field(request: &mut Object<String, Value>) -> Result<String, ApiError> {
    match request.remove("text") {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(ApiError::field("text", format!("must be a string, is {}", kind(&other)), None)),
        None => Err(ApiError::field("text", "is missing: the text to work on", None)),
    }
}

fn map_field(value: Value) -> Result<Map, ApiError> {
    let Value::Object(object) = value else {
        return Err(ApiError::field("map", "must be an object of placeholder to value", Some(brief(&value))));
    };
    object
        .into_iter()
        .map(|(name, value)| match value {
            Value::String(text) => Ok((name, text)),
            other => Err(ApiError::field(&format!("map.{name}"), "must be a string", Some(brief(&other)))),
        })
        .collect()
}

fn names(field: &str, value: Value) -> Result<Vec<String>, ApiError> {
    let wrong = |value: &Value| ApiError::field(field, "must be an array of label names", Some(brief(value)));
    let Value::Array(values) = value else { return Err(wrong(&value)) };
    values
        .into_iter()
        .map(|value| match value {
            Value::String(name) => Ok(name),
            other => Err(wrong(&other)),
        })
        .collect()
}

fn threshold(value: Value) -> Result<Threshold, ApiError> {
    let number = |field: &str, value: &Value| {
        let number = value
            .as_f64()
            .ok_or_else(|| ApiError::field(field, "must be a number from 0 to 1", Some(brief(value))))?;
        Ok::<f32, ApiError>(number as f32)
    };
    let mut threshold = Threshold::default();
    match value {
        Value::Object(by_label) => {
            for (label, value) in by_label {
                let number = number(&format!("threshold.{label}"), &value)?;
                threshold.by_label.insert(label, number);
            }
        }
        other => threshold.all = Some(number("threshold", &other)?),
    }
    Ok(threshold)
}

fn choice<T: Copy>(field: &str, value: &Value, known: &[(&str, T)]) -> Result<T, ApiError> {
    if let Some((_, choice)) = known.iter().find(|(name, _)| value == name) {
        return Ok(*choice);
    }
    let names: Vec<_> = known.iter().map(|(name, _)| format!("{name:?}")).collect();
    Err(ApiError::field(field, format!("must be one of {}", names.join(", ")), Some(brief(value))))
}

fn unknown(field: &str) -> ApiError {
    ApiError { code: "unknown_field", ..ApiError::field(field, format!("unknown field {field:?}"), None) }
}

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

/// What was found, short enough to send back; never a long text, which may be personal.
fn brief(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > 40 => {
            format!("a string of {} bytes", text.len()).into()
        }
        Value::Array(_) | Value::Object(_) => kind(value).into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_body_names_the_field_it_breaks_in() {
        for (body, code, field) in [
            (&b"{\"text\": \"\xff\"}"[..], "invalid_utf8", "body"),
            (b"", "invalid_json", "body"),
            (b"not json", "invalid_json", "body"),
            (b"[\"private\"]", "invalid_json", "body"),
            (b"{\"text\": \"a\"} {}", "invalid_json", "body"),
            (b"{\"text\": \"a\", 7}", "invalid_json", "body"),
            (b"{\"text\": \"a \\ud83d b\"}", "invalid_json", "text"),
            (b"{\"text\": \"a\", \"keep\": [\"\\udc00\"]}", "invalid_json", "keep"),
            (b"{\"text\": \"cut off", "invalid_json", "text"),
        ] {
            let error = object(body).expect_err("refused");
            let shown = error.to_json();
            assert_eq!(
                (error.status, error.code, error.field.as_deref()),
                (400, code, Some(field)),
                "{shown}"
            );
            assert!(!error.message.contains("private"), "{shown}");
        }
        assert!(object(b"[\"private\"]").unwrap_err().message.ends_with("is an array"));
        assert!(object("[".repeat(100_000).as_bytes()).is_err(), "no overflow of the stack");
        let fields = object(b" {\"text\": \"a\", \"text\": \"b\", \"n\": [1, {}]} ").unwrap();
        assert_eq!(Value::Object(fields).to_string(), r#"{"text":"b","n":[1,{}]}"#);
    }
}
