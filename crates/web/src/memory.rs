//! The allocator: the standard one with a limit, and a note of what it refused. Rust ends a program that cannot
//! allocate with a trap; the note tells the loader why, so that it can throw an error with a name.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Limited;

/// Bytes that no limit refuses: an error needs some to be told.
const ALWAYS: usize = if cfg!(feature = "complete") { 4096 } else { 0 };

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

/// What was refused is answered for; the next trap has another reason.
#[cfg(feature = "complete")]
pub fn forget_refusal() {
    REFUSED.store(0, Relaxed);
}

/// Whether so many bytes can be had now.
#[cfg(feature = "complete")]
pub fn can_have(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Allocations of this size are worth [`make_room`]: models.
#[cfg(feature = "complete")]
const LARGE: usize = 8 << 20;

/// What lies between allocations, at most: a few are left when a model gets its place.
#[cfg(feature = "complete")]
const BETWEEN: usize = 1 << 20;

/// Bytes of memory before the first allocation.
#[cfg(feature = "complete")]
static START: AtomicUsize = AtomicUsize::new(0);

#[cfg(feature = "complete")]
fn memory_bytes() -> usize {
    core::arch::wasm32::memory_size::<0>() << 16
}

/// Joins what is free at the end of memory with new pages, so that one piece of `bytes` fits there. The allocator beneath
/// asks for as much as the piece is, however much is free: the compiler of a tokenizer would leave its megabytes lying
/// before the model. No harm is done where it does not work out.
#[cfg(feature = "complete")]
fn make_room(bytes: usize) {
    let before = memory_bytes();
    let lost = START.load(Relaxed) + HELD.load(Relaxed) + BETWEEN;
    let free = before.saturating_sub(lost);
    if free < BETWEEN || free >= bytes {
        return;
    }
    let pieces = [free, bytes - free + BETWEEN].map(|size| Layout::from_size_align(size, 1));
    let [Ok(free), Ok(new)] = pieces else { return };
    // SAFETY: neither size is zero; both pieces go back as they came, and nobody else has seen them.
    unsafe {
        let first = System.alloc(free);
        if !first.is_null() && memory_bytes() == before {
            let second = System.alloc(new);
            if !second.is_null() {
                System.dealloc(second, new);
            }
        }
        if !first.is_null() {
            System.dealloc(first, free);
        }
    }
}

/// Books `more` bytes and makes them with `make`, or notes the refusal.
fn booked(more: usize, make: impl FnOnce() -> *mut u8) -> *mut u8 {
    #[cfg(feature = "complete")]
    if START.load(Relaxed) == 0 {
        START.store(memory_bytes(), Relaxed);
    }
    let held = HELD.load(Relaxed);
    let made = if more > ALWAYS && more > LIMIT.load(Relaxed).saturating_sub(held) {
        std::ptr::null_mut()
    } else {
        make()
    };
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
        booked(layout.size(), || {
            #[cfg(feature = "complete")]
            if layout.size() >= LARGE {
                make_room(layout.size());
            }
            // SAFETY: the caller's promise, passed on.
            unsafe { System.alloc(layout) }
        })
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
