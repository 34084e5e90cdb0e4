//! AVX2: a block is four vectors.

use core::arch::x86_64::*;

use crate::block::BLOCK;
use crate::f16;
use crate::quantize_int8::x86::{largest, load, pack, round, widest};

pub fn quantize_q8_0(quants: &mut [i8], scales: &mut [f32], offsets: &mut [i32], x: &[f32]) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(quants, scales, offsets, x) }
}

#[target_feature(enable = "avx2")]
fn avx2(quants: &mut [i8], scales: &mut [f32], offsets: &mut [i32], x: &[f32]) {
    let (quants, _) = quants.as_chunks_mut::<BLOCK>();
    let (x, _) = x.as_chunks::<BLOCK>();
    for (((quants, scale), offset), x) in quants.iter_mut().zip(scales).zip(offsets).zip(x) {
        let (x, _) = x.as_chunks::<8>();
        let x: [__m256; 4] = core::array::from_fn(|i| load(&x[i]));
        let d = widest(x.into_iter().fold(_mm256_setzero_ps(), |max, x| largest(max, x))) / 127.0;
        let inverse = _mm256_set1_ps(if d != 0.0 { 1.0 / d } else { 0.0 });
        *scale = f16::decode(f16::encode(d));
        let rounded = x.map(|x| round(x, inverse));
        let sum = _mm256_add_epi32(
            _mm256_add_epi32(rounded[0], rounded[1]),
            _mm256_add_epi32(rounded[2], rounded[3]),
        );
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
        *offset = -8 * _mm_cvtsi128_si32(sum);
        pack(quants, rounded);
    }
}
