//! How the vector variants walk attention: groups of eight queries, panels of eight outputs, pairs of inputs.
//!
//! Scores and weighted values are both products of 16-bit matrices: rows of a group times panels, `[pair of inputs]
//! [8 outputs][2]`, each input pair of a row repeated as far as the target needs it. All integer sums are exact, so
//! their order is free; the float steps are the definition's, value by value, in vectors.

use alloc::vec;
use alloc::vec::Vec;

use super::scalar::{factor, scales};
use super::{CHUNK, FLOOR, KEY_MAX, Shape, VALUE_MAX, WEIGHT_ONE};
use crate::exp::lanes::MAGIC;
use crate::exp::vectors::exp_negative;
use crate::lanes::{Lanes, MOST};

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
    /// Vectors that a head divides into.
    type Head: Lanes;
    /// Vectors for rows of scores.
    type Scores: Lanes;
    /// A pair of a row's inputs, repeated.
    type Word: Copy;
    const ZERO: Self::Word;
    /// Eight inputs as four words.
    fn words(out: &mut [Self::Word; 4], inputs: &[i16; 8]);
    /// Adds products to `sums`. `panel` is a multiple of four pairs; word `j` of row `r` is at
    /// `j / 4 * 32 + r * 4 + j % 4` of `x`.
    fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[Self::Word]);
}

/// Keys and values of one head, quantised and packed, and what a group of queries needs.
struct Memory<E: Engine> {
    /// `[panel of keys][pair of a head's values]`.
    keys: Vec<Pair>,
    key_scale: f32,
    /// `[panel of a head's values][pair of keys]`.
    values: Vec<Pair>,
    value_scale: f32,
    /// The inputs of a product: a group of queries, then their weights.
    queries: Vec<E::Word>,
    weights: Vec<E::Word>,
    /// `[rows][keys]`.
    scores: Vec<i32>,
    /// One row of weights.
    row: Vec<i16>,
}

#[inline(always)]
pub(super) fn attention<E: Engine>(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape) {
    let Shape { keys, heads, head, .. } = shape;
    let hidden = heads * head;
    let padded = keys.next_multiple_of(PANEL);
    let mut memory = Memory::<E> {
        keys: vec![[[0; 2]; PANEL]; padded * head / 2 / PANEL],
        key_scale: 0.0,
        values: vec![[[0; 2]; PANEL]; padded * head / 2 / PANEL],
        value_scale: 0.0,
        queries: vec![E::ZERO; head / 2 * ROWS],
        weights: vec![E::ZERO; padded / 2 * ROWS],
        scores: vec![0; padded * ROWS],
        row: vec![0; padded],
    };
    for h in 0..heads {
        memory.pack_keys(k, shape, h);
        memory.pack_values(v, shape, h);
        for (q, out) in q.chunks(ROWS * hidden).zip(out.chunks_mut(ROWS * hidden)) {
            let factors = memory.pack_queries(q, shape, h);
            memory.score(head);
            let mut lasts = [0.0; ROWS];
            for (r, last) in lasts[..q.len() / hidden].iter_mut().enumerate() {
                *last = memory.weigh(r, keys, factors[r]);
            }
            memory.add_values(out, shape, h, &lasts);
        }
    }
}

impl<E: Engine> Memory<E> {
    #[inline(always)]
    fn pack_keys(&mut self, k: &[f32], shape: Shape, h: usize) {
        let Shape { heads, head, .. } = shape;
        let rows = k.chunks_exact(heads * head).map(|row| &row[h * head..][..head]);
        let (scale, inverse) = scales(largest::<E::Head>(rows.clone()), KEY_MAX);
        self.key_scale = scale;
        let mut quants = [0; super::MAX_HEAD];
        for (key, row) in rows.enumerate() {
            quantise::<E::Head>(&mut quants, row, inverse);
            let panel = &mut self.keys[key / PANEL * head / 2..][..head / 2];
            for (pair, two) in panel.iter_mut().zip(quants.as_chunks::<2>().0) {
                pair[key % PANEL] = *two;
            }
        }
    }

    #[inline(always)]
    fn pack_values(&mut self, v: &[f32], shape: Shape, h: usize) {
        let Shape { keys, heads, head, .. } = shape;
        let rows = v.chunks_exact(heads * head).map(|row| &row[h * head..][..head]);
        let (scale, inverse) = scales(largest::<E::Head>(rows.clone()), VALUE_MAX);
        self.value_scale = scale;
        let pairs = keys.next_multiple_of(PANEL) / 2;
        let mut quants = [[0; super::MAX_HEAD]; 2];
        for (key, row) in rows.enumerate() {
            quantise::<E::Head>(&mut quants[key % 2], row, inverse);
            if key % 2 == 0 && key + 1 < keys {
                continue;
            }
            if key % 2 == 0 {
                quants[1].fill(0);
            }
            let (even, odd) = (quants[0].as_chunks::<PANEL>().0, quants[1].as_chunks::<PANEL>().0);
            for (d, (even, odd)) in even.iter().zip(odd).take(head / PANEL).enumerate() {
                self.values[d * pairs + key / 2] = core::array::from_fn(|i| [even[i], odd[i]]);
            }
        }
    }

    /// Arranges a group of queries and returns the factors of their scores.
    #[inline(always)]
    fn pack_queries(&mut self, q: &[f32], shape: Shape, h: usize) -> [f32; ROWS] {
        let Shape { heads, head, .. } = shape;
        let mut factors = [0.0; ROWS];
        let mut quants = [0; super::MAX_HEAD];
        for (r, row) in q.chunks_exact(heads * head).enumerate() {
            let row = &row[h * head..][..head];
            let (scale, inverse) = scales(largest::<E::Head>(core::iter::once(row)), KEY_MAX);
            factors[r] = factor(scale, self.key_scale, head);
            quantise::<E::Head>(&mut quants, row, inverse);
            arrange::<E>(&mut self.queries, r, &quants[..head]);
        }
        factors
    }

    #[inline(always)]
    fn score(&mut self, head: usize) {
        let padded = self.row.len();
        for (p, panel) in self.keys.chunks_exact(head / 2).enumerate() {
            let mut sums = Sums([[0; PANEL]; ROWS]);
            E::accumulate(&mut sums, panel, &self.queries);
            for (scores, sums) in self.scores.chunks_exact_mut(padded).zip(&sums.0) {
                scores[p * PANEL..][..PANEL].copy_from_slice(sums);
            }
        }
    }

    /// Makes and arranges the weights of row `r`; returns what its sums of values are multiplied by.
    #[inline(always)]
    fn weigh(&mut self, r: usize, keys: usize, factor: f32) -> f32 {
        let padded = self.row.len();
        let total = softmax::<E::Scores>(&mut self.row[..keys], &self.scores[r * padded..][..keys], factor);
        arrange::<E>(&mut self.weights, r, &self.row);
        self.value_scale / total as f32
    }

    #[inline(always)]
    fn add_values(&self, out: &mut [f32], shape: Shape, h: usize, lasts: &[f32; ROWS]) {
        let Shape { heads, head, .. } = shape;
        let pairs = self.row.len() / 2;
        for (d, panel) in self.values.chunks_exact(pairs).enumerate() {
            let mut totals = [[0.0f32; PANEL]; ROWS];
            for (panel, weights) in panel.chunks(CHUNK / 2).zip(self.weights.chunks(CHUNK / 2 * ROWS)) {
                let mut sums = Sums([[0; PANEL]; ROWS]);
                E::accumulate(&mut sums, panel, weights);
                let width = E::Head::COUNT;
                let totals = totals.as_flattened_mut().chunks_exact_mut(width);
                for (total, sum) in totals.zip(sums.0.as_flattened().chunks_exact(width)) {
                    let sum = E::Head::convert(E::Head::int_load(sum));
                    E::Head::load(total).add(sum).store(total);
                }
            }
            for ((row, totals), last) in out.chunks_exact_mut(heads * head).zip(&totals).zip(lasts) {
                let out = &mut row[h * head + d * PANEL..][..PANEL];
                let width = E::Head::COUNT;
                for (out, total) in out.chunks_exact_mut(width).zip(totals.chunks_exact(width)) {
                    E::Head::load(total).mul(E::Head::splat(*last)).store(out);
                }
            }
        }
    }
}

/// The inputs of row `r`, a multiple of eight, as words where [`Engine::accumulate`] reads them.
#[inline(always)]
fn arrange<E: Engine>(words: &mut [E::Word], r: usize, inputs: &[i16]) {
    let groups = words.as_chunks_mut::<{ 4 * ROWS }>().0;
    for (group, inputs) in groups.iter_mut().zip(inputs.as_chunks().0) {
        E::words(&mut group.as_chunks_mut().0[r], inputs);
    }
}

/// The largest magnitude, NaN left out: bits of floats without a sign are ordered like integers.
#[inline(always)]
fn largest<'a, L: Lanes>(rows: impl Iterator<Item = &'a [f32]>) -> f32 {
    let mut largest = L::int(0);
    for row in rows {
        for x in row.chunks_exact(L::COUNT) {
            let x = L::load(x);
            let number = L::select(x.less_or_equal(x), x.abs(), L::splat(0.0));
            largest = L::int_max(largest, number.bits());
        }
    }
    let mut lanes = [0; MOST];
    L::int_store(largest, &mut lanes[..L::COUNT]);
    f32::from_bits(lanes.iter().fold(0, |largest, lane| largest.max(*lane)) as u32)
}

/// `x * inverse` rounded half to even, NaN to zero; within 4095.5, so that adding 1.5 * 2^23 leaves the integer in
/// the low bits of the sum.
#[inline(always)]
fn quantise<L: Lanes>(quants: &mut [i16], x: &[f32], inverse: f32) {
    for (quants, x) in quants.chunks_exact_mut(L::COUNT).zip(x.chunks_exact(L::COUNT)) {
        let value = L::load(x).mul(L::splat(inverse));
        let value = L::select(value.less_or_equal(value), value, L::splat(0.0));
        L::int_store_i16(round(value), quants);
    }
}

/// The nearest integer, ties to even, of a value below 2^22 in size.
#[inline(always)]
fn round<L: Lanes>(x: L) -> L::Int {
    L::int_sub(x.add(L::splat(MAGIC)).bits(), L::int(MAGIC.to_bits() as i32))
}

/// Scores to weights; returns their sum.
#[inline(always)]
fn softmax<L: Lanes>(weights: &mut [i16], scores: &[i32], factor: f32) -> i32 {
    let (chunks, rest) = scores.as_chunks::<MOST>();
    let mut largest = L::int(i32::MIN);
    for scores in chunks {
        for scores in scores.chunks_exact(L::COUNT) {
            largest = L::int_max(largest, L::int_load(scores));
        }
    }
    let mut lanes = [i32::MIN; MOST];
    L::int_store(largest, &mut lanes[..L::COUNT]);
    let largest = lanes.iter().chain(rest).fold(i32::MIN, |largest, score| largest.max(*score));
    let mut total = L::int(0);
    let (outs, last) = weights.as_chunks_mut::<MOST>();
    for (out, scores) in outs.iter_mut().zip(chunks) {
        total = L::int_add(total, sixteen::<L>(out, scores, largest, factor));
    }
    let mut lanes = [0; MOST];
    L::int_store(total, &mut lanes[..L::COUNT]);
    let mut total: i32 = lanes.iter().sum();
    if !rest.is_empty() {
        let (mut whole, mut out) = ([largest; MOST], [0; MOST]);
        whole[..rest.len()].copy_from_slice(rest);
        sixteen::<L>(&mut out, &whole, largest, factor);
        last.copy_from_slice(&out[..last.len()]);
        total += last.iter().map(|weight| i32::from(*weight)).sum::<i32>();
    }
    total
}

/// The weights of sixteen scores in straight-line code, and their sum, lane by lane. In Wasm a call of its own: in a
/// loop Cranelift keeps fourteen constants on the stack and writes them back at each iteration.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn sixteen<L: Lanes>(out: &mut [i16; MOST], scores: &[i32; MOST], largest: i32, factor: f32) -> L::Int {
    let mut total = some::<L>(&mut out[..L::COUNT], &scores[..L::COUNT], largest, factor);
    if L::COUNT <= 8 {
        let more = some::<L>(&mut out[8..8 + L::COUNT], &scores[8..8 + L::COUNT], largest, factor);
        total = L::int_add(total, more);
    }
    if L::COUNT <= 4 {
        let more = some::<L>(&mut out[4..4 + L::COUNT], &scores[4..4 + L::COUNT], largest, factor);
        total = L::int_add(total, more);
        let more = some::<L>(&mut out[12..12 + L::COUNT], &scores[12..12 + L::COUNT], largest, factor);
        total = L::int_add(total, more);
    }
    total
}

#[inline(always)]
fn some<L: Lanes>(out: &mut [i16], scores: &[i32], largest: i32, factor: f32) -> L::Int {
    let below = L::int_sub(L::int_load(scores), L::int(largest));
    let weights = weight(L::convert(below).mul(L::splat(factor)));
    L::int_store_i16(weights, out);
    weights
}

/// [`super::weight`] of values up to zero or NaN: `expf` of libm between -16 and 0, then the product with 8191 rounded
/// half to even.
#[inline(always)]
fn weight<L: Lanes>(x: L) -> L::Int {
    let floor = L::splat(FLOOR);
    let x = L::select(floor.less(x), x, floor);
    round(exp_negative(x).mul(L::splat(WEIGHT_ONE as f32)))
}

/// [`weight`] of each value.
#[inline(always)]
pub(super) fn weights<L: Lanes>(out: &mut [i32], x: &[f32]) {
    for (out, x) in out.chunks_mut(L::COUNT).zip(x.chunks(L::COUNT)) {
        let (mut whole, mut lanes) = ([0.0; MOST], [0; MOST]);
        whole[..x.len()].copy_from_slice(x);
        L::int_store(weight(L::load(&whole[..L::COUNT])), &mut lanes[..L::COUNT]);
        out.copy_from_slice(&lanes[..x.len()]);
    }
}
