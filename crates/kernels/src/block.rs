//! GGML's quantised blocks, byte for byte.

use crate::f16;

/// Values a block holds, in Q4_0 and Q8_0 alike.
pub const BLOCK: usize = 32;

/// 32 weights of four bits: `(q - 8) * d`. Byte `i` holds weight `i` low and weight `i + 16` high.
///
/// **Source**: `block_q4_0` of ggml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BlockQ4_0 {
    /// The scale, a half in little-endian bytes.
    pub d: [u8; 2],
    /// The quants.
    pub qs: [u8; 16],
}

/// 32 activations of eight bits: `q * d`.
///
/// **Source**: `block_q8_0` of ggml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BlockQ8_0 {
    /// The scale, a half in little-endian bytes.
    pub d: [u8; 2],
    /// The quants.
    pub qs: [i8; 32],
}

const _: () = assert!(size_of::<BlockQ4_0>() == 18 && align_of::<BlockQ4_0>() == 1);
const _: () = assert!(size_of::<BlockQ8_0>() == 34 && align_of::<BlockQ8_0>() == 1);

impl BlockQ4_0 {
    /// Bytes of a block.
    pub const BYTES: usize = size_of::<Self>();

    /// The block in `bytes`.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut qs = [0; 16];
        qs.copy_from_slice(&bytes[2..]);
        BlockQ4_0 { d: [bytes[0], bytes[1]], qs }
    }

    /// The scale.
    pub fn scale(&self) -> f32 {
        f16::decode(u16::from_le_bytes(self.d))
    }

    /// Quant `i` as stored, 0..=15; the weight is `(quant(i) - 8) * scale()`.
    pub fn quant(&self, i: usize) -> u8 {
        if i < 16 { self.qs[i] & 15 } else { self.qs[i - 16] >> 4 }
    }
}

impl BlockQ8_0 {
    /// Bytes of a block.
    pub const BYTES: usize = size_of::<Self>();

    /// The scale.
    pub fn scale(&self) -> f32 {
        f16::decode(u16::from_le_bytes(self.d))
    }
}
