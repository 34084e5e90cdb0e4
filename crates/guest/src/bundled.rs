//! Where a bundled model lies: the one place of this crate with unsafe code.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

/// Address and length of the model. `lacuna bundle` finds the symbol among the exports and writes both words.
#[used]
#[unsafe(no_mangle)]
static LACUNA_MODEL: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

/// The model, if there is one.
pub fn model() -> Option<&'static [u8]> {
    let [address, length] =
        [&LACUNA_MODEL[0], &LACUNA_MODEL[1]].map(|word| word.load(Ordering::Relaxed) as usize);
    if address == 0 {
        return None;
    }
    // SAFETY: the bundle's data segment fills these bytes before the program starts, memory was declared to hold
    // them, and the allocator only ever takes memory it has grown itself.
    Some(unsafe { core::slice::from_raw_parts(address as *const u8, length) })
}
