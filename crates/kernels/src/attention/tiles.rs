//! How the vector variants walk attention: groups of eight queries, panels of eight outputs, pairs of inputs.
//!
//! Queries, keys and values are quantised first, row after row for all heads: a head's columns alone lie too far apart
//! for the memory to be read ahead. Scores and weighted values are both products of 16-bit matrices: rows of a group
//! times panels, `[pair of inputs][8 outputs][2]`, each input pair of a row repeated as far as the target needs it. All
//! integer sums are exact, so their order is free; the float steps are the definition's, value by value, in vectors.

use alloc::vec;
use alloc::vec::Vec;

use super::scalar::{factor, scales};
use super::{CHUNK, FLOOR, KEY_MAX, MAX_HEAD, Scratch, Shape, VALUE_MAX, WEIGHT_ONE};
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

/// The integers of a variant's vectors of scores.
type Ints<E> = <<E as Engine>::Scores as Lanes>::Int;

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
    /// Sixteen weights, in as many vectors as they take, as words.
    #[inline(always)]
    fn weight_words(weights: &[Ints<Self>; 4]) -> [[Self::Word; 4]; 2]
    where
        Self: Sized,
    {
        let mut quants = [0; MOST];
        for (quants, weights) in quants.chunks_exact_mut(Self::Scores::COUNT).zip(weights) {
            Self::Scores::int_store_i16(*weights, quants);
        }
        let mut words = [[Self::ZERO; 4]; 2];
        for (words, quants) in words.iter_mut().zip(quants.as_chunks::<8>().0) {
            Self::words(words, quants);
        }
        words
    }
    /// Adds products to `sums`. `panel` is a multiple of four pairs; word `j` of row `r` is at
    /// `j / 4 * 32 + r * 4 + j % 4` of `x`, which may go on.
    fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[Self::Word]);
}

/// A score below all scores: past the last key. Its difference to any score is an i32 still.
const LEAST: i32 = -(1 << 30);
const _: () = assert!(MAX_HEAD as i64 * KEY_MAX as i64 * (KEY_MAX as i64) < -(LEAST as i64));

/// Keys and values of one head, packed, and what a group of queries needs.
struct Memory<E: Engine> {
    /// `[panel of keys][pair of a head's values]`.
    keys: Vec<Pair>,
    /// `[panel of a head's values][pair of keys]`.
    values: Vec<Pair>,
    /// The inputs of a product: a group of queries, then their weights, by sixteen keys.
    queries: Vec<E::Word>,
    weights: Vec<[[[E::Word; 4]; ROWS]; 2]>,
    /// By sixteen keys.
    scores: Vec<[Sums; 2]>,
}

#[inline(always)]
pub(super) fn attention<E: Engine>(
    out: &mut [f32],
    q: &[f32],
    k: &[f32],
    v: &[f32],
    shape: Shape,
    scratch: &mut Scratch,
) {
    let Shape { keys, heads, head, .. } = shape;
    let hidden = heads * head;
    let query_scales = quantise_rows::<E::Head>(&mut scratch.queries, q, head);
    let key_scales = quantise_heads::<E::Head>(&mut scratch.keys, k, shape, KEY_MAX);
    let value_scales = quantise_heads::<E::Head>(&mut scratch.values, v, shape, VALUE_MAX);
    let padded = keys.next_multiple_of(PANEL);
    let sixteens = keys.div_ceil(MOST);
    let mut memory = Memory::<E> {
        keys: vec![[[0; 2]; PANEL]; padded * head / 2 / PANEL],
        values: vec![[[0; 2]; PANEL]; padded * head / 2 / PANEL],
        queries: vec![E::ZERO; head / 2 * ROWS],
        weights: vec![[[[E::ZERO; 4]; ROWS]; 2]; sixteens],
        scores: vec![[Sums([[LEAST; PANEL]; ROWS]); 2]; sixteens],
    };
    for h in 0..heads {
        memory.pack_keys(&scratch.keys, shape, h);
        memory.pack_values(&scratch.values, shape, h);
        let groups = scratch.queries.chunks(ROWS * hidden).zip(out.chunks_mut(ROWS * hidden));
        for ((q, out), scales) in groups.zip(query_scales.chunks(ROWS * heads)) {
            for (r, row) in q.chunks_exact(hidden).enumerate() {
                arrange::<E>(&mut memory.queries, r, &row[h * head..][..head]);
            }
            memory.score(keys, head);
            let mut lasts = [0.0; ROWS];
            for (r, (last, scales)) in lasts.iter_mut().zip(scales.chunks_exact(heads)).enumerate() {
                let total = memory.weigh(r, keys, factor(scales[h], key_scales[h], head));
                *last = value_scales[h] / total as f32;
            }
            memory.add_values(out, shape, h, &lasts);
        }
    }
}

impl<E: Engine> Memory<E> {
    #[inline(always)]
    fn pack_keys(&mut self, k: &[i16], shape: Shape, h: usize) {
        let Shape { heads, head, .. } = shape;
        for (key, row) in k.chunks_exact(heads * head).enumerate() {
            let panel = &mut self.keys[key / PANEL * head / 2..][..head / 2];
            for (pair, two) in panel.iter_mut().zip(row[h * head..][..head].as_chunks::<2>().0) {
                pair[key % PANEL] = *two;
            }
        }
    }

    #[inline(always)]
    fn pack_values(&mut self, v: &[i16], shape: Shape, h: usize) {
        let Shape { keys, heads, head, .. } = shape;
        let pairs = keys.next_multiple_of(PANEL) / 2;
        let hidden = heads * head;
        let none = [0; MAX_HEAD];
        for (pair, rows) in v.chunks(2 * hidden).enumerate() {
            let even = &rows[h * head..][..head];
            let odd = if rows.len() > hidden { &rows[hidden + h * head..][..head] } else { &none[..head] };
            let (even, odd) = (even.as_chunks::<PANEL>().0, odd.as_chunks::<PANEL>().0);
            for (d, (even, odd)) in even.iter().zip(odd).enumerate() {
                self.values[d * pairs + pair] = core::array::from_fn(|i| [even[i], odd[i]]);
            }
        }
    }

    #[inline(always)]
    fn score(&mut self, keys: usize, head: usize) {
        let panels = self.keys.chunks_exact(head / 2);
        for (p, (sums, panel)) in self.scores.as_flattened_mut().iter_mut().zip(panels).enumerate() {
            *sums = Sums([[0; PANEL]; ROWS]);
            E::accumulate(sums, panel, &self.queries);
            if keys - p * PANEL < PANEL {
                for row in &mut sums.0 {
                    row[keys % PANEL..].fill(LEAST);
                }
            }
        }
    }

    /// Makes the weights of row `r` and returns their sum.
    #[inline(always)]
    fn weigh(&mut self, r: usize, keys: usize, factor: f32) -> i32 {
        let largest = self.largest(r);
        let mut total = E::Scores::int(0);
        let mut sixteens = self.weights.iter_mut().zip(&self.scores);
        for (words, scores) in sixteens.by_ref().take(keys / MOST) {
            total = E::Scores::int_add(total, sixteen::<E>(words, scores, r, largest, factor));
        }
        let mut total: i32 = lanes::<E::Scores>(total).iter().sum();
        if let Some((words, scores)) = sixteens.next() {
            total += rest::<E>(words, scores, r, largest, factor, keys % MOST);
        }
        total
    }

    #[inline(always)]
    fn largest(&self, r: usize) -> i32 {
        let mut largest = E::Scores::int(LEAST);
        for scores in &self.scores {
            let scores = some_scores::<E>(scores, r);
            for scores in &scores[..MOST / E::Scores::COUNT] {
                largest = E::Scores::int_max(largest, *scores);
            }
        }
        lanes::<E::Scores>(largest)[..E::Scores::COUNT].iter().fold(LEAST, |most, score| most.max(*score))
    }

    #[inline(always)]
    fn add_values(&self, out: &mut [f32], shape: Shape, h: usize, lasts: &[f32; ROWS]) {
        let Shape { keys, heads, head, .. } = shape;
        let pairs = keys.next_multiple_of(PANEL) / 2;
        let weights = self.weights.as_flattened().as_flattened().as_flattened();
        for (d, panel) in self.values.chunks_exact(pairs).enumerate() {
            let mut totals = [[0.0f32; PANEL]; ROWS];
            for (panel, weights) in panel.chunks(CHUNK / 2).zip(weights.chunks(CHUNK / 2 * ROWS)) {
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

/// Quantises rows to +-[`KEY_MAX`], each head's columns of a row with a scale of their own, which it returns.
#[inline(always)]
fn quantise_rows<L: Lanes>(quants: &mut Vec<i16>, x: &[f32], head: usize) -> Vec<f32> {
    quants.resize(x.len(), 0);
    let mut all = Vec::with_capacity(x.len() / head);
    for (quants, x) in quants.chunks_exact_mut(head).zip(x.chunks_exact(head)) {
        let mut largest = L::int(0);
        for x in x.chunks_exact(L::COUNT) {
            largest = L::int_max(largest, magnitudes(L::load(x)));
        }
        let (scale, inverse) = scales(widest::<L>(largest), KEY_MAX);
        quantise::<L>(quants, x, inverse);
        all.push(scale);
    }
    all
}

/// Quantises rows to +-`max`, each head's columns of all rows with one scale; returns the heads' scales.
#[inline(always)]
fn quantise_heads<L: Lanes>(quants: &mut Vec<i16>, x: &[f32], shape: Shape, max: i32) -> Vec<f32> {
    let Shape { heads, head, .. } = shape;
    quants.resize(x.len(), 0);
    let mut largest = vec![L::int(0); heads];
    for row in x.chunks_exact(heads * head) {
        for (largest, x) in largest.iter_mut().zip(row.chunks_exact(head)) {
            for x in x.chunks_exact(L::COUNT) {
                *largest = L::int_max(*largest, magnitudes(L::load(x)));
            }
        }
    }
    let (mut all, mut inverses) = (vec![0.0; heads], vec![0.0; heads]);
    for ((scale, inverse), largest) in all.iter_mut().zip(&mut inverses).zip(&largest) {
        (*scale, *inverse) = scales(widest::<L>(*largest), max);
    }
    for (quants, row) in quants.chunks_exact_mut(heads * head).zip(x.chunks_exact(heads * head)) {
        let columns = quants.chunks_exact_mut(head).zip(row.chunks_exact(head));
        for ((quants, x), inverse) in columns.zip(&inverses) {
            quantise::<L>(quants, x, *inverse);
        }
    }
    all
}

/// The bits of magnitudes, ordered like the floats; zero for NaN.
#[inline(always)]
fn magnitudes<L: Lanes>(x: L) -> L::Int {
    L::select(x.less_or_equal(x), x.abs(), L::splat(0.0)).bits()
}

#[inline(always)]
fn widest<L: Lanes>(bits: L::Int) -> f32 {
    f32::from_bits(lanes::<L>(bits).iter().fold(0, |most, bits| most.max(*bits)) as u32)
}

/// The lanes of a vector; zeros after them.
#[inline(always)]
fn lanes<L: Lanes>(x: L::Int) -> [i32; MOST] {
    let mut lanes = [0; MOST];
    L::int_store(x, &mut lanes[..L::COUNT]);
    lanes
}

/// The inputs of row `r`, a multiple of eight, as words where [`Engine::accumulate`] reads them.
#[inline(always)]
fn arrange<E: Engine>(words: &mut [E::Word], r: usize, inputs: &[i16]) {
    let groups = words.as_chunks_mut::<{ 4 * ROWS }>().0;
    for (group, inputs) in groups.iter_mut().zip(inputs.as_chunks::<8>().0) {
        E::words(&mut group.as_chunks_mut::<4>().0[r], inputs);
    }
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

/// The scores of row `r` in as many vectors as they take.
#[inline(always)]
fn some_scores<E: Engine>(scores: &[Sums; 2], r: usize) -> [Ints<E>; 4] {
    let (low, high) = (&scores[0].0[r], &scores[1].0[r]);
    let mut vectors = [E::Scores::int(LEAST); 4];
    match E::Scores::COUNT {
        4 => {
            vectors[0] = E::Scores::int_load(&low[..4]);
            vectors[1] = E::Scores::int_load(&low[4..]);
            vectors[2] = E::Scores::int_load(&high[..4]);
            vectors[3] = E::Scores::int_load(&high[4..]);
        }
        8 => {
            vectors[0] = E::Scores::int_load(low);
            vectors[1] = E::Scores::int_load(high);
        }
        _ => vectors[0] = E::Scores::int_load_halves(low, high),
    }
    vectors
}

/// The weights of sixteen scores in straight-line code, and their sum, lane by lane. In Wasm a call of its own: in a
/// loop Cranelift keeps fourteen constants on the stack and writes them back at each iteration.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn sixteen<E: Engine>(
    words: &mut [[[E::Word; 4]; ROWS]; 2],
    scores: &[Sums; 2],
    r: usize,
    largest: i32,
    factor: f32,
) -> Ints<E> {
    let mut weights = some_scores::<E>(scores, r);
    let vectors = MOST / E::Scores::COUNT;
    let mut best = weights[0];
    for scores in &weights[1..vectors] {
        best = E::Scores::int_max(best, *scores);
    }
    let none = E::Scores::int(0);
    let mut total = none;
    if E::Scores::any(E::Scores::splat(NOTHING).less(exponents::<E::Scores>(best, largest, factor))) {
        total = some_weights::<E::Scores>(&mut weights[0], largest, factor);
        if vectors > 1 {
            total = E::Scores::int_add(total, some_weights::<E::Scores>(&mut weights[1], largest, factor));
        }
        if vectors > 2 {
            total = E::Scores::int_add(total, some_weights::<E::Scores>(&mut weights[2], largest, factor));
            total = E::Scores::int_add(total, some_weights::<E::Scores>(&mut weights[3], largest, factor));
        }
    } else {
        weights = [none; 4];
    }
    let [low, high] = E::weight_words(&weights);
    words[0][r] = low;
    words[1][r] = high;
    total
}

/// [`sixteen`] where only `count` keys are left; the others weigh nothing.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn rest<E: Engine>(
    words: &mut [[[E::Word; 4]; ROWS]; 2],
    scores: &[Sums; 2],
    r: usize,
    largest: i32,
    factor: f32,
    count: usize,
) -> i32 {
    let mut weights = some_scores::<E>(scores, r);
    let mut quants = [0; MOST];
    for (quants, weights) in quants.chunks_exact_mut(E::Scores::COUNT).zip(&mut weights) {
        E::Scores::int_store(some_weights::<E::Scores>(weights, largest, factor), quants);
    }
    quants[count..].fill(0);
    for (words, quants) in words.iter_mut().zip(quants.as_chunks::<8>().0) {
        let mut narrow = [0; 8];
        for (narrow, quant) in narrow.iter_mut().zip(quants) {
            *narrow = *quant as i16;
        }
        E::words(&mut words[r], &narrow);
    }
    quants.iter().sum()
}

/// Replaces scores by weights, and returns these.
#[inline(always)]
fn some_weights<L: Lanes>(scores: &mut L::Int, largest: i32, factor: f32) -> L::Int {
    *scores = weight(exponents::<L>(*scores, largest, factor));
    *scores
}

#[inline(always)]
fn exponents<L: Lanes>(scores: L::Int, largest: i32, factor: f32) -> L {
    L::convert(L::int_sub(scores, L::int(largest))).mul(L::splat(factor))
}

/// From here down, as for NaN, the weight is zero: exp(-9.75) * 8191 = 0.478. The steps up to the exponent keep the
/// order of scores, so that sixteen keys weigh nothing when the best of them does.
const NOTHING: f32 = -9.75;

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
