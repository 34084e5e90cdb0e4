//! Relaxed SIMD: `i16x8.relaxed_dot_i8x16_i7x16` on nibbles 0..=15.

use core::arch::wasm32::*;

use super::fours::{Dot, dots};
use crate::block::{BlockQ4_0, BlockQ8_0};

const _: () = assert!(4 * 15 * 127 < 1 << 15);

pub fn dots_q4_0_q8_0(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    dots::<Relaxed>(out, weights, x);
}

struct Relaxed;

impl Dot for Relaxed {
    /// Columns 0..16, columns 16..32.
    type Quants = [v128; 2];

    #[inline(always)]
    fn arrange(halves: [v128; 2]) -> [v128; 2] {
        halves
    }

    #[inline(always)]
    fn dot(weights: v128, x: &[v128; 2]) -> v128 {
        let mask = u8x16_splat(15);
        let low = i16x8_relaxed_dot_i8x16_i7x16(x[0], v128_and(weights, mask));
        let high = i16x8_relaxed_dot_i8x16_i7x16(x[1], v128_and(u16x8_shr(weights, 4), mask));
        i32x4_dot_i16x8(i16x8_add(low, high), i16x8_splat(1))
    }
}
