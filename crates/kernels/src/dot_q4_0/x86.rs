//! AVX2, AVX-VNNI and AVX-512 VNNI: four blocks at a time, their sums in the lanes of one vector.

use core::arch::x86_64::*;

use super::scalar;
use crate::block::{BlockQ4_0, BlockQ8_0};

const _: () = assert!(2 * 15 * 127 + 2 * 8 * 127 < 1 << 15);

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $dot:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn dot_q4_0_q8_0(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { dot(weights, x) }
            }

            #[target_feature(enable = $features)]
            fn dot(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
                let (weights, weights_rest) = weights.as_chunks::<4>();
                let (x, x_rest) = x.as_chunks::<4>();
                let ones = _mm256_set1_epi16(1);
                let mut sum = 0.0;
                for (w, x) in weights.iter().zip(x) {
                    let parts: [__m256i; 4] = core::array::from_fn(|i| $dot(nibbles(&w[i].qs), quants(&x[i].qs)));
                    // Narrowing two vectors of parts and adding neighbours, twice, leaves one sum a lane of each
                    // half. Every partial sum is within 32 * 8 * 127, so narrowing never saturates.
                    let first = _mm256_madd_epi16(_mm256_packs_epi32(parts[0], parts[1]), ones);
                    let second = _mm256_madd_epi16(_mm256_packs_epi32(parts[2], parts[3]), ones);
                    let dots = _mm256_madd_epi16(_mm256_packs_epi32(first, second), ones);
                    let dots = _mm_add_epi32(_mm256_castsi256_si128(dots), _mm256_extracti128_si256::<1>(dots));
                    let halves = |d: [[u8; 2]; 4]| {
                        let d = d.map(u16::from_le_bytes).map(i32::from);
                        _mm_cvtph_ps(_mm_packus_epi32(_mm_setr_epi32(d[0], d[1], d[2], d[3]), _mm_setzero_si128()))
                    };
                    let scales = _mm_mul_ps(
                        halves([w[0].d, w[1].d, w[2].d, w[3].d]),
                        halves([x[0].d, x[1].d, x[2].d, x[3].d]),
                    );
                    let products = _mm_mul_ps(_mm_cvtepi32_ps(dots), scales);
                    let mut lanes = [0.0f32; 4];
                    // SAFETY: the array covers the 16 bytes of an unaligned store.
                    unsafe { _mm_storeu_ps(lanes.as_mut_ptr(), products) };
                    for lane in lanes {
                        sum += lane;
                    }
                }
                scalar::dot_from(sum, weights_rest, x_rest)
            }
        }
    };
}

variant!(
    /// `vpmaddubsw` on nibbles, less another on eights.
    avx2,
    "avx2,f16c",
    |w, x| {
        let dot = _mm256_maddubs_epi16(w, x);
        let offset = _mm256_maddubs_epi16(_mm256_set1_epi8(8), x);
        _mm256_madd_epi16(_mm256_sub_epi16(dot, offset), _mm256_set1_epi16(1))
    }
);
variant!(
    /// `vpdpbusd`, VEX encoded.
    avx_vnni,
    "avx2,f16c,avxvnni",
    |w, x| {
        let zero = _mm256_setzero_si256();
        let offset = _mm256_dpbusd_avx_epi32(zero, _mm256_set1_epi8(8), x);
        _mm256_sub_epi32(_mm256_dpbusd_avx_epi32(zero, w, x), offset)
    }
);
variant!(
    /// `vpdpbusd`, EVEX encoded.
    avx512_vnni,
    "avx2,f16c,avx512f,avx512bw,avx512vl,avx512vnni",
    |w, x| {
        let zero = _mm256_setzero_si256();
        let offset = _mm256_dpbusd_epi32(zero, _mm256_set1_epi8(8), x);
        _mm256_sub_epi32(_mm256_dpbusd_epi32(zero, w, x), offset)
    }
);

/// 32 nibbles in the order of the activations.
#[inline]
#[target_feature(enable = "avx2")]
fn nibbles(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: the reference covers the 16 bytes of an unaligned load.
    let raw = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    let both = _mm256_set_m128i(_mm_srli_epi16::<4>(raw), raw);
    _mm256_and_si256(both, _mm256_set1_epi8(15))
}

#[inline]
#[target_feature(enable = "avx2")]
fn quants(quants: &[i8; 32]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes of an unaligned load.
    unsafe { _mm256_loadu_si256(quants.as_ptr().cast()) }
}
