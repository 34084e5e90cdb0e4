//! What is answered where. Plain data in, plain data out: no host, no streams.

use lacuna::Redactor;
use lacuna::json::{self, ApiError};

/// Bytes of a request body; more is 413. A megabyte is a book of 150,000 words. A host that was configured
/// otherwise says so (`wasi::configured_limit`).
pub const BODY_LIMIT: u64 = 1 << 20;

/// Milliseconds of any monotonic clock.
pub type Clock<'a> = &'a dyn Fn() -> f64;

/// What goes back.
#[derive(Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// How a request is answered.
pub enum Call {
    /// At once, without a look at the body.
    Ready(Answer),
    /// By this function, once the body is there.
    WithBody(fn(&[u8], Clock) -> Answer),
}

/// Finds the answer for a method and a request target such as `/redact?x`.
pub fn route(method: &str, target: &str) -> Call {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let (allowed, call): (&str, fn() -> Call) = match path {
        // First, and before anything of the model is touched: it measures the sandbox alone.
        "/ping" => ("GET, HEAD", || Call::Ready(plain("text/plain; charset=utf-8", b"pong\n"))),
        "/redact" => ("POST", || Call::WithBody(redact)),
        "/restore" => ("POST", || Call::WithBody(restore)),
        "/version" => ("GET, HEAD", || Call::Ready(version())),
        "/" => ("GET, HEAD", || Call::Ready(page())),
        _ => return Call::Ready(not_found()),
    };
    if allowed.split(", ").any(|one| one == method) { call() } else { Call::Ready(not_allowed(allowed)) }
}

/// Which of the two builds this is: same bits, other instructions.
pub const BUILD: &str = if cfg!(target_feature = "relaxed-simd") { "relaxed" } else { "simd128" };

fn redact(body: &[u8], clock: Clock) -> Answer {
    let outcome = Redactor::embedded_timed(None, clock).map_err(ApiError::from);
    match outcome.and_then(|redactor| json::redact_request(&redactor, body, clock)) {
        Ok(answer) => {
            let mut response = json(200, answer.json);
            response.headers.push(("server-timing", answer.server_timing));
            response
        }
        Err(error) => failure(&error),
    }
}

fn restore(body: &[u8], _clock: Clock) -> Answer {
    match json::restore_request(body) {
        Ok(text) => json(200, text),
        Err(error) => failure(&error),
    }
}

fn version() -> Answer {
    json(200, json::version(BUILD))
}

/// The page has no outside resource, and the policy says so: its script talks to this server only.
fn page() -> Answer {
    let mut answer = plain("text/html; charset=utf-8", include_bytes!("page.html"));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                  connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    answer.headers.push(("content-security-policy", policy.to_owned()));
    answer
}

/// 413: `got` where the length was announced.
pub fn body_too_large(limit: u64, got: Option<u64>) -> Answer {
    let message = format!("the body has more than the {limit} bytes that are allowed");
    let mut error = ApiError::new(413, "body_too_large", message);
    error.field = Some("body".to_owned());
    error.limit = Some(limit);
    error.got = got.map(Into::into);
    failure(&error)
}

/// 400: the client went away or the host could not read on.
pub fn body_broken() -> Answer {
    let mut error = ApiError::new(400, "body_broken", "the body broke off".to_owned());
    error.field = Some("body".to_owned());
    failure(&error)
}

fn not_found() -> Answer {
    let message = "there are POST /redact, POST /restore, GET /ping, GET /version and GET /";
    failure(&ApiError::new(404, "not_found", message.to_owned()))
}

fn not_allowed(allowed: &str) -> Answer {
    let message = format!("this path takes {allowed}");
    let mut answer = failure(&ApiError::new(405, "method_not_allowed", message));
    answer.headers.push(("allow", allowed.to_owned()));
    answer
}

fn failure(error: &ApiError) -> Answer {
    json(error.status, error.to_json())
}

fn json(status: u16, text: String) -> Answer {
    let mut answer = plain("application/json", text.as_bytes());
    answer.status = status;
    answer
}

fn plain(kind: &str, body: &[u8]) -> Answer {
    let headers = vec![
        ("content-type", kind.to_owned()),
        // Answers hold what was private a moment ago.
        ("cache-control", "no-store".to_owned()),
        ("x-content-type-options", "nosniff".to_owned()),
    ];
    Answer { status: 200, headers, body: body.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(method: &str, target: &str) -> Answer {
        match route(method, target) {
            Call::Ready(answer) => answer,
            Call::WithBody(_) => panic!("{method} {target} wants a body"),
        }
    }

    #[test]
    fn paths_and_methods() {
        assert_eq!(ready("GET", "/ping").body, b"pong\n");
        assert_eq!(ready("HEAD", "/ping?x=1").status, 200);
        assert_eq!(ready("GET", "/nowhere").status, 404);
        let refused = ready("GET", "/redact");
        assert_eq!(refused.status, 405);
        assert!(refused.headers.contains(&("allow", "POST".to_owned())));
        assert_eq!(ready("other", "/").status, 405);
        assert!(matches!(route("POST", "/redact"), Call::WithBody(_)));
    }

    #[test]
    fn every_error_is_json_of_the_one_form() {
        for answer in
            [ready("GET", "/nowhere"), ready("POST", "/ping"), body_too_large(10, Some(11)), body_broken()]
        {
            let text = String::from_utf8(answer.body).unwrap();
            assert!(text.starts_with(r#"{"error":{"code":""#), "{text}");
            assert!(
                answer
                    .headers
                    .iter()
                    .any(|(name, value)| *name == "content-type" && value == "application/json")
            );
        }
        let text = String::from_utf8(body_too_large(10, Some(11)).body).unwrap();
        assert!(
            text.contains(r#""field":"body""#)
                && text.contains(r#""limit":10"#)
                && text.contains(r#""got":11"#)
        );
    }

    #[test]
    fn the_page_needs_nothing_from_outside() {
        let page = String::from_utf8(ready("GET", "/").body).unwrap();
        for outside in ["src=", "href=\"http", "@import", "url(http", "//cdn"] {
            assert!(!page.contains(outside), "{outside}");
        }
        for label in ["GIVEN_NAME", "DATE_OF_BIRTH"] {
            assert!(page.contains(label));
        }
    }
}
