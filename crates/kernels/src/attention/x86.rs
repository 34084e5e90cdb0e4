//! AVX2: `vpmaddwd`, the eight rows of a group in eight registers.

use core::arch::x86_64::*;

use super::tiles::{Engine, PANEL, Pair, ROWS, Sums};
use super::{Scratch, Shape};

pub fn attention(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape, _: &mut Scratch) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(out, q, k, v, shape) }
}

/// The whole walk with AVX2 enabled, so that the steps LLVM vectorises use it, too.
#[target_feature(enable = "avx2")]
fn avx2(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape) {
    super::tiles::attention::<Avx2>(out, q, k, v, shape);
}

struct Avx2;

const _: () = assert!(PANEL == 8);

impl Engine for Avx2 {
    type Word = i32;

    #[inline(always)]
    fn word(low: i16, high: i16) -> i32 {
        i32::from(low) & 0xffff | i32::from(high) << 16
    }

    #[inline(always)]
    fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[i32]) {
        // SAFETY: reached from `avx2` alone.
        unsafe { accumulate(sums, panel, x) }
    }
}

#[target_feature(enable = "avx2")]
fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[i32]) {
    let mut acc = [_mm256_setzero_si256(); ROWS];
    for (panel, x) in panel.as_chunks::<4>().0.iter().zip(x.as_chunks::<{ 4 * ROWS }>().0) {
        for j in 0..4 {
            // SAFETY: a pair is the 32 bytes of an unaligned load.
            let weights = unsafe { _mm256_loadu_si256(panel[j].as_ptr().cast()) };
            for r in 0..ROWS {
                acc[r] =
                    _mm256_add_epi32(acc[r], _mm256_madd_epi16(weights, _mm256_set1_epi32(x[4 * r + j])));
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
