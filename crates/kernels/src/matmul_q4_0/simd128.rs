//! SIMD128: `i16x8.mul` on nibbles widened in place.
//!
//! A 32-bit lane of the packed block holds eight nibbles of one output. Shifting by 0, 4, 8 and 12 bits and masking
//! leaves 16-bit pairs of columns (0, 2), (4, 6), (1, 3) and (5, 7): four vectors for seven operations, and the
//! activations are arranged in the same pairs. A 16-bit lane adds sixteen products `q * y`, which fit; the two lanes of
//! an output and the offset `-8 * Σy` are added in 32 bits.
//!
//! As in the relaxed variant weights stay in registers and rows pass by, half a block of four outputs at a time, and an
//! instruction multiplies by activations where they lie in memory. `i32x4.dot_i16x8` saves nothing: a vector of products
//! costs a multiplication and an addition with it, too, and Cranelift reads its operands twice, so from registers only.

use core::arch::wasm32::*;

use super::groups::{Block, Sums, Tile, VECTORS, bytes, each, load, matmul, repeated, store, widened};
use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::{PANEL, Packed};

pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    matmul::<Simd128>(out, weights, x, bias);
}

struct Simd128;

const _: () = assert!(16 * 15 * 127 < 1 << 15);

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

    #[inline(always)]
    fn block<const R: usize>(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &[[v128; 18]; R]) {
        four_outputs::<0, R>(sums, scratch, weights, x);
        four_outputs::<1, R>(sums, scratch, weights, x);
    }
}

const _: () = assert!(VECTORS == 2);

#[inline(never)]
fn four_outputs<const V: usize, const R: usize>(
    sums: &mut Sums,
    scratch: &mut Sums,
    weights: &Block,
    x: &[[v128; 18]; R],
) {
    let quants = nibbles::<0, V>(weights);
    each::<R>(|r| store(&mut scratch[r][V], half::<0>(&quants, &x[r])));
    let quants = nibbles::<1, V>(weights);
    let d = bytes(weights, 16 * V);
    each::<R>(|r| {
        let dot = i16x8_add(half::<1>(&quants, &x[r]), load(&scratch[r][V]));
        let dot = f32x4_convert_i32x4(i32x4_add(i32x4_extadd_pairwise_i16x8(dot), x[r][0]));
        let product = f32x4_mul(dot, f32x4_mul(d, x[r][1]));
        let sum = f32x4_add(product, load(&sums[r][V]));
        store(&mut sums[r][V], sum);
    });
}

/// Half `H` of a block in 16-bit pairs for the outputs of vector `V`.
#[inline(always)]
fn nibbles<const H: usize, const V: usize>(weights: &Block) -> [v128; 8] {
    core::array::from_fn(|i| {
        let raw = bytes(weights, 4 * PANEL + (2 * H + i / 4) * 4 * PANEL + 16 * V);
        v128_and(u16x8_shr_pairs(raw, i % 4), i16x8_splat(15))
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
fn half<const H: usize>(weights: &[v128; 8], x: &[v128; 18]) -> v128 {
    let mut sum = i16x8_mul(weights[0], x[2 + 8 * H]);
    for j in 1..8 {
        sum = i16x8_add(sum, i16x8_mul(weights[j], x[2 + 8 * H + j]));
    }
    sum
}
