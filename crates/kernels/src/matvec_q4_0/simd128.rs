//! SIMD128: the arithmetic of `matmul_q4_0/simd128.rs` for one row, a quarter block at a time.

use core::arch::wasm32::*;

use super::panels::{Sums, Tile, matvec};
use crate::activations::Activations;
use crate::block::BLOCK;
use crate::matmul_q4_0::groups::{Block, bytes, load, store};
use crate::packed::{PANEL, Packed};

/// A block of activations: the offset, the scale, sixteen pairs of quants repeated.
type Row = [v128; 18];

/// The first column of the pair that each shift leaves; the second is two further.
const PAIRS: [usize; 4] = [0, 4, 1, 5];

pub fn matvec_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations) {
    matvec::<Simd128, 2>(out, weights, x);
}

struct Simd128;

impl Tile<2> for Simd128 {
    type Row = Row;

    #[inline(always)]
    fn arrange(quants: &[i8; BLOCK], scale: f32, offset: i32) -> Row {
        core::array::from_fn(|i| match i {
            0 => i32x4_splat(offset),
            1 => f32x4_splat(scale),
            _ => {
                let at = (i - 2) / 4 * 8 + PAIRS[(i - 2) % 4];
                i32x4_splat(i32::from(quants[at]) & 0xffff | i32::from(quants[at + 2]) << 16)
            }
        })
    }

    #[inline(never)]
    fn chunk(sums: &mut Sums, scratch: &mut Sums, weights: &[Block; 2], x: &[Row; 2]) {
        block(sums, scratch, &weights[0], &x[0]);
        block(sums, scratch, &weights[1], &x[1]);
    }

    #[inline(never)]
    fn one(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &Row) {
        block(sums, scratch, weights, x);
    }
}

#[inline(always)]
fn block(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &Row) {
    for v in 0..2 {
        store(&mut scratch[v], quarter::<0>(x[0], weights, v, x));
    }
    middle::<1>(scratch, weights, x);
    middle::<2>(scratch, weights, x);
    for v in 0..2 {
        let dot = f32x4_convert_i32x4(quarter::<3>(load(&scratch[v]), weights, v, x));
        let product = f32x4_mul(dot, f32x4_mul(bytes(weights, 16 * v), x[1]));
        let sum = f32x4_add(load(&sums[v]), product);
        store(&mut sums[v], sum);
    }
}

#[inline(always)]
fn middle<const Q: usize>(scratch: &mut Sums, weights: &Block, x: &Row) {
    for v in 0..2 {
        let dot = quarter::<Q>(load(&scratch[v]), weights, v, x);
        store(&mut scratch[v], dot);
    }
}

/// Adds quarter `Q` of a block for vector `v` of outputs.
#[inline(always)]
fn quarter<const Q: usize>(sum: v128, weights: &Block, v: usize, x: &Row) -> v128 {
    let raw = bytes(weights, 4 * PANEL + Q * 4 * PANEL + 16 * v);
    let mask = i16x8_splat(15);
    let at = 2 + 4 * Q;
    let first = i32x4_add(
        i32x4_dot_i16x8(x[at], v128_and(raw, mask)),
        i32x4_dot_i16x8(x[at + 1], v128_and(u16x8_shr(raw, 4), mask)),
    );
    let second = i32x4_add(
        i32x4_dot_i16x8(x[at + 2], v128_and(u16x8_shr(raw, 8), mask)),
        i32x4_dot_i16x8(x[at + 3], u16x8_shr(raw, 12)),
    );
    i32x4_add(i32x4_add(sum, first), second)
}
