//! AVX2, AVX-VNNI and AVX-512 VNNI: a panel at a time, its low and its high nibbles in accumulators of their own, so
//! that a chain of additions is four long and not eight.

use core::arch::x86_64::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::{PANEL, Packed, q4_0_block_bytes};

const _: () = assert!(PANEL == 8 && 16 * 15 * 127 < 1 << 15);

const BLOCK_BYTES: usize = q4_0_block_bytes(PANEL);

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $add:expr, $finish:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn matvec_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations) {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { product(out, weights, x) }
            }

            #[target_feature(enable = $features)]
            fn product(out: &mut [f32], weights: &Packed<'_>, x: &Activations) {
                let blocks = x.columns / BLOCK;
                let (packed, _) = weights.as_bytes().as_chunks::<BLOCK_BYTES>();
                let words = x.quants(0).as_chunks::<4>().0.as_chunks::<8>().0;
                let (scales, offsets) = (&x.scales[..blocks], &x.offsets[..blocks]);
                let mask = _mm256_set1_epi8(15);
                for (out, panel) in out.chunks_mut(PANEL).zip(packed.chunks_exact(blocks)) {
                    let mut sums = _mm256_setzero_ps();
                    for (((block, words), scale), offset) in panel.iter().zip(words).zip(scales).zip(offsets) {
                        let mut low = _mm256_setzero_si256();
                        let mut high = _mm256_setzero_si256();
                        for step in 0..4 {
                            let raw = bytes(block, 4 * PANEL + 4 * PANEL * step);
                            let [y, z] = [0, 1].map(|half| _mm256_set1_epi32(word(words[2 * step + half])));
                            low = $add(low, _mm256_and_si256(raw, mask), y);
                            high = $add(high, _mm256_and_si256(_mm256_srli_epi16::<4>(raw), mask), z);
                        }
                        let dot = _mm256_add_epi32($finish(low, high), _mm256_set1_epi32(*offset));
                        let scales = _mm256_mul_ps(_mm256_castsi256_ps(bytes(block, 0)), _mm256_set1_ps(*scale));
                        sums = _mm256_add_ps(sums, _mm256_mul_ps(_mm256_cvtepi32_ps(dot), scales));
                    }
                    let mut lanes = [0.0f32; PANEL];
                    // SAFETY: the array covers the 32 bytes of an unaligned store.
                    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), sums) };
                    out.copy_from_slice(&lanes[..out.len()]);
                }
            }
        }
    };
}

variant!(
    /// `vpmaddubsw` and `vpaddw`: eight products of 15 * 127 a lane, twice.
    avx2,
    "avx2",
    |acc, weights, x| _mm256_add_epi16(acc, _mm256_maddubs_epi16(weights, x)),
    |low, high| _mm256_madd_epi16(_mm256_add_epi16(low, high), _mm256_set1_epi16(1))
);
variant!(
    /// `vpdpbusd`, VEX encoded.
    avx_vnni,
    "avx2,avxvnni",
    |acc, weights, x| _mm256_dpbusd_avx_epi32(acc, weights, x),
    |low, high| _mm256_add_epi32(low, high)
);
variant!(
    /// `vpdpbusd`, EVEX encoded.
    avx512_vnni,
    "avx2,avx512f,avx512bw,avx512vl,avx512vnni",
    |acc, weights, x| _mm256_dpbusd_epi32(acc, weights, x),
    |low, high| _mm256_add_epi32(low, high)
);

#[inline(always)]
fn word(quants: [i8; 4]) -> i32 {
    i32::from_le_bytes(quants.map(|quant| quant as u8))
}

#[inline]
#[target_feature(enable = "avx2")]
fn bytes(block: &[u8; BLOCK_BYTES], at: usize) -> __m256i {
    let bytes: &[u8; 32] = block[at..].first_chunk().expect("inside the block");
    // SAFETY: the reference covers the 32 bytes of an unaligned load.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}
