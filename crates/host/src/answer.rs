//! The host's own answers: JSON errors in the project's one form.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::{Map, Value};

/// Whole: a guest that fails after its first bytes must still become a clean error.
pub type Answer = Response<Full<Bytes>>;

/// `{"error": {"code", "message", "field"?, "limit"?, "got"?}}` with a status.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: String,
    pub field: Option<&'static str>,
    pub limit: Option<u64>,
    pub got: Option<u64>,
    /// Close the connection: the rest of the request was not read.
    pub close: bool,
}

impl Failure {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Failure {
        Failure { status, code, message: message.into(), field: None, limit: None, got: None, close: false }
    }

    pub fn body_too_large(limit: usize, got: Option<u64>) -> Failure {
        let message = match got {
            Some(got) => format!("the body has {got} bytes, at most {limit} are allowed"),
            None => format!("the body has more than the {limit} bytes that are allowed"),
        };
        let failure = Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message);
        Failure { field: Some("body"), limit: Some(limit as u64), got, close: true, ..failure }
    }

    pub fn into_answer(self) -> Answer {
        let mut error = Map::new();
        error.insert("code".into(), self.code.into());
        error.insert("message".into(), self.message.into());
        if let Some(field) = self.field {
            error.insert("field".into(), field.into());
        }
        for (name, value) in [("limit", self.limit), ("got", self.got)] {
            if let Some(value) = value {
                error.insert(name.into(), value.into());
            }
        }
        let body = Value::from(Map::from_iter([("error".to_owned(), Value::Object(error))])).to_string();
        let mut answer = Response::new(Full::new(Bytes::from(body)));
        *answer.status_mut() = self.status;
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        answer
    }
}
