//! The allocator: the standard one with a limit, and a note of what it refused. Rust ends a program that cannot
//! allocate with a trap; the note tells the loader why, so that it can throw an error with a name.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

static HELD: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

pub fn limit(bytes: usize) {
    LIMIT.store(if bytes == 0 { usize::MAX } else { bytes }, Relaxed);
}

pub fn refused_bytes() -> usize {
    REFUSED.load(Relaxed)
}

/// Books `more` bytes and makes them with `make`, or notes the refusal.
fn booked(more: usize, make: impl FnOnce() -> *mut u8) -> *mut u8 {
    let held = HELD.load(Relaxed);
    let made = if more > LIMIT.load(Relaxed).saturating_sub(held) { std::ptr::null_mut() } else { make() };
    if made.is_null() {
        REFUSED.store(more, Relaxed);
    } else {
        HELD.store(held + more, Relaxed);
    }
    made
}

// SAFETY: every call goes to the system's allocator as it came; a null return is what the trait allows for failure.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        booked(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        booked(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        HELD.store(HELD.load(Relaxed) - layout.size(), Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(address, layout) }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size <= layout.size() {
            // SAFETY: the caller's promise, passed on.
            let made = unsafe { System.realloc(address, layout, size) };
            if !made.is_null() {
                HELD.store(HELD.load(Relaxed) - (layout.size() - size), Relaxed);
            }
            return made;
        }
        // SAFETY: the caller's promise, passed on.
        booked(size - layout.size(), || unsafe { System.realloc(address, layout, size) })
    }
}
