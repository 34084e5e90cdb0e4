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

#[cfg(feature = "complete")]
fn memory_bytes() -> usize {
    core::arch::wasm32::memory_size::<0>() << 16
}

/// Joins what is free at the end of memory with new pages, so that one piece of `bytes` fits there. The allocator beneath
/// asks for as much as a piece is, however much is free before it: the compiler of a tokenizer would leave its megabytes
/// lying in front of the model.
#[cfg(feature = "complete")]
pub fn make_room(bytes: usize) {
    /// What free memory is taken by, until there is none: the most that is lost.
    const PIECE: Layout = match Layout::from_size_align(256 << 10, 16) {
        Ok(layout) => layout,
        Err(_) => panic!("a power of two"),
    };
    /// What the allocator keeps beside a piece, at most.
    const BESIDE: usize = 64;
    let before = memory_bytes();
    // Pieces that are held, the first word of each is the address of the one before.
    let mut last: *mut u8 = std::ptr::null_mut();
    // Where the pieces begin that lie one behind the other, up to the last.
    let mut run = 0;
    while memory_bytes() == before && (last as usize).saturating_sub(run) < bytes {
        // SAFETY: the size is not zero.
        let piece = unsafe { System.alloc(PIECE) };
        if piece.is_null() {
            break;
        }
        if (piece as usize).wrapping_sub(last as usize) > PIECE.size() + BESIDE {
            run = piece as usize;
        }
        // SAFETY: the piece is this function's own, larger than a word and aligned for it.
        unsafe { piece.cast::<*mut u8>().write(last) };
        last = piece;
    }
    let there = memory_bytes().saturating_sub(run);
    if memory_bytes() > before && there < bytes + BESIDE {
        // More than what is left of the new pages, so that the allocator asks for as much.
        let new = (bytes + BESIDE - there).max(PIECE.size());
        if let Ok(layout) = Layout::from_size_align(new, 16) {
            // SAFETY: the size is not zero; the piece goes back as it came, unseen.
            unsafe {
                let piece = System.alloc(layout);
                if !piece.is_null() {
                    System.dealloc(piece, layout);
                }
            }
        }
    }
    while !last.is_null() {
        // SAFETY: every piece of the list came from the allocator with this layout, and its first word was written.
        unsafe {
            let before = last.cast::<*mut u8>().read();
            System.dealloc(last, PIECE);
            last = before;
        }
    }
}

/// Books `more` bytes and makes them with `make`, or notes the refusal.
fn booked(more: usize, make: impl FnOnce() -> *mut u8) -> *mut u8 {
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
