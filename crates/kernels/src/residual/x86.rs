//! AVX2 and AVX-512: the vectors of `lanes.rs`.

use crate::lanes::avx2::F32x8;
use crate::lanes::avx512::F32x16;

pub fn residual_avx2(x: &mut [f32], y: &[f32]) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(x, y) }
}

#[target_feature(enable = "avx2")]
fn avx2(x: &mut [f32], y: &[f32]) {
    super::lanes::residual::<F32x8>(x, y);
}

pub fn residual_avx512(x: &mut [f32], y: &[f32]) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx512(x, y) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn avx512(x: &mut [f32], y: &[f32]) {
    super::lanes::residual::<F32x16>(x, y);
}
