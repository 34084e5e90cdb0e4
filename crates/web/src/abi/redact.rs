//! The exports of a module that redacts.

use std::cell::RefCell;

use lacuna::json::ApiError;

use super::{keep_place_of_panics, leave, slice};
use crate::session::{self, Outcome, Session};

#[link(wasm_import_module = "lacuna")]
unsafe extern "C" {
    /// Milliseconds of a monotonic clock: the only import.
    safe fn now() -> f64;
}

thread_local! {
    static SESSION: RefCell<Option<Session<'static>>> = const { RefCell::new(None) };
}

/// Takes a model file for good.
///
/// # Safety
/// `bytes` bytes at `address` were reserved and written, and are neither changed nor released afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn load(address: *const u8, bytes: usize) -> u32 {
    keep_place_of_panics();
    // SAFETY: the caller's promise: the bytes are there and stay as they are while the instance lives.
    let file: &'static [u8] = unsafe { slice(address, bytes) };
    let loaded = if session::is_packed(file) {
        Session::packed(file, &clock)
    } else {
        session::table(file).and_then(|table| Session::plain(file, table.leak(), &clock))
    };
    leave(loaded.map(|loaded| {
        let version = loaded.version();
        SESSION.set(Some(loaded));
        version
    }))
}

/// Answers a text; `logits` is empty, or holds what all its windows were read as.
///
/// # Safety
/// The three ranges were written by the caller and stay as they are during the call; `logits` is a multiple of 4.
#[unsafe(no_mangle)]
unsafe extern "C" fn redact(
    text: *const u8,
    text_bytes: usize,
    options: *const u8,
    options_bytes: usize,
    logits: *const f32,
    logits_count: usize,
) -> u32 {
    // SAFETY: the caller's promise.
    let (text, options) = unsafe { (slice(text, text_bytes), slice(options, options_bytes)) };
    // SAFETY: the caller's promise.
    let read = (!logits.is_null()).then(|| unsafe { slice(logits, logits_count) });
    leave(with_session(|session| session.redact(text, options, read, &clock)))
}

/// The windows of a text.
///
/// # Safety
/// As `redact`.
#[unsafe(no_mangle)]
unsafe extern "C" fn windows(
    text: *const u8,
    text_bytes: usize,
    options: *const u8,
    options_bytes: usize,
) -> u32 {
    // SAFETY: the caller's promise.
    let (text, options) = unsafe { (slice(text, text_bytes), slice(options, options_bytes)) };
    leave(with_session(|session| session.windows(text, options)))
}

/// Reads one window.
///
/// # Safety
/// `count` ids were written at `ids`, a multiple of 4, and stay as they are during the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn forward(ids: *const u32, count: usize) -> u32 {
    // SAFETY: the caller's promise.
    let ids = unsafe { slice(ids, count) };
    leave(with_session(|session| session.forward(ids, &clock)))
}

/// The plain view of one text.
///
/// # Safety
/// As `redact`.
#[unsafe(no_mangle)]
unsafe extern "C" fn logits(text: *const u8, text_bytes: usize) -> u32 {
    // SAFETY: the caller's promise.
    let text = unsafe { slice(text, text_bytes) };
    leave(with_session(|session| session.logits(text)))
}

/// Answers a restore request.
///
/// # Safety
/// As `redact`.
#[unsafe(no_mangle)]
unsafe extern "C" fn restore(body: *const u8, bytes: usize) -> u32 {
    // SAFETY: the caller's promise.
    leave(session::restore(unsafe { slice(body, bytes) }))
}

fn clock() -> f64 {
    now()
}

fn with_session(work: impl FnOnce(&Session<'static>) -> Outcome) -> Outcome {
    SESSION.with_borrow(|session| match session {
        Some(session) => work(session),
        None => Err(ApiError::new(400, "not_loaded", "no model was loaded into this instance")),
    })
}
