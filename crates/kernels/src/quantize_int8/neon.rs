//! NEON. `fcvtas` rounds half away from zero, saturates, and makes zero of NaN.

use core::arch::aarch64::*;

use super::scalar::round_to_i8;

pub fn quantize_int8(quants: &mut [i8], x: &[f32]) -> f32 {
    // SAFETY: NEON is part of the target.
    unsafe { neon(quants, x) }
}

#[target_feature(enable = "neon")]
fn neon(quants: &mut [i8], x: &[f32]) -> f32 {
    let (vectors, rest) = x.as_chunks::<4>();
    let mut max = widest(vectors.iter().fold(vdupq_n_s32(0), |max, x| largest(max, load(x))));
    for value in rest {
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
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| round(load(&x[i]), inverse));
        store(out, clamped(vcombine_s16(a, b), vcombine_s16(c, d)));
    }
    for (out, x) in out_rest.iter_mut().zip(wide_rest) {
        *out = round_to_i8(x * inverse);
    }
    scale
}

/// The larger of `max` and |x| in each lane, as bits: those of floats without a sign are ordered like integers. NaN,
/// above infinity, counts as zero.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn largest(max: int32x4_t, x: float32x4_t) -> int32x4_t {
    let size = vandq_s32(vreinterpretq_s32_f32(x), vdupq_n_s32(0x7fff_ffff));
    let numbers = vcleq_s32(size, vdupq_n_s32(f32::INFINITY.to_bits() as i32));
    vmaxq_s32(max, vandq_s32(size, vreinterpretq_s32_u32(numbers)))
}

/// The largest lane.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn widest(max: int32x4_t) -> f32 {
    f32::from_bits(vmaxvq_s32(max) as u32)
}

/// `x * inverse` rounded half away from zero, saturated to 16 bits, NaN to zero.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn round(x: float32x4_t, inverse: f32) -> int16x4_t {
    vqmovn_s32(vcvtaq_s32_f32(vmulq_n_f32(x, inverse)))
}

/// Bytes of -127..=127.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn clamped(low: int16x8_t, high: int16x8_t) -> int8x16_t {
    vmaxq_s8(vcombine_s8(vqmovn_s16(low), vqmovn_s16(high)), vdupq_n_s8(-127))
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn load(x: &[f32; 4]) -> float32x4_t {
    // SAFETY: the reference covers the 16 bytes.
    unsafe { vld1q_f32(x.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn store(out: &mut [i8; 16], value: int8x16_t) {
    // SAFETY: the reference covers the 16 bytes.
    unsafe { vst1q_s8(out.as_mut_ptr(), value) }
}
