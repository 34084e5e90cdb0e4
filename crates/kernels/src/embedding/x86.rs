//! AVX2 and AVX-512: the vectors of `lanes.rs`.

use super::Row;

use crate::lanes::avx2::F32x8;
use crate::lanes::avx512::F32x16;

pub fn embedding_avx2(out: &mut [f32], row: Row<'_>, add: bool) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(out, row, add) }
}

#[target_feature(enable = "avx2")]
fn avx2(out: &mut [f32], row: Row<'_>, add: bool) {
    super::lanes::embedding::<F32x8>(out, row, add);
}

pub fn embedding_avx512(out: &mut [f32], row: Row<'_>, add: bool) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx512(out, row, add) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn avx512(out: &mut [f32], row: Row<'_>, add: bool) {
    super::lanes::embedding::<F32x16>(out, row, add);
}
