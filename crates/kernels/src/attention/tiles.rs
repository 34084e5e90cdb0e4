//! How the vector variants walk attention: groups of eight queries, panels of eight outputs, pairs of inputs.
//!
//! Scores and weighted values are both products of 16-bit matrices: rows of a group times panels, `[pair of inputs]
//! [8 outputs][2]`, each input pair of a row repeated as far as the target needs it. All integer sums are exact, so
//! their order is free; the float steps are the definition's, value by value, in code that LLVM turns into vectors.

use alloc::vec;
use alloc::vec::Vec;

use super::scalar::{factor, scales};
use super::{CHUNK, FLOOR, KEY_MAX, Shape, VALUE_MAX, WEIGHT_ONE};
use crate::exp::lanes::exp_near;

/// Queries a group.
pub(super) const ROWS: usize = 8;
/// Outputs a panel.
pub(super) const PANEL: usize = 8;
/// A pair of inputs for the outputs of a panel.
pub(super) type Pair = [[i16; 2]; PANEL];

/// `[rows][outputs]`.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Sums(pub [[i32; PANEL]; ROWS]);

/// What a variant adds.
pub(super) trait Engine {
    /// A pair of a row's inputs, repeated.
    type Word: Copy;
    fn word(low: i16, high: i16) -> Self::Word;
    /// Adds products to `sums`. `panel` is a multiple of four pairs; word `j` of row `r` is at
    /// `j / 4 * 32 + r * 4 + j % 4` of `x`.
    fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[Self::Word]);
}

#[inline(always)]
pub(super) fn attention<E: Engine>(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape) {
    let Shape { keys, heads, head, .. } = shape;
    let hidden = heads * head;
    let padded = keys.next_multiple_of(PANEL);
    let zero = E::word(0, 0);
    let mut key_panels = vec![[[0i16; 2]; PANEL]; padded * head / 2 / PANEL];
    let mut value_panels = key_panels.clone();
    let mut queries = vec![zero; head / 2 * ROWS];
    let mut weights = vec![zero; padded / 2 * ROWS];
    let mut scores = vec![0i32; padded * ROWS];
    let mut quants: Vec<i16> = vec![0; head];
    for h in 0..heads {
        let columns = h * head..(h + 1) * head;
        let rows = |x: &[f32]| largest(x.chunks_exact(hidden).map(|row| &row[columns.clone()]));
        let (key_scale, inverse) = scales(rows(k), KEY_MAX);
        for (key, row) in k.chunks_exact(hidden).enumerate() {
            quantise(&mut quants, &row[columns.clone()], inverse);
            let panel = &mut key_panels[key / PANEL * head / 2..][..head / 2];
            for (pair, two) in panel.iter_mut().zip(quants.as_chunks::<2>().0) {
                pair[key % PANEL] = *two;
            }
        }
        let (value_scale, inverse) = scales(rows(v), VALUE_MAX);
        for (key, row) in v.chunks_exact(hidden).enumerate() {
            quantise(&mut quants, &row[columns.clone()], inverse);
            for (d, eight) in quants.as_chunks::<PANEL>().0.iter().enumerate() {
                let pair = &mut value_panels[d * (padded / 2) + key / 2];
                for (pair, value) in pair.iter_mut().zip(eight) {
                    pair[key % 2] = *value;
                }
            }
        }
        for (q, out) in q.chunks(ROWS * hidden).zip(out.chunks_mut(ROWS * hidden)) {
            let mut factors = [0.0; ROWS];
            for (r, row) in q.chunks_exact(hidden).enumerate() {
                let row = &row[columns.clone()];
                let (query_scale, inverse) = scales(largest(core::iter::once(row)), KEY_MAX);
                factors[r] = factor(query_scale, key_scale, head);
                quantise(&mut quants, row, inverse);
                for (j, two) in quants.as_chunks::<2>().0.iter().enumerate() {
                    queries[word_at(j, r)] = E::word(two[0], two[1]);
                }
            }
            for (p, panel) in key_panels.chunks_exact(head / 2).enumerate() {
                let mut sums = Sums([[0; PANEL]; ROWS]);
                E::accumulate(&mut sums, panel, &queries);
                for (r, sums) in sums.0.iter().enumerate() {
                    scores[r * padded + p * PANEL..][..PANEL].copy_from_slice(sums);
                }
            }
            let live = q.len() / hidden;
            let mut lasts = [0.0; ROWS];
            for r in 0..live {
                let row = &mut scores[r * padded..][..padded];
                let total = softmax(row, keys, factors[r]);
                lasts[r] = value_scale / total as f32;
                for (j, two) in row.as_chunks::<2>().0.iter().enumerate() {
                    weights[word_at(j, r)] = E::word(two[0] as i16, two[1] as i16);
                }
            }
            for (d, panel) in value_panels.chunks_exact(padded / 2).enumerate() {
                let mut totals = [[0.0f32; PANEL]; ROWS];
                for (panel, weights) in panel.chunks(CHUNK / 2).zip(weights.chunks(CHUNK / 2 * ROWS)) {
                    let mut sums = Sums([[0; PANEL]; ROWS]);
                    E::accumulate(&mut sums, panel, weights);
                    for (totals, sums) in totals.iter_mut().zip(&sums.0) {
                        for (total, sum) in totals.iter_mut().zip(sums) {
                            *total += *sum as f32;
                        }
                    }
                }
                for (r, row) in out.chunks_exact_mut(hidden).enumerate() {
                    let out = &mut row[h * head + d * PANEL..][..PANEL];
                    for (out, total) in out.iter_mut().zip(&totals[r]) {
                        *out = total * lasts[r];
                    }
                }
            }
        }
    }
}

/// Where word `j` of row `r` lies.
#[inline(always)]
fn word_at(j: usize, r: usize) -> usize {
    j / 4 * (4 * ROWS) + r * 4 + j % 4
}

/// The largest magnitude, NaN left out: bits of floats without a sign are ordered like integers, NaN above infinity.
#[inline(always)]
fn largest<'a>(rows: impl Iterator<Item = &'a [f32]>) -> f32 {
    let mut largest = 0;
    for row in rows {
        for x in row {
            let bits = (x.to_bits() & 0x7fff_ffff) as i32;
            largest = largest.max(if bits > 0x7f80_0000 { 0 } else { bits });
        }
    }
    f32::from_bits(largest as u32)
}

/// `x * inverse` rounded half to even, NaN to zero; within 4095.5, so that adding 1.5 * 2^23 leaves the integer in
/// the low bits of the sum.
#[inline(always)]
fn quantise(quants: &mut [i16], x: &[f32], inverse: f32) {
    for (quant, x) in quants.iter_mut().zip(x) {
        let value = x * inverse;
        let rounded = (value + MAGIC).to_bits() as i32;
        *quant = if value.to_bits() & 0x7fff_ffff <= 0x7f80_0000 { rounded as i16 } else { 0 };
    }
}

/// 1.5 * 2^23: its low 16 bits are zero.
const MAGIC: f32 = 12_582_912.0;
const _: () = assert!(MAGIC.to_bits() & 0xffff == 0);

/// Scores to weights, those past `keys` zero; returns their sum.
#[inline(always)]
fn softmax(scores: &mut [i32], keys: usize, factor: f32) -> i32 {
    let (live, dead) = scores.split_at_mut(keys);
    dead.fill(0);
    let largest = live.iter().fold(i32::MIN, |largest, score| largest.max(*score));
    for score in live.iter_mut() {
        *score = weight((*score - largest) as f32 * factor);
    }
    live.iter().sum()
}

/// [`super::weight`] of a value up to zero or NaN, without branches: `expf` of libm between -16 and 0, then the product
/// with 8191 rounded half to even.
#[inline(always)]
pub(super) fn weight(x: f32) -> i32 {
    // Compared as bits: of a comparison of floats LLVM makes a vector minimum that lets NaN pass.
    let x = if x.to_bits() & 0x7fff_ffff < FLOOR.to_bits() & 0x7fff_ffff { x } else { FLOOR };
    let e = exp_near(x);
    (e * WEIGHT_ONE as f32 + MAGIC).to_bits() as i32 - MAGIC.to_bits() as i32
}
