//! Relaxed SIMD: `i16x8.relaxed_dot_i8x16_i7x16`, exact since quants are 0..=63: two pairs are at most 4 * 63 * 127.

use core::arch::wasm32::*;

use super::fours::{Dot, dots};
use super::{ArrangedBlock, Form, FourBlocks, ROWS};

pub fn dots_grouped(out: &mut [f32; ROWS], weights: &[FourBlocks], form: Form, x: &[ArrangedBlock]) {
    dots::<Relaxed>(out, weights, form, x);
}

struct Relaxed;

impl Dot for Relaxed {
    #[inline(always)]
    fn whole(quants: [v128; 2], x: [v128; 2]) -> v128 {
        let low = i16x8_relaxed_dot_i8x16_i7x16(x[0], quants[0]);
        let high = i16x8_relaxed_dot_i8x16_i7x16(x[1], quants[1]);
        i32x4_dot_i16x8(i16x8_add(low, high), i16x8_splat(1))
    }

    #[inline(always)]
    fn half(quants: v128, x: v128) -> v128 {
        i32x4_dot_i16x8(i16x8_relaxed_dot_i8x16_i7x16(x, quants), i16x8_splat(1))
    }
}
