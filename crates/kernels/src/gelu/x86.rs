//! AVX2 and AVX-512: the vectors of `lanes.rs`.

use crate::lanes::avx2::F32x8;
use crate::lanes::avx512::F32x16;

pub fn gelu_avx2(x: &mut [f32]) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(x) }
}

#[target_feature(enable = "avx2")]
fn avx2(x: &mut [f32]) {
    super::lanes::gelu::<F32x8>(x);
}

pub fn gelu_avx512(x: &mut [f32]) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx512(x) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn avx512(x: &mut [f32]) {
    super::lanes::gelu::<F32x16>(x);
}
