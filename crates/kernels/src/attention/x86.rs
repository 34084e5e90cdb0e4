//! AVX2 and AVX-512 VNNI: the eight rows of a group in eight registers, eight outputs each.

use core::arch::x86_64::*;

use super::tiles::{Engine, PANEL, Pair, ROWS, Sums};
use super::{Scratch, Shape};
use crate::lanes::avx2::F32x8;
use crate::lanes::avx512::F32x16;

const _: () = assert!(PANEL == 8);

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $scores:ty, $add:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn attention(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape, scratch: &mut Scratch) {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { whole(out, q, k, v, shape, scratch) }
            }

            pub fn weights(out: &mut [i32], x: &[f32]) {
                // SAFETY: as above.
                unsafe { all(out, x) }
            }

            #[target_feature(enable = $features)]
            fn whole(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape, scratch: &mut Scratch) {
                crate::attention::tiles::attention::<This>(out, q, k, v, shape, scratch);
            }

            #[target_feature(enable = $features)]
            fn all(out: &mut [i32], x: &[f32]) {
                crate::attention::tiles::weights::<$scores>(out, x);
            }

            struct This;

            impl Engine for This {
                type Head = F32x8;
                type Scores = $scores;
                type Word = i32;
                const ZERO: i32 = 0;

                #[inline(always)]
                fn words(out: &mut [i32; 4], inputs: &[i16; 8]) {
                    for (out, [low, high]) in out.iter_mut().zip(inputs.as_chunks::<2>().0) {
                        *out = i32::from(*low) & 0xffff | i32::from(*high) << 16;
                    }
                }

                #[inline(always)]
                fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[i32]) {
                    // SAFETY: reached from `whole` alone.
                    unsafe { accumulate(sums, panel, x) }
                }
            }

            #[target_feature(enable = $features)]
            fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[i32]) {
                let mut acc = [_mm256_setzero_si256(); ROWS];
                for (panel, x) in panel.as_chunks::<4>().0.iter().zip(x.as_chunks::<{ 4 * ROWS }>().0) {
                    for j in 0..4 {
                        // SAFETY: a pair is the 32 bytes of an unaligned load.
                        let weights = unsafe { _mm256_loadu_si256(panel[j].as_ptr().cast()) };
                        for r in 0..ROWS {
                            acc[r] = $add(acc[r], weights, _mm256_set1_epi32(x[4 * r + j]));
                        }
                    }
                }
                for (sums, acc) in sums.0.iter_mut().zip(acc) {
                    let at = sums.as_mut_ptr().cast();
                    // SAFETY: a row is 32 bytes.
                    let before = unsafe { _mm256_loadu_si256(at) };
                    // SAFETY: as above.
                    unsafe { _mm256_storeu_si256(at, _mm256_add_epi32(before, acc)) };
                }
            }
        }
    };
}

variant!(
    /// `vpmaddwd` and `vpaddd`.
    avx2,
    "avx2",
    F32x8,
    |acc, weights, x| _mm256_add_epi32(acc, _mm256_madd_epi16(weights, x))
);
variant!(
    /// `vpdpwssd`; sixteen scores a vector.
    avx512_vnni,
    "avx2,avx512f,avx512bw,avx512vl,avx512vnni",
    F32x16,
    |acc, weights, x| _mm256_dpwssd_epi32(acc, weights, x)
);
