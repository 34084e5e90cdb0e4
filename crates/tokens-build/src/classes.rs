//! Character classes of all code points, as a two-stage map in the table's own layout.
//!
//! The file is written by `cargo run -p lacuna-tokens-build --example classes`; a test compares it with the crates
//! that the reference asks, for every code point.

/// `CLASS_INDEX` followed by `CLASS_BLOCKS`.
const CLASSES: &[u8] = include_bytes!("classes.bin");

/// Bytes of the index: a u16 for each block of 128 code points.
pub(crate) const INDEX_BYTES: usize = 2 * (0x11_0000 >> tokens::layout::BLOCK_BITS);

/// The index and the blocks.
pub(crate) fn sections() -> (&'static [u8], &'static [u8]) {
    CLASSES.split_at(INDEX_BYTES)
}
