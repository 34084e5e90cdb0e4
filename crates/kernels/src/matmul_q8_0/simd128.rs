//! SIMD128: eight or sixteen outputs at a time, activations broadcast as pairs of i16.

use alloc::vec::Vec;
use core::arch::wasm32::*;

use super::PanelsQ8_0;
use super::panels::{BLOCK_BYTES, PANEL};
use crate::activations::Activations;
use crate::block::BLOCK;

/// Vectors of four outputs in a panel.
const VECTORS: usize = PANEL / 4;

pub fn matmul_q8_0(out: &mut [f32], weights: &PanelsQ8_0<'_>, x: &Activations) {
    let (outputs, columns) = (weights.rows(), weights.columns());
    let rows = out.len() / outputs;
    let wide: Vec<i16> = x.quants[..rows * columns].iter().map(|&quant| i16::from(quant)).collect();
    let (blocks, _) = weights.as_bytes().as_chunks::<BLOCK_BYTES>();
    for (panel, blocks) in blocks.chunks_exact(columns / BLOCK).enumerate() {
        let mut t = 0;
        while t < rows {
            let at = |t| (&wide[t * columns..][..columns], x.scales(t));
            if t + 2 <= rows {
                // Two rows of eight outputs are eight registers of sums; four more would spill.
                let low = tile::<2, { VECTORS / 2 }>(blocks, 0, [at(t), at(t + 1)]);
                store(out, outputs, panel * PANEL, t, &low);
                let high = tile::<2, { VECTORS / 2 }>(blocks, VECTORS / 2, [at(t), at(t + 1)]);
                store(out, outputs, panel * PANEL + PANEL / 2, t, &high);
                t += 2;
            } else {
                store(out, outputs, panel * PANEL, t, &tile::<1, VECTORS>(blocks, 0, [at(t)]));
                t += 1;
            }
        }
    }
}

fn store<const V: usize>(out: &mut [f32], outputs: usize, first: usize, t: usize, sums: &[[v128; V]]) {
    for (i, sums) in sums.iter().enumerate() {
        let row = &mut out[(t + i) * outputs..][..outputs];
        for (v, sum) in sums.iter().enumerate() {
            let lanes = [
                f32x4_extract_lane::<0>(*sum),
                f32x4_extract_lane::<1>(*sum),
                f32x4_extract_lane::<2>(*sum),
                f32x4_extract_lane::<3>(*sum),
            ];
            let at = (first + 4 * v).min(outputs);
            let live = 4.min(outputs - at);
            row[at..][..live].copy_from_slice(&lanes[..live]);
        }
    }
}

/// The sums of `V` vectors of four outputs, from vector `first` of the panel, for `ROWS` rows of activations.
#[inline(always)]
fn tile<const ROWS: usize, const V: usize>(
    blocks: &[[u8; BLOCK_BYTES]],
    first: usize,
    x: [(&[i16], &[f32]); ROWS],
) -> [[v128; V]; ROWS] {
    let mut sums = [[f32x4_splat(0.0); V]; ROWS];
    for (block, bytes) in blocks.iter().enumerate() {
        let mut dots = [[i32x4_splat(0); V]; ROWS];
        let quants: [&[i16; BLOCK]; ROWS] = core::array::from_fn(|row| {
            x[row].0[block * BLOCK..].first_chunk().expect("rows are whole blocks")
        });
        for pair in 0..BLOCK / 2 {
            for v in 0..V {
                let w = widen(bytes, 4 * PANEL + pair * 2 * PANEL + 8 * (first + v));
                for row in 0..ROWS {
                    dots[row][v] = i32x4_add(dots[row][v], i32x4_dot_i16x8(w, two(quants[row], 2 * pair)));
                }
            }
        }
        for row in 0..ROWS {
            let scale = f32x4_splat(x[row].1[block]);
            for v in 0..V {
                let both = f32x4_mul(load(bytes, 16 * (first + v)), scale);
                sums[row][v] = f32x4_add(sums[row][v], f32x4_mul(f32x4_convert_i32x4(dots[row][v]), both));
            }
        }
    }
    sums
}

#[inline(always)]
fn two(quants: &[i16; BLOCK], at: usize) -> v128 {
    let pair = &quants[at..at + 2];
    // SAFETY: the slice holds four bytes.
    unsafe { v128_load32_splat(pair.as_ptr().cast()) }
}

#[inline(always)]
fn widen(bytes: &[u8; BLOCK_BYTES], at: usize) -> v128 {
    let eight = &bytes[at..at + 8];
    // SAFETY: the slice holds eight bytes.
    unsafe { i16x8_load_extend_i8x8(eight.as_ptr().cast()) }
}

#[inline(always)]
fn load(bytes: &[u8; BLOCK_BYTES], at: usize) -> v128 {
    let sixteen = &bytes[at..at + 16];
    // SAFETY: the slice holds sixteen bytes.
    unsafe { v128_load(sixteen.as_ptr().cast()) }
}
