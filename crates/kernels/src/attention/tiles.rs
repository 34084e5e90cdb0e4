//! How the vector variants walk attention: groups of eight queries, panels of eight outputs, pairs of inputs.
//!
//! Queries, keys and values are quantised first, row after row for all heads, and stored head after head: a head's
//! columns of `[rows][heads * head]` lie too far apart for the memory to be read ahead. Scores and weighted values are
//! both products of 16-bit matrices: rows of a group times panels, `[pair of inputs][8 outputs][2]`, each input pair of
//! a row repeated as far as the target needs it. All integer sums are exact, so their order is free; the float steps
//! are the definition's, value by value, in vectors. In Wasm most steps are calls of their own: inlined into one
//! function they spill each other's values.

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
    let Shape { queries, keys, heads, head } = shape;
    let hidden = heads * head;
    let query_scales = quantise_rows::<E::Head>(&mut scratch.queries, q, shape);
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
        memory.pack_keys(&scratch.keys[h * keys * head..][..keys * head], head);
        memory.pack_values(&scratch.values[h * keys * head..][..keys * head], head);
        let q = &scratch.queries[h * queries * head..][..queries * head];
        let groups = q.chunks(ROWS * head).zip(out.chunks_mut(ROWS * hidden));
        for ((q, out), scales) in groups.zip(query_scales.chunks(ROWS * heads)) {
            for (r, row) in q.chunks_exact(head).enumerate() {
                arrange::<E>(&mut memory.queries, r, row);
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
    /// `k` is `[keys][head]`.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn pack_keys(&mut self, k: &[i16], head: usize) {
        for (key, row) in k.chunks_exact(head).enumerate() {
            let panel = &mut self.keys[key / PANEL * head / 2..][..head / 2];
            for (pair, two) in panel.iter_mut().zip(row.as_chunks::<2>().0) {
                pair[key % PANEL] = *two;
            }
        }
    }

    /// `v` is `[keys][head]`.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn pack_values(&mut self, v: &[i16], head: usize) {
        let pairs = self.values.len() * PANEL / head;
        let none = [0; MAX_HEAD];
        for (pair, rows) in v.chunks(2 * head).enumerate() {
            let (even, odd) = rows.split_at(head);
            let odd = if odd.is_empty() { &none[..head] } else { odd };
            let (even, odd) = (even.as_chunks::<PANEL>().0, odd.as_chunks::<PANEL>().0);
            for (d, (even, odd)) in even.iter().zip(odd).enumerate() {
                self.values[d * pairs + pair] = core::array::from_fn(|i| [even[i], odd[i]]);
            }
        }
    }

    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
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
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn weigh(&mut self, r: usize, keys: usize, factor: f32) -> i32 {
        let (largest, none) = (E::Scores::int(self.largest(r)), E::Scores::int(0));
        let mut row = Row::<E> { r, largest, factor: E::Scores::splat(factor), total: none };
        let mut sixteens = self.weights.iter_mut().zip(&self.scores);
        for (words, scores) in sixteens.by_ref().take(keys / MOST) {
            sixteen(&mut row, words, scores);
        }
        if let Some((words, scores)) = sixteens.next() {
            exactly(&mut row, words, scores, keys % MOST);
        }
        lanes::<E::Scores>(row.total).iter().sum()
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

    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
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

/// Quantises rows to +-[`KEY_MAX`], each head's columns of a row with a scale of their own: quants as
/// `[heads][rows][head]`. Returns the scales, `[rows][heads]`.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn quantise_rows<L: Lanes>(quants: &mut Vec<i16>, x: &[f32], shape: Shape) -> Vec<f32> {
    let Shape { queries, heads, head, .. } = shape;
    quants.resize(x.len(), 0);
    let mut all = Vec::with_capacity(queries * heads);
    for (t, row) in x.chunks_exact(heads * head).enumerate() {
        for (h, x) in row.chunks_exact(head).enumerate() {
            let mut largest = L::int(0);
            for x in x.chunks_exact(L::COUNT) {
                largest = L::int_max(largest, magnitudes(L::load(x)));
            }
            let (scale, inverse) = scales(widest::<L>(largest), KEY_MAX);
            quantise::<L>(&mut quants[(h * queries + t) * head..][..head], x, inverse);
            all.push(scale);
        }
    }
    all
}

/// Quantises rows to +-`max`, each head's columns of all rows with one scale: quants as `[heads][rows][head]`. Returns
/// the heads' scales.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn quantise_heads<L: Lanes>(quants: &mut Vec<i16>, x: &[f32], shape: Shape, max: i32) -> Vec<f32> {
    let Shape { keys, heads, head, .. } = shape;
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
    for (t, row) in x.chunks_exact(heads * head).enumerate() {
        for (h, (x, inverse)) in row.chunks_exact(head).zip(&inverses).enumerate() {
            quantise::<L>(&mut quants[(h * keys + t) * head..][..head], x, *inverse);
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

/// A query's way from scores to weights.
struct Row<E: Engine> {
    /// Which of the group.
    r: usize,
    largest: Ints<E>,
    factor: E::Scores,
    /// The sum of its weights, lane by lane.
    total: Ints<E>,
}

impl<E: Engine> Row<E> {
    #[inline(always)]
    fn exponents(&self, scores: Ints<E>) -> E::Scores {
        E::Scores::convert(E::Scores::int_sub(scores, self.largest)).mul(self.factor)
    }
}

/// Makes the weights of sixteen scores in straight-line code. In Wasm a call of its own: in a loop Cranelift keeps
/// fourteen constants on the stack and writes them back at each iteration. Its arguments are few, too: one on the
/// stack is stored in 32 bits and read in 64, which waits for the store.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn sixteen<E: Engine>(row: &mut Row<E>, words: &mut [[[E::Word; 4]; ROWS]; 2], scores: &[Sums; 2]) {
    let mut weights = some_scores::<E>(scores, row.r);
    let vectors = MOST / E::Scores::COUNT;
    let mut best = weights[0];
    for scores in &weights[1..vectors] {
        best = E::Scores::int_max(best, *scores);
    }
    let none = E::Scores::int(0);
    if E::Scores::any(E::Scores::splat(NOTHING).less(row.exponents(best))) {
        let mut doubt = none;
        near(&mut weights[0], &mut doubt, row);
        if vectors > 1 {
            near(&mut weights[1], &mut doubt, row);
        }
        if vectors > 2 {
            near(&mut weights[2], &mut doubt, row);
            near(&mut weights[3], &mut doubt, row);
        }
        if E::Scores::any(E::Scores::splat(SURE * SURE).less(E::Scores::from_bits(doubt))) {
            return exactly(row, words, scores, MOST);
        }
        for weights in &weights[..vectors] {
            row.total = E::Scores::int_add(row.total, *weights);
        }
    } else {
        weights = [none; 4];
    }
    let [low, high] = E::weight_words(&weights);
    words[0][row.r] = low;
    words[1][row.r] = high;
}

/// Makes the weights of sixteen scores by the definition's steps. Only `count` keys are there; others weigh nothing.
#[cold]
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn exactly<E: Engine>(
    row: &mut Row<E>,
    words: &mut [[[E::Word; 4]; ROWS]; 2],
    scores: &[Sums; 2],
    count: usize,
) {
    let mut weights = [0; MOST];
    let vectors = some_scores::<E>(scores, row.r);
    for (weights, scores) in weights.chunks_exact_mut(E::Scores::COUNT).zip(&vectors) {
        E::Scores::int_store(weight(row.exponents(*scores)), weights);
    }
    weights[count..].fill(0);
    for weights in weights.chunks_exact(E::Scores::COUNT) {
        row.total = E::Scores::int_add(row.total, E::Scores::int_load(weights));
    }
    for (words, weights) in words.iter_mut().zip(weights.as_chunks::<8>().0) {
        E::words(&mut words[row.r], &weights.map(|weight| weight as i16));
    }
}

/// Replaces scores by [`near_weight`], and keeps the largest square of a distance in `doubt`.
#[inline(always)]
fn near<E: Engine>(scores: &mut Ints<E>, doubt: &mut Ints<E>, row: &Row<E>) {
    let (weights, square) = near_weight(row.exponents(*scores));
    *scores = weights;
    *doubt = E::Scores::int_max(*doubt, square.bits());
}

/// From here down, as for NaN, the weight is zero: exp(-9.75) * 8191 = 0.478. The steps up to the exponent keep the
/// order of scores, so that sixteen keys weigh nothing when the best of them does.
const NOTHING: f32 = -9.75;

/// 2^f * 8191 for |f| <= 1/2, within 8e-8 of it.
const POWER: [f32; 6] = [8191.0005, 5677.567, 1967.6517, 454.65894, 79.25255, 10.87474];

/// [`near_weight`] is [`super::weight`] up to this distance from an integer. The polynomial is within 0.0013 of
/// exp(x) * 8191 and the definition's own product within 0.0007, so both round to one integer unless they lie that near
/// to a half; `expchk` compares every input.
const SURE: f32 = 0.498;

/// The integer next to 2^(x / ln 2) * 8191, and the square of how far it is from that, for x up to zero or NaN. Half
/// the steps of [`weight`] one after the other, and no division.
#[inline(always)]
fn near_weight<L: Lanes>(x: L) -> (L::Int, L) {
    let floor = L::splat(FLOOR);
    let x = L::select(floor.less(x), x, floor).mul(L::splat(core::f32::consts::LOG2_E));
    let power = x.add(L::splat(MAGIC));
    let f = x.sub(power.sub(L::splat(MAGIC)));
    let square = f.mul(f);
    let high = f.step(L::splat(POWER[5]), POWER[4]);
    let high = square.mul(high).add(f.step(L::splat(POWER[3]), POWER[2]));
    let y = square.mul(high).add(f.step(L::splat(POWER[1]), POWER[0]));
    let y = L::from_bits(L::int_add(y.bits(), L::int_to_exponent(power.bits())));
    let rounded = y.add(L::splat(MAGIC));
    let distance = y.sub(rounded.sub(L::splat(MAGIC)));
    (L::int_sub(rounded.bits(), L::int(MAGIC.to_bits() as i32)), distance.mul(distance))
}

/// [`super::weight`] of values up to zero or NaN: `expf` of libm between -16 and 0, then the product with 8191 rounded
/// half to even.
#[inline(always)]
fn weight<L: Lanes>(x: L) -> L::Int {
    let floor = L::splat(FLOOR);
    let x = L::select(floor.less(x), x, floor);
    round(exp_negative(x).mul(L::splat(WEIGHT_ONE as f32)))
}

/// The weight of each value as [`sixteen`] finds it, but that each lane alone is made exactly or not.
#[inline(always)]
pub(super) fn weights<L: Lanes>(out: &mut [i32], x: &[f32]) {
    for (out, x) in out.chunks_mut(L::COUNT).zip(x.chunks(L::COUNT)) {
        let (mut whole, mut lanes) = ([0.0; MOST], [0; MOST]);
        whole[..x.len()].copy_from_slice(x);
        let all = L::load(&whole[..L::COUNT]);
        let (near, square) = near_weight(all);
        let doubtful = L::splat(SURE * SURE).less(square);
        let weights = L::select(doubtful, L::from_bits(weight(all)), L::from_bits(near)).bits();
        L::int_store(weights, &mut lanes[..L::COUNT]);
        out.copy_from_slice(&lanes[..x.len()]);
    }
}
