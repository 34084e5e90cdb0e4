//! AVX2.

use core::arch::x86_64::*;

use super::scalar::round_to_i8;

pub fn quantize_int8(quants: &mut [i8], x: &[f32]) -> f32 {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(quants, x) }
}

#[target_feature(enable = "avx2")]
fn avx2(quants: &mut [i8], x: &[f32]) -> f32 {
    let (vectors, rest) = x.as_chunks::<8>();
    let mut max = widest(vectors.iter().fold(_mm256_setzero_ps(), |max, x| largest(max, load(x))));
    for value in rest {
        if value.abs() > max {
            max = value.abs();
        }
    }
    let scale = max / 127.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    let (wide, wide_rest) = x.as_chunks::<32>();
    let (out, out_rest) = quants.as_chunks_mut::<32>();
    for (out, x) in out.iter_mut().zip(wide) {
        let (x, _) = x.as_chunks::<8>();
        let rounded = core::array::from_fn(|i| round(load(&x[i]), _mm256_set1_ps(inverse)));
        pack(out, rounded);
    }
    for (out, x) in out_rest.iter_mut().zip(wide_rest) {
        *out = round_to_i8(x * inverse);
    }
    scale
}

/// The larger of `max` and |x| in each lane: `maxps(a, b)` is `a > b ? a : b`, so a NaN in `x`, the first operand,
/// leaves `max`.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn largest(max: __m256, x: __m256) -> __m256 {
    _mm256_max_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0), x), max)
}

/// The largest lane; none is NaN.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn widest(max: __m256) -> f32 {
    let max = _mm_max_ps(_mm256_castps256_ps128(max), _mm256_extractf128_ps::<1>(max));
    let max = _mm_max_ps(max, _mm_movehl_ps(max, max));
    _mm_cvtss_f32(_mm_max_ss(max, _mm_shuffle_ps::<1>(max, max)))
}

/// `x * inverse` rounded half away from zero and clamped to -127..=127, NaN to zero.
///
/// Adding the number just below one half, with the sign of the value, and cutting off the fraction rounds half away
/// from zero: a value just below a half stays below the integer, a half reaches it.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn round(x: __m256, inverse: __m256) -> __m256i {
    let value = _mm256_mul_ps(x, inverse);
    let value = _mm256_and_ps(value, _mm256_cmp_ps::<_CMP_ORD_Q>(value, value));
    let value = _mm256_min_ps(_mm256_max_ps(value, _mm256_set1_ps(-127.0)), _mm256_set1_ps(127.0));
    let sign = _mm256_and_ps(value, _mm256_set1_ps(-0.0));
    let half = _mm256_or_ps(sign, _mm256_set1_ps(0.5f32.next_down()));
    _mm256_cvttps_epi32(_mm256_add_ps(value, half))
}

/// Writes four vectors of values in -127..=127.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn pack(out: &mut [i8; 32], rounded: [__m256i; 4]) {
    let low = _mm256_packs_epi32(rounded[0], rounded[1]);
    let high = _mm256_packs_epi32(rounded[2], rounded[3]);
    // Packing works within 128-bit lanes: words come out as 0 2 4 6, 1 3 5 7.
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
    // SAFETY: the reference covers the 32 bytes of an unaligned store.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes) };
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load(x: &[f32; 8]) -> __m256 {
    // SAFETY: the reference covers the 32 bytes of an unaligned load.
    unsafe { _mm256_loadu_ps(x.as_ptr()) }
}
