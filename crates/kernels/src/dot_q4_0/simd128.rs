//! SIMD128: four blocks at a time, their sums in the lanes of one vector.

use core::arch::wasm32::*;

use super::fours::dot_in_fours;
use crate::block::{BlockQ4_0, BlockQ8_0};

pub fn dot_q4_0_q8_0(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
    dot_in_fours(weights, x, block)
}

/// A block's dot product in four parts.
///
/// 16-bit lanes hold two bytes each: shifts and a mask leave the nibbles of the even columns, of those sixteen on, of
/// the odd ones and of those sixteen on, and the activations split alike.
#[inline(always)]
fn block(weights: v128, low: v128, high: v128) -> v128 {
    let (mask, eight) = (i16x8_splat(15), i16x8_splat(8));
    let even = i16x8_sub(v128_and(weights, mask), eight);
    let even_high = i16x8_sub(v128_and(u16x8_shr(weights, 4), mask), eight);
    let odd = i16x8_sub(v128_and(u16x8_shr(weights, 8), mask), eight);
    let odd_high = i16x8_sub(u16x8_shr(weights, 12), eight);
    let sum = i32x4_dot_i16x8(even, i16x8_shr(i16x8_shl(low, 8), 8));
    let sum_high = i32x4_dot_i16x8(even_high, i16x8_shr(i16x8_shl(high, 8), 8));
    let odd = i32x4_dot_i16x8(odd, i16x8_shr(low, 8));
    let odd_high = i32x4_dot_i16x8(odd_high, i16x8_shr(high, 8));
    i32x4_add(i32x4_add(sum, sum_high), i32x4_add(odd, odd_high))
}
