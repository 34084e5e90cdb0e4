//! SIMD128.

use core::arch::wasm32::*;

use super::scalar::round_to_i8;

pub fn quantize_int8(quants: &mut [i8], x: &[f32]) -> f32 {
    let (vectors, rest) = x.as_chunks::<4>();
    let mut max = widest(vectors.iter().fold(f32x4_splat(0.0), |max, x| largest(max, load(x))));
    // Rare: the maximum again, without the NaNs.
    let again = if max.is_nan() { x } else { rest };
    if max.is_nan() {
        max = 0.0;
    }
    for value in again {
        if value.abs() > max {
            max = value.abs();
        }
    }
    let scale = max / 127.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    let (wide, wide_rest) = x.as_chunks::<16>();
    let (out, out_rest) = quants.as_chunks_mut::<16>();
    for (out, x) in out.iter_mut().zip(wide) {
        let (x, _) = x.as_chunks::<4>();
        let r = [0, 1, 2, 3].map(|i| round(load(&x[i]), f32x4_splat(inverse)));
        let r = i8x16_narrow_i16x8(i16x8_narrow_i32x4(r[0], r[1]), i16x8_narrow_i32x4(r[2], r[3]));
        store(out, i8x16_max(r, i8x16_splat(-127)));
    }
    for (out, x) in out_rest.iter_mut().zip(wide_rest) {
        *out = round_to_i8(x * inverse);
    }
    scale
}

/// The larger of `max` and |x| in each lane, as bits: those of floats without a sign are ordered like integers, NaN
/// above all.
///
/// Not `f32x4.pmax`, which skips NaN: LLVM turned `pmax(0, |x|)` of a first vector into |x|, NaN included.
#[inline(always)]
pub(crate) fn largest(max: v128, x: v128) -> v128 {
    i32x4_max(max, v128_and(x, i32x4_splat(0x7fff_ffff)))
}

/// The largest lane.
#[inline(always)]
pub(crate) fn widest(max: v128) -> f32 {
    let max = i32x4_max(max, i32x4_shuffle::<2, 3, 0, 1>(max, max));
    let max = i32x4_max(max, i32x4_shuffle::<1, 0, 3, 2>(max, max));
    f32x4_extract_lane::<0>(max)
}

/// `x * inverse` rounded half away from zero, saturated to 32 bits, NaN to zero.
///
/// Adding the number just below one half, with the sign of the value, and cutting off the fraction rounds half away
/// from zero for every value below 2^23: a value just below a half stays below the integer, a half reaches it. Larger
/// values saturate later anyway.
#[inline(always)]
pub(crate) fn round(x: v128, inverse: v128) -> v128 {
    let value = f32x4_mul(x, inverse);
    let sign = v128_and(value, u32x4_splat(0x8000_0000));
    let half = v128_or(sign, f32x4_splat(0.5f32.next_down()));
    i32x4_trunc_sat_f32x4(f32x4_add(value, half))
}

#[inline(always)]
pub(crate) fn load(x: &[f32; 4]) -> v128 {
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(x.as_ptr().cast()) }
}

#[inline(always)]
pub(crate) fn store(out: &mut [i8; 16], value: v128) {
    // SAFETY: the reference covers the 16 bytes; Wasm stores need no alignment.
    unsafe { v128_store(out.as_mut_ptr().cast(), value) };
}
