//! The exports. Addresses and lengths are u32; a call returns 0 and leaves its answer, or 1 and leaves the JSON of an
//! error, where `answer_address` and `answer_bytes` say, until the next call.
//!
//! One instance holds one model for its whole life: whoever is done with it drops the instance, memory and all.

#[cfg(feature = "complete")]
mod complete;
#[cfg(feature = "redact")]
mod redact;

use std::alloc::{Layout, alloc as allocate, dealloc};
use std::cell::RefCell;
use std::panic;

use lacuna::json::ApiError;

use crate::memory;

/// What is read in place wants whole cache lines.
const ALIGNMENT: usize = 64;

thread_local! {
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

/// Notes the source line of a panic, for `panic_place`.
fn keep_place_of_panics() {
    panic::set_hook(Box::new(|info| {
        // The place, never the message: that may quote the text.
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        PANIC.with_borrow_mut(|panic| *panic = place);
    }));
}

/// Leaves an answer or an error; returns which.
fn leave(outcome: Result<Vec<u8>, ApiError>) -> u32 {
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
