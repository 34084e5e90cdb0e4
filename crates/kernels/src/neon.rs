//! What the NEON products share: loads, and sums of products of bytes, with the dot product extension and without.
//!
//! A vector of a packed matrix holds four columns of four outputs; four columns of the activations stand beside them,
//! one 32-bit lane of a vector of sixteen.

use core::arch::aarch64::*;
use core::arch::asm;

/// Adds the products of four columns to four outputs' sums: `sdot` by one lane of `x`.
///
/// The intrinsics of the extension (`vdotq_laneq_s32`) are not stable, its instruction is.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub(crate) fn add_dot<const LANE: i32>(mut sums: int32x4_t, w: int8x16_t, x: int8x16_t) -> int32x4_t {
    const { assert!(LANE >= 0 && LANE < 4) };
    // SAFETY: reads and writes registers alone; the caller's features include the instruction.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {w:v}.16b, {x:v}.4b[{lane}]",
            sums = inout(vreg) sums,
            w = in(vreg) w,
            x = in(vreg) x,
            lane = const LANE,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

/// Sums of sixteen products by fours.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub(crate) fn dot(mut sums: int32x4_t, w: int8x16_t, x: int8x16_t) -> int32x4_t {
    // SAFETY: reads and writes registers alone; the caller's features include the instruction.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {w:v}.16b, {x:v}.16b",
            sums = inout(vreg) sums,
            w = in(vreg) w,
            x = in(vreg) x,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

/// Adds the products of four columns, each in a 16-bit lane of its own: outputs 0 and 1, outputs 2 and 3.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn add_products<const LANE: i32>(
    sums: [int16x8_t; 2],
    w: int8x16_t,
    x: int8x16_t,
) -> [int16x8_t; 2] {
    let four = vreinterpretq_s8_s32(vdupq_laneq_s32::<LANE>(vreinterpretq_s32_s8(x)));
    [vmlal_s8(sums[0], vget_low_s8(w), vget_low_s8(four)), vmlal_high_s8(sums[1], w, four)]
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn load(x: &[i8; 16]) -> int8x16_t {
    // SAFETY: the reference covers the 16 bytes.
    unsafe { vld1q_s8(x.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn load_u8(x: &[u8; 16]) -> uint8x16_t {
    // SAFETY: the reference covers the 16 bytes.
    unsafe { vld1q_u8(x.as_ptr()) }
}

/// Four little-endian f32 at any address.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn load_f32(x: &[u8; 16]) -> float32x4_t {
    vreinterpretq_f32_u8(load_u8(x))
}

/// The sixteen bytes of `from` at `at`.
#[inline(always)]
pub(crate) fn at(from: &[u8], at: usize) -> &[u8; 16] {
    from[at..].first_chunk().expect("sixteen bytes")
}

/// Writes up to eight sums, plus the bias.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn finish(out: &mut [f32], sums: [float32x4_t; 2], bias: Option<&[f32]>) {
    let mut lanes = [0.0f32; 8];
    // SAFETY: the array covers twice 16 bytes.
    unsafe {
        vst1q_f32(lanes.as_mut_ptr(), sums[0]);
        vst1q_f32(lanes.as_mut_ptr().add(4), sums[1]);
    }
    match bias {
        Some(bias) => {
            for ((out, sum), bias) in out.iter_mut().zip(lanes).zip(bias) {
                *out = sum + bias;
            }
        }
        None => out.copy_from_slice(&lanes[..out.len()]),
    }
}
