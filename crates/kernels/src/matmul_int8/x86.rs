//! AVX2, AVX-VNNI and AVX-512 VNNI: a tile of rows by panels, one vector for the eight outputs of a panel.
//!
//! AVX2 widens the weights' even and odd columns by shifts and multiplies pairs with `vpmaddwd`. VNNI multiplies
//! unsigned by signed: the activations are shifted by 128, and `128 * Σw`, one more product a vector of weights, is
//! taken off at the end. All sums are exact in 32 bits: 2^17 columns of 127 * 127, and with VNNI of 255 * 127 modulo
//! 2^32.

use alloc::vec;
use core::arch::x86_64::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::{PANEL, Packed, int8_panel_bytes};

const _: () = assert!(PANEL == 8);

/// Rows of a tile: with two panels eight accumulators.
const ROWS: usize = 4;
/// Four columns of a panel.
type Step = [u8; 4 * PANEL];

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $arrange:expr, $split:expr, $add:expr, $less:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn matmul_int8(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { product(out, weights, x, bias) }
            }

            #[target_feature(enable = $features)]
            fn product(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
                let outputs = weights.rows();
                let rows = out.len() / outputs;
                let panel_bytes = int8_panel_bytes(PANEL, x.columns);
                let steps = x.columns.next_multiple_of(BLOCK) / 4;
                let mut arranged = vec![[0i32; 2]; ROWS * steps];
                for t in (0..rows).step_by(ROWS) {
                    let live = ROWS.min(rows - t);
                    for (r, words) in arranged.chunks_exact_mut(steps).take(live).enumerate() {
                        for (word, quants) in words.iter_mut().zip(x.quants(t + r).chunks(4)) {
                            let mut four = [0; 4];
                            four[..quants.len()].copy_from_slice(quants);
                            *word = $arrange(four);
                        }
                    }
                    for (pair, panels) in weights.as_bytes().chunks(2 * panel_bytes).enumerate() {
                        let o = 2 * pair * PANEL;
                        let out = &mut out[t * outputs..];
                        let scales = &x.scales[t..];
                        match (live, panels.len() == 2 * panel_bytes) {
                            (1, true) => tile::<1, 2>(out, outputs, o, panels, &arranged, scales, bias),
                            (2, true) => tile::<2, 2>(out, outputs, o, panels, &arranged, scales, bias),
                            (3, true) => tile::<3, 2>(out, outputs, o, panels, &arranged, scales, bias),
                            (_, true) => tile::<4, 2>(out, outputs, o, panels, &arranged, scales, bias),
                            (1, false) => tile::<1, 1>(out, outputs, o, panels, &arranged, scales, bias),
                            (2, false) => tile::<2, 1>(out, outputs, o, panels, &arranged, scales, bias),
                            (3, false) => tile::<3, 1>(out, outputs, o, panels, &arranged, scales, bias),
                            (_, false) => tile::<4, 1>(out, outputs, o, panels, &arranged, scales, bias),
                        }
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn tile<const R: usize, const P: usize>(
                out: &mut [f32],
                outputs: usize,
                o: usize,
                panels: &[u8],
                x: &[[i32; 2]],
                scales: &[f32],
                bias: Option<&[f32]>,
            ) {
                let steps = x.len() / ROWS;
                let panel_bytes = panels.len() / P;
                let panels: [&[u8]; P] = core::array::from_fn(|p| &panels[p * panel_bytes..][..panel_bytes]);
                let steps_of: [&[Step]; P] =
                    core::array::from_fn(|p| &panels[p][4 * PANEL..].as_chunks().0[..steps]);
                let x: [&[[i32; 2]]; R] = core::array::from_fn(|r| &x[r * steps..][..steps]);
                let mut acc = [[_mm256_setzero_si256(); P]; R];
                let mut less = [_mm256_setzero_si256(); P];
                for s in 0..steps {
                    let w: [[__m256i; 2]; P] = core::array::from_fn(|p| $split(bytes(&steps_of[p][s])));
                    for p in 0..P {
                        less[p] = $less(less[p], w[p]);
                    }
                    for r in 0..R {
                        let y = x[r][s].map(|y| _mm256_set1_epi32(y));
                        for p in 0..P {
                            acc[r][p] = $add(acc[r][p], w[p], y);
                        }
                    }
                }
                for p in 0..P {
                    let o = o + p * PANEL;
                    let width = PANEL.min(outputs - o);
                    let weight = _mm256_castsi256_ps(bytes(panels[p].first_chunk().expect("a panel's scales")));
                    for r in 0..R {
                        let dot = _mm256_cvtepi32_ps(_mm256_sub_epi32(acc[r][p], less[p]));
                        let product = _mm256_mul_ps(_mm256_mul_ps(dot, _mm256_set1_ps(scales[r])), weight);
                        finish(&mut out[r * outputs + o..][..width], product, bias.map(|bias| &bias[o..]));
                    }
                }
            }
        }
    };
}

variant!(
    /// `vpmaddwd` and `vpaddd`.
    avx2,
    "avx2",
    |y: [i8; 4]| {
        let pair = |low: i8, high: i8| i32::from(low) & 0xffff | i32::from(high) << 16;
        [pair(y[0], y[2]), pair(y[1], y[3])]
    },
    |raw| [_mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(raw)), _mm256_srai_epi16::<8>(raw)],
    |acc, w: [__m256i; 2], y: [__m256i; 2]| {
        _mm256_add_epi32(acc, _mm256_add_epi32(_mm256_madd_epi16(w[0], y[0]), _mm256_madd_epi16(w[1], y[1])))
    },
    |less, _| less
);
variant!(
    /// `vpdpbusd`, VEX encoded.
    avx_vnni,
    "avx2,avxvnni",
    |y: [i8; 4]| [i32::from_le_bytes(y.map(|y| y as u8 ^ 0x80)), 0],
    |raw| [raw, raw],
    |acc, w: [__m256i; 2], y: [__m256i; 2]| _mm256_dpbusd_avx_epi32(acc, y[0], w[0]),
    |less, w: [__m256i; 2]| _mm256_dpbusd_avx_epi32(less, _mm256_set1_epi8(-128), w[0])
);
variant!(
    /// `vpdpbusd`, EVEX encoded: the registers of AVX-512 at 256 bits.
    avx512_vnni,
    "avx2,avx512f,avx512bw,avx512vl,avx512vnni",
    |y: [i8; 4]| [i32::from_le_bytes(y.map(|y| y as u8 ^ 0x80)), 0],
    |raw| [raw, raw],
    |acc, w: [__m256i; 2], y: [__m256i; 2]| _mm256_dpbusd_epi32(acc, y[0], w[0]),
    |less, w: [__m256i; 2]| _mm256_dpbusd_epi32(less, _mm256_set1_epi8(-128), w[0])
);

#[inline]
#[target_feature(enable = "avx2")]
fn bytes(bytes: &[u8; 4 * PANEL]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes of an unaligned load.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn finish(out: &mut [f32], products: __m256, bias: Option<&[f32]>) {
    let mut lanes = [0.0f32; PANEL];
    // SAFETY: the array covers the 32 bytes of an unaligned store.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), products) };
    match bias {
        Some(bias) => {
            for ((out, product), bias) in out.iter_mut().zip(lanes).zip(bias) {
                *out = product + bias;
            }
        }
        None => out.copy_from_slice(&lanes[..out.len()]),
    }
}
