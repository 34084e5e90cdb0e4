//! The exports. Addresses and lengths are u32; a call returns 0 and leaves its answer, or 1 and leaves the JSON of an
//! error, where `answer_address` and `answer_bytes` say, until the next call.
//!
//! One instance holds one model for its whole life: whoever is done with it drops the instance, memory and all.

use std::alloc::{Layout, alloc as allocate, dealloc};
use std::cell::RefCell;
use std::panic;

use lacuna::json::ApiError;

use crate::memory;
use crate::session::{self, Outcome, Session};

#[link(wasm_import_module = "lacuna")]
unsafe extern "C" {
    /// Milliseconds of a monotonic clock: the only import.
    safe fn now() -> f64;
}

/// What is read in place wants whole cache lines.
const ALIGNMENT: usize = 64;

thread_local! {
    static SESSION: RefCell<Option<Session<'static>>> = const { RefCell::new(None) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Memory for the caller to write to, or 0 where there is none left.
#[unsafe(no_mangle)]
extern "C" fn reserve(bytes: usize) -> *mut u8 {
    match Layout::from_size_align(bytes.max(1), ALIGNMENT) {
        // SAFETY: the size is not zero.
        Ok(layout) => unsafe { allocate(layout) },
        Err(_) => std::ptr::null_mut(),
    }
}

/// Gives memory back that `reserve(bytes)` returned and no `load` has taken.
///
/// # Safety
/// `address` and `bytes` are those of one `reserve`, given back once.
#[unsafe(no_mangle)]
unsafe extern "C" fn release(address: *mut u8, bytes: usize) {
    if let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGNMENT) {
        // SAFETY: the caller hands over what `reserve` allocated with this layout.
        unsafe { dealloc(address, layout) }
    }
}

/// Takes a model file for good.
///
/// # Safety
/// `bytes` bytes at `address` were reserved and written, and are neither changed nor released afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn load(address: *const u8, bytes: usize) -> u32 {
    panic::set_hook(Box::new(|info| {
        // The place, never the message: that may quote the text.
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        PANIC.with_borrow_mut(|panic| *panic = place);
    }));
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

#[unsafe(no_mangle)]
extern "C" fn answer_address() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn answer_bytes() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// Leaves the source line of the panic that trapped this instance, if one did.
#[unsafe(no_mangle)]
extern "C" fn panic_place() -> u32 {
    let place = PANIC.with_borrow(|place| place.clone().into_bytes());
    ANSWER.set(place);
    0
}

/// Bytes of the allocation that could not be made, or 0: tells a trap for want of memory from others.
#[unsafe(no_mangle)]
extern "C" fn refused_bytes() -> usize {
    memory::refused_bytes()
}

/// Bytes this instance may hold at once; 0 for what the engine gives.
#[unsafe(no_mangle)]
extern "C" fn limit_memory(bytes: usize) {
    memory::limit(bytes);
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

fn leave(outcome: Outcome) -> u32 {
    let (status, bytes) = match outcome {
        Ok(bytes) => (0, bytes),
        Err(error) => (1, error.to_json().into_bytes()),
    };
    ANSWER.set(bytes);
    status
}

/// # Safety
/// As [`std::slice::from_raw_parts`], but for an empty range, whose address does not matter.
unsafe fn slice<T>(address: *const T, count: usize) -> &'static [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(address, count) }
}
