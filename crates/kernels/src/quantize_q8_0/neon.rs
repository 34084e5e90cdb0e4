//! NEON: a block is eight vectors.

use core::arch::aarch64::*;

use crate::block::BLOCK;
use crate::f16;
use crate::quantize_int8::neon::{clamped, largest, load, round, store, widest};

pub fn quantize_q8_0(quants: &mut [i8], scales: &mut [f32], offsets: &mut [i32], x: &[f32]) {
    // SAFETY: NEON is part of the target.
    unsafe { neon(quants, scales, offsets, x) }
}

#[target_feature(enable = "neon")]
fn neon(quants: &mut [i8], scales: &mut [f32], offsets: &mut [i32], x: &[f32]) {
    let (quants, _) = quants.as_chunks_mut::<BLOCK>();
    let (x, _) = x.as_chunks::<BLOCK>();
    for (((quants, scale), offset), x) in quants.iter_mut().zip(scales).zip(offsets).zip(x) {
        let (x, _) = x.as_chunks::<4>();
        let x: [float32x4_t; 8] = core::array::from_fn(|i| load(&x[i]));
        let d = widest(x.into_iter().fold(vdupq_n_s32(0), |max, x| largest(max, x))) / 127.0;
        let inverse = if d != 0.0 { 1.0 / d } else { 0.0 };
        *scale = f16::decode(f16::encode(d));
        let r = x.map(|x| round(x, inverse));
        let halves = [0, 4].map(|i| clamped(vcombine_s16(r[i], r[i + 1]), vcombine_s16(r[i + 2], r[i + 3])));
        *offset = -8 * halves.into_iter().map(|half| i32::from(vaddlvq_s8(half))).sum::<i32>();
        let (out, _) = quants.as_chunks_mut::<16>();
        store(&mut out[0], halves[0]);
        store(&mut out[1], halves[1]);
    }
}
