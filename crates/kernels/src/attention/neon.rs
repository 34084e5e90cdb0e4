//! NEON: `smlal` on pairs, four of a panel at a time.

use core::arch::aarch64::*;

use super::tiles::{Engine, PANEL, Pair, ROWS, Sums};
use super::{Scratch, Shape};
use crate::lanes::neon::F32x4;

pub fn attention(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape, scratch: &mut Scratch) {
    super::tiles::attention::<Neon>(out, q, k, v, shape, scratch);
}

pub fn weights(out: &mut [i32], x: &[f32]) {
    super::tiles::weights::<F32x4>(out, x);
}

struct Neon;

const _: () = assert!(PANEL == 8);

impl Engine for Neon {
    type Head = F32x4;
    type Scores = F32x4;
    type Word = int16x8_t;
    // SAFETY: any bits are a vector of integers.
    const ZERO: int16x8_t = unsafe { core::mem::transmute([0i16; 8]) };

    #[inline(always)]
    fn words(out: &mut [int16x8_t; 4], inputs: &[i16; 8]) {
        // SAFETY: NEON is part of the target, and the reference covers the 16 bytes.
        unsafe {
            let pairs = vreinterpretq_s32_s16(vld1q_s16(inputs.as_ptr()));
            *out = [
                vreinterpretq_s16_s32(vdupq_laneq_s32::<0>(pairs)),
                vreinterpretq_s16_s32(vdupq_laneq_s32::<1>(pairs)),
                vreinterpretq_s16_s32(vdupq_laneq_s32::<2>(pairs)),
                vreinterpretq_s16_s32(vdupq_laneq_s32::<3>(pairs)),
            ];
        }
    }

    #[inline(always)]
    fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[int16x8_t]) {
        // SAFETY: NEON is part of the target.
        unsafe { accumulate(sums, panel, x) }
    }
}

#[target_feature(enable = "neon")]
fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[int16x8_t]) {
    for (panel, x) in panel.as_chunks::<4>().0.iter().zip(x.as_chunks::<{ 4 * ROWS }>().0) {
        for v in 0..2 {
            let weights = [0, 1, 2, 3].map(|j| pairs(&panel[j], v));
            for (sums, x) in sums.0.iter_mut().zip(x.as_chunks::<4>().0) {
                let (mut low, mut high) = (vdupq_n_s32(0), vdupq_n_s32(0));
                for (x, w) in x.iter().zip(weights) {
                    low = vmlal_s16(low, vget_low_s16(*x), vget_low_s16(w));
                    high = vmlal_high_s16(high, *x, w);
                }
                let four: &mut [i32; 4] = sums[4 * v..].first_chunk_mut().expect("half a panel");
                // SAFETY: the reference covers the 16 bytes, read and written.
                unsafe {
                    let sum = vaddq_s32(vld1q_s32(four.as_ptr()), vpaddq_s32(low, high));
                    vst1q_s32(four.as_mut_ptr(), sum);
                }
            }
        }
    }
}

/// Four outputs' pairs.
#[inline]
#[target_feature(enable = "neon")]
fn pairs(pair: &Pair, v: usize) -> int16x8_t {
    let four: &[[i16; 2]; 4] = pair[4 * v..].first_chunk().expect("half a panel");
    // SAFETY: the reference covers the 16 bytes.
    unsafe { vld1q_s16(four.as_ptr().cast()) }
}
