//! SIMD128: `i32x4.dot_i16x8` on nibbles widened in place.
//!
//! A 32-bit lane of the packed block holds eight nibbles of one output. Shifting by 0, 4, 8 and 12 bits and masking
//! leaves 16-bit pairs of columns (0, 2), (4, 6), (1, 3) and (5, 7): four vectors for seven operations, and the
//! activations are arranged in the same pairs. The offset `-8 * Σy` starts the 32-bit sum, so no 8 is subtracted.
//!
//! As in the relaxed variant weights stay in registers and rows pass by, a quarter block at a time.

use core::arch::wasm32::*;

use super::groups::{Block, Sums, Tile, VECTORS, bytes, each, load, matmul, repeated, store, widened};
use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::{PANEL, Packed};

pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    matmul::<Simd128>(out, weights, x, bias);
}

struct Simd128;

impl Tile for Simd128 {
    // 8 rows of 8 blocks arranged in 288 bytes each are 18 KiB.
    const CHUNK: usize = 8;

    /// The offset, the scale, then sixteen pairs of quants repeated.
    type Row = [v128; 18];

    const EMPTY: [v128; 18] = [i32x4(0, 0, 0, 0); 18];

    #[inline(always)]
    fn arrange(out: &mut [v128; 18], quants: &[i8; BLOCK], scale: f32, offset: i32) {
        out[0] = i32x4_splat(offset);
        out[1] = f32x4_splat(scale);
        for (out, eight) in out[2..].as_chunks_mut::<4>().0.iter_mut().zip(widened(quants)) {
            *out = repeated(i16x8_shuffle::<0, 2, 4, 6, 1, 3, 5, 7>(eight, eight));
        }
    }

    #[inline(never)]
    fn block<const R: usize>(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &[[v128; 18]; R]) {
        let quants = nibbles::<0>(weights);
        each::<R>(|r| {
            for v in 0..VECTORS {
                store(&mut scratch[r][v], dot::<0>(x[r][0], &quants[v], &x[r]));
            }
        });
        middle::<1, R>(scratch, weights, x);
        middle::<2, R>(scratch, weights, x);
        let quants = nibbles::<3>(weights);
        each::<R>(|r| {
            for v in 0..VECTORS {
                let dot = f32x4_convert_i32x4(dot::<3>(load(&scratch[r][v]), &quants[v], &x[r]));
                let product = f32x4_mul(dot, f32x4_mul(bytes(weights, 16 * v), x[r][1]));
                let sum = f32x4_add(load(&sums[r][v]), product);
                store(&mut sums[r][v], sum);
            }
        });
    }
}

#[inline(always)]
fn middle<const Q: usize, const R: usize>(scratch: &mut Sums, weights: &Block, x: &[[v128; 18]; R]) {
    let quants = nibbles::<Q>(weights);
    each::<R>(|r| {
        for v in 0..VECTORS {
            let dot = dot::<Q>(load(&scratch[r][v]), &quants[v], &x[r]);
            store(&mut scratch[r][v], dot);
        }
    });
}

/// Quarter `Q` of a block in 16-bit pairs: `[vector of outputs][shift]`.
#[inline(always)]
fn nibbles<const Q: usize>(weights: &Block) -> [[v128; 4]; VECTORS] {
    core::array::from_fn(|v| {
        let raw = bytes(weights, 4 * PANEL + Q * 4 * PANEL + 16 * v);
        core::array::from_fn(|shift| v128_and(u16x8_shr_pairs(raw, shift), i16x8_splat(15)))
    })
}

#[inline(always)]
fn u16x8_shr_pairs(raw: v128, shift: usize) -> v128 {
    match shift {
        0 => raw,
        1 => u16x8_shr(raw, 4),
        2 => u16x8_shr(raw, 8),
        _ => u16x8_shr(raw, 12),
    }
}

#[inline(always)]
fn dot<const Q: usize>(sum: v128, weights: &[v128; 4], x: &[v128; 18]) -> v128 {
    let p: [v128; 4] = core::array::from_fn(|j| i32x4_dot_i16x8(x[2 + 4 * Q + j], weights[j]));
    i32x4_add(i32x4_add(sum, i32x4_add(p[0], p[1])), i32x4_add(p[2], p[3]))
}
