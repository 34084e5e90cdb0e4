//! AVX2: sixteen outputs in two vectors, activations broadcast as pairs of i16.

use alloc::vec::Vec;
use core::arch::x86_64::*;

use super::PanelsQ8_0;
use super::panels::{BLOCK_BYTES, PANEL};
use crate::activations::Activations;
use crate::block::BLOCK;

pub fn matmul_q8_0(out: &mut [f32], weights: &PanelsQ8_0<'_>, x: &Activations) {
    // SAFETY: the row of `VARIANTS` needs AVX2, so dispatch has seen it.
    unsafe { matmul(out, weights, x) }
}

#[target_feature(enable = "avx2")]
fn matmul(out: &mut [f32], weights: &PanelsQ8_0<'_>, x: &Activations) {
    let (outputs, columns) = (weights.rows(), weights.columns());
    let rows = out.len() / outputs;
    let wide: Vec<i16> = x.quants[..rows * columns].iter().map(|&quant| i16::from(quant)).collect();
    let (blocks, _) = weights.as_bytes().as_chunks::<BLOCK_BYTES>();
    for (panel, blocks) in blocks.chunks_exact(columns / BLOCK).enumerate() {
        let mut t = 0;
        while t < rows {
            let at = |t| (&wide[t * columns..][..columns], x.scales(t));
            if t + 4 <= rows {
                let sums = tile(blocks, [at(t), at(t + 1), at(t + 2), at(t + 3)]);
                store(out, outputs, panel, t, &sums);
                t += 4;
            } else {
                store(out, outputs, panel, t, &tile(blocks, [at(t)]));
                t += 1;
            }
        }
    }
}

fn store(out: &mut [f32], outputs: usize, panel: usize, t: usize, sums: &[[f32; PANEL]]) {
    let live = PANEL.min(outputs - panel * PANEL);
    for (i, sums) in sums.iter().enumerate() {
        out[(t + i) * outputs + panel * PANEL..][..live].copy_from_slice(&sums[..live]);
    }
}

/// The sums of one panel for `ROWS` rows of activations.
#[inline]
#[target_feature(enable = "avx2")]
fn tile<const ROWS: usize>(
    blocks: &[[u8; BLOCK_BYTES]],
    x: [(&[i16], &[f32]); ROWS],
) -> [[f32; PANEL]; ROWS] {
    let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
    for (block, bytes) in blocks.iter().enumerate() {
        let mut dots = [[_mm256_setzero_si256(); 2]; ROWS];
        for pair in 0..BLOCK / 2 {
            let at = 4 * PANEL + pair * 2 * PANEL;
            let w = [widen(bytes, at), widen(bytes, at + PANEL)];
            for (dots, (quants, _)) in dots.iter_mut().zip(&x) {
                let two = &quants[block * BLOCK + 2 * pair..][..2];
                let y = _mm256_set1_epi32(i32::from(two[0] as u16) | i32::from(two[1]) << 16);
                dots[0] = _mm256_add_epi32(dots[0], _mm256_madd_epi16(w[0], y));
                dots[1] = _mm256_add_epi32(dots[1], _mm256_madd_epi16(w[1], y));
            }
        }
        for ((sums, dots), (_, scales)) in sums.iter_mut().zip(&dots).zip(&x) {
            let scale = _mm256_set1_ps(scales[block]);
            for half in 0..2 {
                let both = _mm256_mul_ps(floats(bytes, 32 * half), scale);
                sums[half] = _mm256_add_ps(sums[half], _mm256_mul_ps(_mm256_cvtepi32_ps(dots[half]), both));
            }
        }
    }
    sums.map(|sums| {
        let mut out = [0.0; PANEL];
        for (out, sum) in out.chunks_exact_mut(8).zip(sums) {
            // SAFETY: the chunk holds eight floats.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), sum) };
        }
        out
    })
}

#[inline]
#[target_feature(enable = "avx2")]
fn widen(bytes: &[u8; BLOCK_BYTES], at: usize) -> __m256i {
    let sixteen = &bytes[at..at + 16];
    // SAFETY: the slice holds sixteen bytes.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(sixteen.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn floats(bytes: &[u8; BLOCK_BYTES], at: usize) -> __m256 {
    let eight = &bytes[at..at + 32];
    // SAFETY: the slice holds 32 bytes.
    unsafe { _mm256_loadu_ps(eight.as_ptr().cast()) }
}
