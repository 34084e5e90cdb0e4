//! What the Wasm variants share: four rows at a time, one lane a row.
//!
//! The activations are arranged once; a chunk of eight blocks of four rows is one call in straight-line code. The
//! running sums go through memory after each block: without those stores Cranelift would move the loads of the whole
//! chunk to its front and spill them.

use alloc::vec::Vec;
use core::arch::wasm32::*;

use super::scalar;
use crate::block::{BlockQ4_0, BlockQ8_0};
use crate::matmul_q4_0::groups::{lanes, load, store};

/// Blocks of a chunk.
const CHUNK: usize = 8;

/// What a variant adds.
pub trait Dot {
    /// A block of activations.
    type Quants: Copy;
    fn arrange(quants: &[i8; 32]) -> Self::Quants;
    /// A block's dot product in four parts, each within i16.
    fn dot(weights: v128, x: &Self::Quants) -> v128;
}

struct Arranged<D: Dot> {
    scale: v128,
    quants: D::Quants,
}

pub fn dots<D: Dot>(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    // No blocks: rows of `weights` cannot be told apart, and every sum is zero.
    if x.is_empty() {
        return out.fill(0.0);
    }
    let arranged: Vec<Arranged<D>> =
        x.iter().map(|x| Arranged { scale: f32x4_splat(x.scale()), quants: D::arrange(&x.qs) }).collect();
    let (chunks, rest) = arranged.as_chunks::<CHUNK>();
    let (fours, last) = out.as_chunks_mut::<4>();
    let mut rows = weights.chunks(4 * x.len());
    for (out, rows) in fours.iter_mut().zip(&mut rows) {
        let row = |r: usize| rows[r * x.len()..][..x.len()].as_chunks::<CHUNK>();
        let mut sums = f32x4_splat(0.0);
        let rows = [row(0), row(1), row(2), row(3)];
        for (i, x) in chunks.iter().enumerate() {
            chunk::<D>(&mut sums, [&rows[0].0[i], &rows[1].0[i], &rows[2].0[i], &rows[3].0[i]], x);
        }
        for (i, x) in rest.iter().enumerate() {
            block::<D>(&mut sums, [&rows[0].1[i], &rows[1].1[i], &rows[2].1[i], &rows[3].1[i]], x);
        }
        *out = lanes(sums);
    }
    if let Some(rows) = rows.next() {
        scalar::dots_q4_0_q8_0(last, rows, x);
    }
}

#[inline(never)]
fn chunk<D: Dot>(sums: &mut v128, weights: [&[BlockQ4_0; CHUNK]; 4], x: &[Arranged<D>; CHUNK]) {
    const { assert!(CHUNK == 8) };
    let mut step = |i: usize| block(sums, weights.map(|weights| &weights[i]), &x[i]);
    step(0);
    step(1);
    step(2);
    step(3);
    step(4);
    step(5);
    step(6);
    step(7);
}

#[inline(always)]
fn block<D: Dot>(sums: &mut v128, weights: [&BlockQ4_0; 4], x: &Arranged<D>) {
    let ones = i16x8_splat(1);
    let parts = weights.map(|weights| D::dot(bytes(&weights.qs), &x.quants));
    // Narrowing two vectors of parts and adding neighbours, twice, leaves one row a lane. Every partial sum of a block
    // is within 32 * 8 * 127, so narrowing never saturates.
    let first = i32x4_dot_i16x8(i16x8_narrow_i32x4(parts[0], parts[1]), ones);
    let second = i32x4_dot_i16x8(i16x8_narrow_i32x4(parts[2], parts[3]), ones);
    let dots = f32x4_convert_i32x4(i32x4_dot_i16x8(i16x8_narrow_i32x4(first, second), ones));
    let d = weights.map(|weights| i32::from(i16::from_le_bytes(weights.d)));
    let scales = f32x4_mul(decode(i32x4(d[0], d[1], d[2], d[3])), x.scale);
    let sum = f32x4_add(load(sums), f32x4_mul(dots, scales));
    store(sums, sum);
}

/// Halves, sign extended, to f32.
///
/// The fraction and exponent in place are 2^-112 times a finite value, subnormals included, and the product is exact;
/// an exponent of 31 gets the exponent of infinities and NaNs.
#[inline(always)]
fn decode(halves: v128) -> v128 {
    let bits = v128_and(i32x4_shl(halves, 13), u32x4_splat(0x8fff_e000));
    let exponent = u32x4_splat(0x7c00);
    let special = i32x4_eq(v128_and(halves, exponent), exponent);
    let value = f32x4_mul(bits, u32x4_splat((112 + 127) << 23));
    v128_or(value, v128_and(special, u32x4_splat(0x7f80_0000)))
}

#[inline(always)]
pub fn bytes(bytes: &[u8; 16]) -> v128 {
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}
