//! AVX2 and AVX-512: the vectors of `lanes.rs`.

use crate::lanes::avx2::F32x8;
use crate::lanes::avx512::F32x16;

pub fn layer_norm_avx2(x: &mut [f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(x, residual, weight, bias, epsilon) }
}

#[target_feature(enable = "avx2")]
fn avx2(x: &mut [f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32) {
    super::lanes::layer_norm::<F32x8>(x, residual, weight, bias, epsilon);
}

pub fn layer_norm_avx512(
    x: &mut [f32],
    residual: Option<&[f32]>,
    weight: &[f32],
    bias: &[f32],
    epsilon: f32,
) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx512(x, residual, weight, bias, epsilon) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn avx512(x: &mut [f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32) {
    super::lanes::layer_norm::<F32x16>(x, residual, weight, bias, epsilon);
}
