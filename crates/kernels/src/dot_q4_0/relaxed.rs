//! Relaxed SIMD: `i16x8.relaxed_dot_i8x16_i7x16` on nibbles 0..=15, the 8 taken off by a second one.
//!
//! A 16-bit lane holds four products of at most 15 * 127, less four of 8 * 127.

use core::arch::wasm32::*;

use super::fours::dot_in_fours;
use crate::block::{BlockQ4_0, BlockQ8_0};

const _: () = assert!(4 * 15 * 127 + 4 * 8 * 127 < 1 << 15);

pub fn dot_q4_0_q8_0(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
    dot_in_fours(weights, x, block)
}

/// A block's dot product in four parts.
#[inline(always)]
fn block(weights: v128, low: v128, high: v128) -> v128 {
    let (mask, eight) = (u8x16_splat(15), u8x16_splat(8));
    let dot = i16x8_add(
        i16x8_relaxed_dot_i8x16_i7x16(low, v128_and(weights, mask)),
        i16x8_relaxed_dot_i8x16_i7x16(high, v128_and(u16x8_shr(weights, 4), mask)),
    );
    let offset =
        i16x8_add(i16x8_relaxed_dot_i8x16_i7x16(low, eight), i16x8_relaxed_dot_i8x16_i7x16(high, eight));
    i32x4_dot_i16x8(i16x8_sub(dot, offset), i16x8_splat(1))
}
