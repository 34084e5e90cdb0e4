//! What the Wasm variants share: four blocks at a time.
//!
//! The sums of four blocks become the lanes of one vector, are converted and scaled at once, and are added one by one,
//! in order.

use core::arch::wasm32::*;

use super::scalar;
use crate::block::{BlockQ4_0, BlockQ8_0};

/// `block` returns the dot product of 16 bytes of nibbles and twice 16 activations in four parts, each within i16.
#[inline(always)]
pub fn dot_in_fours(weights: &[BlockQ4_0], x: &[BlockQ8_0], block: impl Fn(v128, v128, v128) -> v128) -> f32 {
    let (weights, weights_rest) = weights.as_chunks::<4>();
    let (x, x_rest) = x.as_chunks::<4>();
    let mut sum = 0.0;
    let ones = i16x8_splat(1);
    for (w, x) in weights.iter().zip(x) {
        let halves = i16x8(
            half(w[0].d),
            half(w[1].d),
            half(w[2].d),
            half(w[3].d),
            half(x[0].d),
            half(x[1].d),
            half(x[2].d),
            half(x[3].d),
        );
        let exponents = i16x8_splat(0x7c00);
        if v128_any_true(i16x8_eq(v128_and(halves, exponents), exponents)) {
            sum = scalar::dot_from(sum, w, x);
            continue;
        }
        let parts: [v128; 4] = core::array::from_fn(|i| {
            let (quants, _) = x[i].qs.as_chunks::<16>();
            block(load(&w[i].qs), load_i8(&quants[0]), load_i8(&quants[1]))
        });
        // Narrowing two vectors of parts and adding neighbours, twice, leaves one sum a lane. Every partial sum of a
        // block is within 32 * 8 * 127, so narrowing never saturates.
        let first = i32x4_dot_i16x8(i16x8_narrow_i32x4(parts[0], parts[1]), ones);
        let second = i32x4_dot_i16x8(i16x8_narrow_i32x4(parts[2], parts[3]), ones);
        let dots = f32x4_convert_i32x4(i32x4_dot_i16x8(i16x8_narrow_i32x4(first, second), ones));
        let scales =
            f32x4_mul(decode(i32x4_extend_low_i16x8(halves)), decode(i32x4_extend_high_i16x8(halves)));
        let products = f32x4_mul(dots, scales);
        sum += f32x4_extract_lane::<0>(products);
        sum += f32x4_extract_lane::<1>(products);
        sum += f32x4_extract_lane::<2>(products);
        sum += f32x4_extract_lane::<3>(products);
    }
    scalar::dot_from(sum, weights_rest, x_rest)
}

/// Finite halves, sign extended, to f32: the fraction and exponent in place are 2^-112 times the value, subnormals
/// included, and the product is exact.
#[inline(always)]
fn decode(halves: v128) -> v128 {
    let bits = v128_and(i32x4_shl(halves, 13), u32x4_splat(0x8fff_e000));
    f32x4_mul(bits, u32x4_splat((112 + 127) << 23))
}

#[inline(always)]
fn half(d: [u8; 2]) -> i16 {
    i16::from_le_bytes(d)
}

#[inline(always)]
fn load(bytes: &[u8; 16]) -> v128 {
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

#[inline(always)]
fn load_i8(bytes: &[i8; 16]) -> v128 {
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}
