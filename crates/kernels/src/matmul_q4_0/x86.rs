//! AVX2 and AVX-VNNI: a tile of rows by panels, one vector for the eight outputs of a panel.
//!
//! AVX2 adds `vpmaddubsw` pairs in 16-bit lanes: at most 16 products of 15 * 127 each, 30,480. VNNI adds in 32 bits.

use core::arch::x86_64::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::{PANEL, Packed, q4_0_block_bytes};

const _: () = assert!(16 * 15 * 127 < 1 << 15);
const _: () = assert!(PANEL == 8);

/// Rows of a tile: with two panels eight accumulators, four vectors of nibbles, the mask, a broadcast and a product
/// are the fifteen of sixteen registers.
const ROWS: usize = 4;
const BLOCK_BYTES: usize = q4_0_block_bytes(PANEL);

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $add:path, $finish:path) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { product(out, weights, x, bias) }
            }

            #[target_feature(enable = $features)]
            fn product(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
                let outputs = weights.rows();
                let rows = out.len() / outputs;
                let (blocks, _) = weights.as_bytes().as_chunks::<BLOCK_BYTES>();
                let per_row = x.columns / BLOCK;
                for t in (0..rows).step_by(ROWS) {
                    for (pair, panels) in blocks.chunks(2 * per_row).enumerate() {
                        let o = 2 * pair * PANEL;
                        match (rows - t, panels.len() == 2 * per_row) {
                            (1, true) => tile::<1, 2>(out, outputs, t, o, panels, x, bias),
                            (2, true) => tile::<2, 2>(out, outputs, t, o, panels, x, bias),
                            (3, true) => tile::<3, 2>(out, outputs, t, o, panels, x, bias),
                            (_, true) => tile::<4, 2>(out, outputs, t, o, panels, x, bias),
                            (1, false) => tile::<1, 1>(out, outputs, t, o, panels, x, bias),
                            (2, false) => tile::<2, 1>(out, outputs, t, o, panels, x, bias),
                            (3, false) => tile::<3, 1>(out, outputs, t, o, panels, x, bias),
                            (_, false) => tile::<4, 1>(out, outputs, t, o, panels, x, bias),
                        }
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn tile<const R: usize, const P: usize>(
                out: &mut [f32],
                outputs: usize,
                t: usize,
                o: usize,
                panels: &[[u8; BLOCK_BYTES]],
                x: &Activations,
                bias: Option<&[f32]>,
            ) {
                let blocks = x.columns / BLOCK;
                let mut sums = [[_mm256_setzero_ps(); P]; R];
                let (quants, _) = x.quants[t * x.columns..][..R * x.columns].as_chunks::<4>();
                let (quants, _) = quants.as_chunks::<{ BLOCK / 4 }>();
                let scales = &x.scales[t * blocks..][..R * blocks];
                let offsets = &x.offsets[t * blocks..][..R * blocks];
                let panels = &panels[..P * blocks];
                let mask = _mm256_set1_epi8(15);
                for b in 0..blocks {
                    let mut acc = [[_mm256_setzero_si256(); P]; R];
                    for step in 0..4 {
                        let (mut low, mut high) = ([mask; P], [mask; P]);
                        for p in 0..P {
                            let raw = bytes(&panels[p * blocks + b], 32 + 32 * step);
                            low[p] = _mm256_and_si256(raw, mask);
                            high[p] = _mm256_and_si256(_mm256_srli_epi16::<4>(raw), mask);
                        }
                        for r in 0..R {
                            let words = &quants[r * blocks + b];
                            let y = _mm256_set1_epi32(word(words[2 * step]));
                            let z = _mm256_set1_epi32(word(words[2 * step + 1]));
                            for p in 0..P {
                                acc[r][p] = $add(acc[r][p], low[p], y);
                                acc[r][p] = $add(acc[r][p], high[p], z);
                            }
                        }
                    }
                    let mut d = [_mm256_setzero_ps(); P];
                    for (p, d) in d.iter_mut().enumerate() {
                        *d = _mm256_castsi256_ps(bytes(&panels[p * blocks + b], 0));
                    }
                    for r in 0..R {
                        let scale = _mm256_set1_ps(scales[r * blocks + b]);
                        let offset = _mm256_set1_epi32(offsets[r * blocks + b]);
                        for p in 0..P {
                            let dot = _mm256_cvtepi32_ps(_mm256_add_epi32($finish(acc[r][p]), offset));
                            sums[r][p] = _mm256_add_ps(sums[r][p], _mm256_mul_ps(dot, _mm256_mul_ps(d[p], scale)));
                        }
                    }
                }
                for r in 0..R {
                    for p in 0..P {
                        let o = o + p * PANEL;
                        let width = PANEL.min(outputs - o);
                        finish(&mut out[(t + r) * outputs + o..][..width], sums[r][p], bias.map(|bias| &bias[o..]));
                    }
                }
            }
        }
    };
}

variant!(
    /// `vpmaddubsw` and `vpaddw`.
    avx2,
    "avx2",
    add_avx2,
    sum_avx2
);
variant!(
    /// `vpdpbusd`, VEX encoded.
    avx_vnni,
    "avx2,avxvnni",
    _mm256_dpbusd_avx_epi32,
    core::convert::identity
);

// Functions and not closures, which LLVM kept as functions without the instruction set: a call each time.

#[inline]
#[target_feature(enable = "avx2")]
fn add_avx2(sums: __m256i, weights: __m256i, x: __m256i) -> __m256i {
    _mm256_add_epi16(sums, _mm256_maddubs_epi16(weights, x))
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum_avx2(sums: __m256i) -> __m256i {
    _mm256_madd_epi16(sums, _mm256_set1_epi16(1))
}

#[inline(always)]
fn word(quants: [i8; 4]) -> i32 {
    let [a, b, c, d] = quants;
    i32::from_le_bytes([a as u8, b as u8, c as u8, d as u8])
}

#[inline]
#[target_feature(enable = "avx2")]
fn bytes(block: &[u8; BLOCK_BYTES], at: usize) -> __m256i {
    let bytes: &[u8; 32] = block[at..].first_chunk().expect("inside the block");
    // SAFETY: the reference covers the 32 bytes of an unaligned load.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn finish(out: &mut [f32], sums: __m256, bias: Option<&[f32]>) {
    let mut lanes = [0.0f32; PANEL];
    // SAFETY: the array covers the 32 bytes of an unaligned store.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), sums) };
    match bias {
        Some(bias) => {
            for ((out, sum), bias) in out.iter_mut().zip(lanes).zip(bias) {
                *out = sum + bias;
            }
        }
        None => out.copy_from_slice(&lanes[..out.len()]),
    }
}
