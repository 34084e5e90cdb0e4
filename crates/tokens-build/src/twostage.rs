//! Two-stage maps: code points in blocks of 128, equal blocks stored once.

use std::collections::HashMap;
use tokens::layout::BLOCK_BITS;

/// The index (a block number for each 128 code points) and the distinct blocks one after the other.
pub fn compress<T: Copy + Eq + std::hash::Hash>(values: &[T]) -> (Vec<u16>, Vec<T>) {
    let mut index = Vec::new();
    let mut blocks: Vec<T> = Vec::new();
    let mut seen: HashMap<&[T], u16> = HashMap::new();
    for block in values.chunks(1 << BLOCK_BITS) {
        let number = *seen.entry(block).or_insert_with(|| {
            blocks.extend_from_slice(block);
            // 0x110000 / 128 blocks: the number always fits.
            (blocks.len() >> BLOCK_BITS) as u16 - 1
        });
        index.push(number);
    }
    (index, blocks)
}
