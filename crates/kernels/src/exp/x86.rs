//! AVX2: the lanes of `lanes.rs`, eight a vector.

pub fn exp(x: &mut [f32]) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(x) }
}

#[target_feature(enable = "avx2")]
fn avx2(x: &mut [f32]) {
    super::lanes::exp(x);
}
