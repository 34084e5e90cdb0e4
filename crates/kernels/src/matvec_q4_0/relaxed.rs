//! Relaxed SIMD: the arithmetic of `matmul_q4_0/relaxed.rs`, whose bounds hold here too, for one row.
//!
//! Four blocks of a panel are one call in straight-line code; what a half block leaves waits in memory, for the
//! reasons told there.

use core::arch::wasm32::*;

use super::panels::{Sums, Tile, matvec};
use crate::activations::Activations;
use crate::block::BLOCK;
use crate::matmul_q4_0::groups::{Block, bytes, load, store};
use crate::packed::{PANEL, Packed};

const _: () = assert!(16 * 8 * 127 + 8 * 16 * 127 < 1 << 15);

/// A block of activations: the offset in the even 16-bit lanes, the scale, eight times four quants repeated.
type Row = [v128; 10];

pub fn matvec_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations) {
    matvec::<Relaxed, 4>(out, weights, x);
}

struct Relaxed;

impl Tile<4> for Relaxed {
    type Row = Row;

    #[inline(always)]
    fn arrange(quants: &[i8; BLOCK], scale: f32, offset: i32) -> Row {
        let (words, _) = quants.as_chunks::<4>();
        core::array::from_fn(|i| match i {
            0 => i32x4_splat(offset & 0xffff),
            1 => f32x4_splat(scale),
            _ => i32x4_splat(i32::from_le_bytes(words[i - 2].map(|quant| quant as u8))),
        })
    }

    #[inline(never)]
    fn chunk(sums: &mut Sums, scratch: &mut Sums, weights: &[Block; 4], x: &[Row; 4]) {
        block(sums, scratch, &weights[0], &x[0]);
        block(sums, scratch, &weights[1], &x[1]);
        block(sums, scratch, &weights[2], &x[2]);
        block(sums, scratch, &weights[3], &x[3]);
    }

    #[inline(never)]
    fn one(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &Row) {
        block(sums, scratch, weights, x);
    }
}

#[inline(always)]
fn block(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &Row) {
    for v in 0..2 {
        let dot = i16x8_add(half::<0>(weights, v, x), x[0]);
        store(&mut scratch[v], dot);
    }
    let ones = i16x8_splat(1);
    for v in 0..2 {
        let dot = i16x8_add(half::<1>(weights, v, x), load(&scratch[v]));
        let dot = f32x4_convert_i32x4(i32x4_dot_i16x8(dot, ones));
        let product = f32x4_mul(dot, f32x4_mul(bytes(weights, 16 * v), x[1]));
        let sum = f32x4_add(load(&sums[v]), product);
        store(&mut sums[v], sum);
    }
}

/// Half `H` of a block for vector `v` of outputs, two 16-bit lanes an output.
#[inline(always)]
fn half<const H: usize>(weights: &Block, v: usize, x: &Row) -> v128 {
    let mask = u8x16_splat(15);
    let step = |step: usize| {
        let raw = bytes(weights, 4 * PANEL + (2 * H + step) * 4 * PANEL + 16 * v);
        let at = 2 + 4 * H + 2 * step;
        i16x8_add(
            i16x8_relaxed_dot_i8x16_i7x16(x[at], v128_and(raw, mask)),
            i16x8_relaxed_dot_i8x16_i7x16(x[at + 1], v128_and(u16x8_shr(raw, 4), mask)),
        )
    };
    i16x8_add(step(0), step(1))
}
