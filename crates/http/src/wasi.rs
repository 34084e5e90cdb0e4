//! Bytes in and out through wasi:http.

use wasip2::cli::stdin::get_stdin;
use wasip2::clocks::monotonic_clock;
use wasip2::http::types::{
    Fields, IncomingBody, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam,
};
use wasip2::io::streams::{InputStream, OutputStream, StreamError};

use crate::routes::{self, Answer, BODY_LIMIT, Call};

/// Bytes asked for in one call of the host; it hands over what it has.
const READ: u64 = 1 << 20;

pub fn handle(request: &IncomingRequest, out: ResponseOutparam) {
    let method = match request.method() {
        Method::Get => "GET",
        Method::Head => "HEAD",
        Method::Post => "POST",
        _ => "other",
    };
    let target = request.path_with_query().unwrap_or_default();
    let answer = match routes::route(method, &target) {
        Call::Ready(answer) => answer,
        Call::WithBody(handler) => match body(request) {
            Ok(body) => handler(&body, &milliseconds),
            Err(answer) => answer,
        },
    };
    send(answer, out);
}

fn milliseconds() -> f64 {
    monotonic_clock::now() as f64 / 1e6
}

/// The whole body, or the error that answers for it.
fn body(request: &IncomingRequest) -> Result<Vec<u8>, Answer> {
    let announced = length(request);
    let mut limit = BODY_LIMIT;
    if announced.is_some_and(|bytes| bytes > limit) {
        limit = configured_limit();
    }
    if announced.is_some_and(|bytes| bytes > limit) {
        return Err(routes::body_too_large(limit, announced));
    }
    let incoming = request.consume().map_err(|()| routes::body_broken())?;
    let stream = incoming.stream().map_err(|()| routes::body_broken())?;
    let mut bytes = Vec::new();
    loop {
        match stream.blocking_read(READ) {
            Ok(more) if bytes.is_empty() => bytes = more,
            Ok(more) => bytes.extend_from_slice(&more),
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(_)) => return Err(routes::body_broken()),
        }
        if bytes.len() as u64 > limit {
            limit = limit.max(configured_limit());
            if bytes.len() as u64 > limit {
                return Err(routes::body_too_large(limit, None));
            }
        }
    }
    drop(stream);
    drop(IncomingBody::finish(incoming));
    Ok(bytes)
}

fn length(request: &IncomingRequest) -> Option<u64> {
    let values = request.headers().get("content-length");
    std::str::from_utf8(values.first()?).ok()?.parse().ok()
}

/// A host that holds another limit says so on standard input, which a client cannot reach: `body-limit N`.
/// Asked only when a body is over the default.
fn configured_limit() -> u64 {
    let settings = read_settings(&get_stdin()).unwrap_or_default();
    let settings = String::from_utf8_lossy(&settings);
    let line = settings.lines().find_map(|line| line.strip_prefix("body-limit "));
    line.and_then(|number| number.trim().parse().ok()).unwrap_or(BODY_LIMIT)
}

fn read_settings(stdin: &InputStream) -> Result<Vec<u8>, StreamError> {
    // Not blocking: a host with an open terminal there must not hold the request.
    stdin.read(4096)
}

fn send(answer: Answer, out: ResponseOutparam) {
    let mut headers: Vec<(String, Vec<u8>)> = Vec::with_capacity(answer.headers.len() + 1);
    for (name, value) in answer.headers {
        headers.push((name.to_owned(), value.into_bytes()));
    }
    headers.push(("content-length".to_owned(), answer.body.len().to_string().into_bytes()));
    // Every name and value above is ours and valid, so nothing is lost where a host disagrees.
    let response = OutgoingResponse::new(Fields::from_list(&headers).unwrap_or_else(|_| Fields::new()));
    let _ = response.set_status_code(answer.status);
    let body = response.body();
    ResponseOutparam::set(out, Ok(response));
    let Ok(body) = body else { return };
    if let Ok(stream) = body.write() {
        // A client that went away needs no answer.
        let _ = write(&stream, &answer.body);
    }
    let _ = OutgoingBody::finish(body, None);
}

fn write(stream: &OutputStream, mut bytes: &[u8]) -> Result<(), StreamError> {
    while !bytes.is_empty() {
        let room = usize::try_from(stream.check_write()?).unwrap_or(usize::MAX);
        if room == 0 {
            stream.subscribe().block();
            continue;
        }
        let (now, rest) = bytes.split_at(room.min(bytes.len()));
        stream.write(now)?;
        bytes = rest;
    }
    Ok(())
}
