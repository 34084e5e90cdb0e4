//! What the Wasm variants share: four rows at a time, one lane a row.
//!
//! The activations are arranged once; a chunk of sixteen blocks of four rows is one call in straight-line code. The
//! running sums and largest scales go through memory after each block: without those stores Cranelift would move the
//! loads of the whole chunk to its front and spill them.
//!
//! What all rows or all lanes have in common is done once: `-8 * Σy` is added to the four sums together, and the power
//! of two that turns halves into floats is a factor of the activations' scale.

use alloc::vec::Vec;
use core::arch::wasm32::*;

use super::scalar;
use crate::block::{BlockQ4_0, BlockQ8_0};
use crate::matmul_q4_0::groups::{lanes, load, store};

/// Blocks of a chunk.
const CHUNK: usize = 16;

/// What a variant adds.
pub trait Dot {
    /// A block of activations.
    type Quants: Copy;
    /// Columns 0..16 and 16..32 as it wants them.
    fn arrange(halves: [v128; 2]) -> Self::Quants;
    /// The nibbles' dot product in four parts, each within 8 * 15 * 128.
    fn dot(weights: v128, x: &Self::Quants) -> v128;
}

const _: () = assert!(16 * 15 * 128 < 1 << 15);

struct Arranged<D: Dot> {
    /// Times 2^112: see [`floats`].
    scale: v128,
    /// `-8 * Σy`.
    offset: v128,
    quants: D::Quants,
}

impl<D: Dot> Arranged<D> {
    /// Raises `largest` to the scale, without its sign.
    #[inline(always)]
    fn new(x: &BlockQ8_0, largest: &mut v128) -> Self {
        // SAFETY: the reference covers the two bytes; Wasm loads need no alignment.
        let scale = floats(unsafe { v128_load16_splat(x.d.as_ptr().cast()) });
        *largest = i32x4_max(*largest, v128_and(scale, i32x4_splat(0x7fff_ffff)));
        let up = u32x4_splat((112 + 127) << 23);
        // Exact, and finite for the largest half.
        let scale = f32x4_mul(f32x4_mul(scale, up), up);
        let quants = x.qs.map(|quant| quant as u8);
        let (halves, _) = quants.as_chunks::<16>();
        let halves = [bytes(&halves[0]), bytes(&halves[1])];
        let [low, high] = halves.map(|half| i16x8_extadd_pairwise_i8x16(half));
        let pairs = i16x8_add(low, high);
        let fours = i32x4_dot_i16x8(pairs, i16x8_splat(-8));
        let twos = i32x4_add(fours, i32x4_shuffle::<2, 3, 0, 1>(fours, fours));
        let offset = i32x4_add(twos, i32x4_shuffle::<1, 0, 3, 2>(twos, twos));
        Arranged { scale, offset, quants: D::arrange(halves) }
    }
}

/// What four rows leave from block to block.
struct State {
    sums: v128,
    /// The largest scales so far, of activations and weights.
    largest: v128,
}

pub fn dots<D: Dot>(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    // No blocks: rows of `weights` cannot be told apart, and every sum is zero.
    if x.is_empty() {
        return out.fill(0.0);
    }
    let mut largest = i32x4_splat(0);
    let arranged: Vec<Arranged<D>> = x.iter().map(|x| Arranged::new(x, &mut largest)).collect();
    let (chunks, rest) = arranged.as_chunks::<CHUNK>();
    let (fours, last) = out.as_chunks_mut::<4>();
    let mut rows = weights.chunks(4 * x.len());
    for (out, weights) in fours.iter_mut().zip(&mut rows) {
        let row = |r: usize| weights[r * x.len()..][..x.len()].as_chunks::<CHUNK>();
        let mut state = State { sums: f32x4_splat(0.0), largest };
        let rows = [row(0), row(1), row(2), row(3)];
        for (i, x) in chunks.iter().enumerate() {
            chunk::<D>(&mut state, [&rows[0].0[i], &rows[1].0[i], &rows[2].0[i], &rows[3].0[i]], x);
        }
        for (i, x) in rest.iter().enumerate() {
            block::<D>(&mut state, [&rows[0].1[i], &rows[1].1[i], &rows[2].1[i], &rows[3].1[i]], x);
        }
        if v128_any_true(i32x4_ge(state.largest, i32x4_splat(SPECIAL))) {
            scalar::dots_q4_0_q8_0(out, weights, x);
        } else {
            *out = lanes(state.sums);
        }
    }
    if let Some(rows) = rows.next() {
        scalar::dots_q4_0_q8_0(last, rows, x);
    }
}

#[inline(never)]
fn chunk<D: Dot>(state: &mut State, weights: [&[BlockQ4_0; CHUNK]; 4], x: &[Arranged<D>; CHUNK]) {
    const { assert!(CHUNK == 16) };
    // Spelled out: LLVM makes a loop or a function of anything shorter.
    let mut step = |i: usize| block(state, weights.map(|weights| &weights[i]), &x[i]);
    step(0);
    step(1);
    step(2);
    step(3);
    step(4);
    step(5);
    step(6);
    step(7);
    step(8);
    step(9);
    step(10);
    step(11);
    step(12);
    step(13);
    step(14);
    step(15);
}

#[inline(always)]
fn block<D: Dot>(state: &mut State, weights: [&BlockQ4_0; 4], x: &Arranged<D>) {
    let ones = i16x8_splat(1);
    let parts = weights.map(|weights| D::dot(bytes(&weights.qs), &x.quants));
    // Narrowing two vectors of parts and adding neighbours, twice, leaves one row a lane. No partial sum of a block
    // is beyond 16 * 15 * 128, so narrowing never saturates.
    let first = i32x4_dot_i16x8(i16x8_narrow_i32x4(parts[0], parts[1]), ones);
    let second = i32x4_dot_i16x8(i16x8_narrow_i32x4(parts[2], parts[3]), ones);
    let dots = i32x4_add(i32x4_dot_i16x8(i16x8_narrow_i32x4(first, second), ones), x.offset);
    let d = scales(weights);
    let largest = i32x4_max(load(&state.largest), v128_and(d, i32x4_splat(0x7fff_ffff)));
    store(&mut state.largest, largest);
    let sum = f32x4_add(load(&state.sums), f32x4_mul(f32x4_convert_i32x4(dots), f32x4_mul(d, x.scale)));
    store(&mut state.sums, sum);
}

/// [`floats`] of infinities and NaNs begin here.
const SPECIAL: i32 = 31 << 23;

/// Halves in the upper bits of lanes, as f32 times 2^-112: fraction and exponent in place, subnormals included. Those
/// of an exponent of 31 are infinities and NaNs.
#[inline(always)]
fn floats(halves: v128) -> v128 {
    v128_and(i32x4_shr(halves, 3), u32x4_splat(0x8fff_e000))
}

/// The scales of four blocks as [`floats`].
#[inline(always)]
fn scales(blocks: [&BlockQ4_0; 4]) -> v128 {
    let [a, b, c, d] = blocks.map(|block| block.d.as_ptr().cast::<u16>());
    let halves = i32x4_splat(0);
    // SAFETY: each pointer is to a block's two bytes; Wasm loads need no alignment.
    let halves = unsafe { v128_load16_lane::<1>(halves, a) };
    // SAFETY: as above.
    let halves = unsafe { v128_load16_lane::<3>(halves, b) };
    // SAFETY: as above.
    let halves = unsafe { v128_load16_lane::<5>(halves, c) };
    // SAFETY: as above.
    floats(unsafe { v128_load16_lane::<7>(halves, d) })
}

#[inline(always)]
fn bytes(bytes: &[u8; 16]) -> v128 {
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}
