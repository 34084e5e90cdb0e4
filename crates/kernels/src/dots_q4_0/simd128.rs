//! SIMD128: 16-bit lanes of the weights hold two bytes each; shifts and a mask leave the nibbles of the even columns,
//! of those sixteen on, of the odd ones and of those sixteen on, and the activations are arranged alike.

use core::arch::wasm32::*;

use super::fours::{Dot, dots};
use crate::block::{BlockQ4_0, BlockQ8_0};

pub fn dots_q4_0_q8_0(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    dots::<Simd128>(out, weights, x);
}

struct Simd128;

impl Dot for Simd128 {
    /// Even columns of 0..16, even of 16..32, odd of each.
    type Quants = [v128; 4];

    #[inline(always)]
    fn arrange([low, high]: [v128; 2]) -> [v128; 4] {
        let even = |x| i16x8_shr(i16x8_shl(x, 8), 8);
        let odd = |x| i16x8_shr(x, 8);
        [even(low), even(high), odd(low), odd(high)]
    }

    #[inline(always)]
    fn dot(weights: v128, x: &[v128; 4]) -> v128 {
        let mask = i16x8_splat(15);
        let even = i32x4_dot_i16x8(x[0], v128_and(weights, mask));
        let even_high = i32x4_dot_i16x8(x[1], v128_and(u16x8_shr(weights, 4), mask));
        let odd = i32x4_dot_i16x8(x[2], v128_and(u16x8_shr(weights, 8), mask));
        let odd_high = i32x4_dot_i16x8(x[3], u16x8_shr(weights, 12));
        i32x4_add(i32x4_add(even, even_high), i32x4_add(odd, odd_high))
    }
}
