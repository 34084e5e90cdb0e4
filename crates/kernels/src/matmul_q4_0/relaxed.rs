//! Relaxed SIMD: one `i16x8.relaxed_dot_i8x16_i7x16` for 16 products.
//!
//! Exact, since its second operand, the nibbles, is 0..=15 and a pair sum at most 2 * 15 * 127 in size. A 16-bit lane
//! starts at the block's offset or zero and adds 16 products `q * y`; what reaches the end is
//! `Σ(q - 8) * y` of its own 16 columns minus `8 * Σy` of the other lane's 16, or the like: under 2^15 in size, so the
//! wrapping sums are exact.
//!
//! Weights stay in registers, rows pass by: a half block of a panel is eight vectors of nibbles, each row needs four
//! loads of activations (each four bytes repeated, arranged before). Cranelift computes a straight line's arithmetic
//! as late as its stores allow and its loads as early, so without the stores between rows every load of the block
//! would come first and spill; they are volatile, or LLVM would see through them.

use core::arch::wasm32::*;

use super::groups::{Block, Sums, Tile, VECTORS, bytes, each, load, matmul, store};
use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::{PANEL, Packed};

const _: () = assert!(16 * 8 * 127 + 8 * 16 * 127 < 1 << 15);

pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    matmul::<Relaxed>(out, weights, x, bias);
}

struct Relaxed;

impl Tile for Relaxed {
    // 8 rows of 16 blocks arranged in 160 bytes each are 20 KiB.
    const CHUNK: usize = 16;

    /// The offset in the even 16-bit lanes, the scale, then eight times four quants repeated.
    type Row = [v128; 10];

    const EMPTY: [v128; 10] = [i32x4(0, 0, 0, 0); 10];

    #[inline(always)]
    fn arrange(out: &mut [v128; 10], quants: &[i8; BLOCK], scale: f32, offset: i32) {
        out[0] = i32x4_splat(offset & 0xffff);
        out[1] = f32x4_splat(scale);
        for (out, [a, b, c, d]) in out[2..].iter_mut().zip(quants.as_chunks::<4>().0) {
            *out = i32x4_splat(i32::from_le_bytes([*a as u8, *b as u8, *c as u8, *d as u8]));
        }
    }

    // A call of its own: inlined into the loop over blocks, LLVM's strength reduction splits the addresses and each
    // load costs an extra `lea`.
    #[inline(never)]
    fn block<const R: usize>(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &[[v128; 10]; R]) {
        let quants = nibbles::<0>(weights);
        each::<R>(|r| {
            for v in 0..VECTORS {
                let dot = i16x8_add(dot::<0>(&quants[v], &x[r]), x[r][0]);
                store(&mut scratch[r][v], dot);
            }
        });
        let quants = nibbles::<1>(weights);
        let ones = i16x8_splat(1);
        each::<R>(|r| {
            for v in 0..VECTORS {
                let dot = i16x8_add(dot::<1>(&quants[v], &x[r]), load(&scratch[r][v]));
                let dot = f32x4_convert_i32x4(i32x4_dot_i16x8(dot, ones));
                let product = f32x4_mul(dot, f32x4_mul(bytes(weights, 16 * v), x[r][1]));
                let sum = f32x4_add(load(&sums[r][v]), product);
                store(&mut sums[r][v], sum);
            }
        });
    }
}

/// The nibbles of half `H` of a block: `[vector of outputs][four columns]`.
#[inline(always)]
fn nibbles<const H: usize>(weights: &Block) -> [[v128; 4]; VECTORS] {
    let raw: [[v128; VECTORS]; 2] = core::array::from_fn(|step| {
        core::array::from_fn(|v| bytes(weights, 4 * PANEL + (2 * H + step) * 4 * PANEL + 16 * v))
    });
    core::array::from_fn(|v| {
        core::array::from_fn(|j| {
            let raw = raw[j / 2][v];
            v128_and(if j % 2 == 0 { raw } else { u16x8_shr(raw, 4) }, u8x16_splat(15))
        })
    })
}

/// The dot products of half `H` of a block of a row, two 16-bit lanes an output.
#[inline(always)]
fn dot<const H: usize>(weights: &[v128; 4], x: &[v128; 10]) -> v128 {
    let p: [v128; 4] = core::array::from_fn(|j| i16x8_relaxed_dot_i8x16_i7x16(x[2 + 4 * H + j], weights[j]));
    i16x8_add(i16x8_add(p[0], p[1]), i16x8_add(p[2], p[3]))
}
