//! The libm crate's functions under the C library's names, as a shared library for `LD_PRELOAD`: llama.cpp, which leaves
//! its exponentials and angles to the machine's C library, then has ours. See tools/decoder_fixtures.py.

/// Exports functions of one value.
macro_rules! exported {
    ($($name:ident)*) => {$(
        // SAFETY: the name is libm's, and so is what the function does.
        #[unsafe(no_mangle)]
        extern "C" fn $name(x: f32) -> f32 {
            libm::$name(x)
        }
    )*};
}

exported!(expf logf sinf cosf tanhf);

// SAFETY: as above.
#[unsafe(no_mangle)]
extern "C" fn powf(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
}

/// What compilers make of a sine and a cosine of the same value.
///
/// # Safety
/// Both places are valid to write.
// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn sincosf(x: f32, sin: *mut f32, cos: *mut f32) {
    // SAFETY: the caller vouches for both.
    unsafe {
        sin.write(libm::sinf(x));
        cos.write(libm::cosf(x));
    }
}
