//! SIMD128: bytes widened to 16 bits, pairs of products to 32.

use core::arch::wasm32::*;

use super::fours::{Dot, dots};
use super::{ArrangedBlock, Form, FourBlocks, ROWS};

pub fn dots_grouped(out: &mut [f32; ROWS], weights: &[FourBlocks], form: Form, x: &[ArrangedBlock]) {
    dots::<Simd128>(out, weights, form, x);
}

struct Simd128;

impl Dot for Simd128 {
    #[inline(always)]
    fn whole(quants: [v128; 2], x: [v128; 2]) -> v128 {
        i32x4_add(Self::half(quants[0], x[0]), Self::half(quants[1], x[1]))
    }

    #[inline(always)]
    fn half(quants: v128, x: v128) -> v128 {
        let low = i32x4_dot_i16x8(u16x8_extend_low_u8x16(quants), i16x8_extend_low_i8x16(x));
        let high = i32x4_dot_i16x8(u16x8_extend_high_u8x16(quants), i16x8_extend_high_i8x16(x));
        i32x4_add(low, high)
    }
}
