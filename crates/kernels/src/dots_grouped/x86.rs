//! AVX2: `vpmaddubsw`; the halves of a vector are the halves of a block.

use core::arch::x86_64::*;

use super::arranged::sum_of;
use super::{ArrangedBlock, Form, FourBlocks, ROWS, Scales};

pub fn dots_grouped(out: &mut [f32; ROWS], weights: &[FourBlocks], form: Form, x: &[ArrangedBlock]) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe {
        match form.scales {
            Scales::Whole => blocks::<false, false>(out, weights, form, x),
            Scales::Halves => blocks::<true, false>(out, weights, form, x),
            Scales::Offset | Scales::RoundedOffset => blocks::<false, true>(out, weights, form, x),
        }
    }
}

#[target_feature(enable = "avx2")]
fn blocks<const HALVES: bool, const OFFSET: bool>(
    out: &mut [f32; ROWS],
    weights: &[FourBlocks],
    form: Form,
    x: &[ArrangedBlock],
) {
    let (zero, which) = (i32::from(form.zero), sum_of(form.scales));
    let ones = _mm256_set1_epi16(1);
    let mut sums = _mm_setzero_ps();
    for (w, x) in weights.iter().zip(x) {
        let values = bytes(&x.quants);
        let [a, b, c, d] = w
            .quants
            .each_ref()
            .map(|quants| _mm256_madd_epi16(_mm256_maddubs_epi16(bytes(quants), values), ones));
        let dots = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let (low, high) = (_mm256_castsi256_si128(dots), _mm256_extracti128_si256::<1>(dots));
        let scale = _mm_set1_ps(x.scale);
        let product = |dots: __m128i, sum: i32, scales: &[f32; ROWS]| {
            let dots = _mm_sub_epi32(dots, _mm_set1_epi32(zero * sum));
            _mm_mul_ps(_mm_cvtepi32_ps(dots), _mm_mul_ps(floats(scales), scale))
        };
        if HALVES {
            sums = _mm_add_ps(sums, product(low, x.halves[0], &w.scales[0]));
            sums = _mm_add_ps(sums, product(high, x.halves[1], &w.scales[1]));
        } else {
            let mut product = product(_mm_add_epi32(low, high), x.halves[0] + x.halves[1], &w.scales[0]);
            if OFFSET {
                product = _mm_add_ps(product, _mm_mul_ps(floats(&w.offsets), _mm_set1_ps(x.sums[which])));
            }
            sums = _mm_add_ps(sums, product);
        }
    }
    // SAFETY: the array covers the 16 bytes of an unaligned store.
    unsafe { _mm_storeu_ps(out.as_mut_ptr(), sums) };
}

#[inline]
#[target_feature(enable = "avx2")]
fn bytes<T>(bytes: &[T; 32]) -> __m256i {
    const { assert!(size_of::<T>() == 1) };
    // SAFETY: the reference covers the 32 bytes of an unaligned load.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn floats(values: &[f32; ROWS]) -> __m128 {
    // SAFETY: the reference covers the 16 bytes of an unaligned load.
    unsafe { _mm_loadu_ps(values.as_ptr()) }
}
