//! Attention of one position over keys and values kept in pages.

mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;

use core::ops::Range;

use crate::variant::{Needs, Variant, pick};

/// Positions a page holds.
pub const PAGE: usize = 32;

/// One head's keys or values, page after page.
pub trait Pages {
    /// Keys of page `page`, transposed: `[head][PAGE]`.
    fn keys(&self, page: usize) -> &[f32];
    /// Values of page `page`: `[PAGE][head]`.
    fn values(&self, page: usize) -> &[f32];
}

/// `out += Σ weights[j] * values[j]`, `j` ascending within `live`.
pub type Accumulate = fn(out: &mut [f32], weights: &[f32; PAGE], values: &[f32], live: Range<usize>);

/// `out[j] = Σ query[d] * keys[d][j]`, `d` ascending from zero, for a whole page.
pub type Scores = fn(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]);

/// Best first; the definition ends the list.
pub static SCORES: &[Variant<Scores>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: avx2_scores },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::scores },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::scores },
];

/// Best first; the definition ends the list.
pub static ACCUMULATE: &[Variant<Accumulate>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: avx2_accumulate },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::accumulate },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::accumulate },
];

/// `x[j] = exp(x[j])`, libm's.
pub type Exponentials = fn(x: &mut [f32; PAGE]);

/// Best first; the definition ends the list.
pub static EXPONENTIALS: &[Variant<Exponentials>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: avx2_exponentials },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::exponentials },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::exponentials },
];

/// Heads that go through a page together, while it is in the first cache.
const TOGETHER: usize = 8;

/// Writes `softmax(query · keys * scale) · values` over the positions `visible`, for heads that share keys and values.
///
/// Whether positions were written in one pass or one by one, alone or beside other sequences, changes nothing: every
/// sum runs over absolute positions.
///
/// **Shape**: `query` and `out` `[heads, head]`; `scores` is scratch, resized as needed.
///
/// **Order**: a score is a sum over the head ascending, then times `scale`. Weights are `exp(score - largest)`; their
/// sum is 32 partial sums by position modulo 32, ascending, folded as in [`crate::dot_f32`]. Values are added in
/// ascending position; each total is multiplied by `1 / sum` at the end.
///
/// # Panics
/// When `visible` is empty or `out` and `query` are not the same whole heads.
pub fn causal_attention(
    out: &mut [f32],
    query: &[f32],
    head: usize,
    pages: &impl Pages,
    visible: Range<usize>,
    scale: f32,
    scores: &mut alloc::vec::Vec<[f32; PAGE]>,
) {
    assert!(!visible.is_empty(), "{visible:?}");
    assert!(out.len() == query.len() && out.len().is_multiple_of(head), "whole heads of {head}");
    for (out, query) in out.chunks_mut(TOGETHER * head).zip(query.chunks(TOGETHER * head)) {
        together(out, query, head, pages, visible.clone(), scale, scores);
    }
}

/// Up to [`TOGETHER`] heads.
fn together(
    out: &mut [f32],
    query: &[f32],
    head: usize,
    pages: &impl Pages,
    visible: Range<usize>,
    scale: f32,
    scores: &mut alloc::vec::Vec<[f32; PAGE]>,
) {
    let heads = query.len() / head;
    let (first, last) = (visible.start / PAGE, (visible.end - 1) / PAGE);
    // `[page][head]`: what reads a page lies together.
    scores.resize((last - first + 1) * heads, [0.0; PAGE]);
    let live = |page: usize| {
        let start = page * PAGE;
        visible.start.max(start) - start..visible.end.min(start + PAGE) - start
    };
    let (score, accumulate) = (pick(SCORES).run, pick(ACCUMULATE).run);
    for (rows, page) in scores.chunks_exact_mut(heads).zip(first..) {
        for (row, query) in rows.iter_mut().zip(query.chunks_exact(head)) {
            score(row, query, pages.keys(page));
        }
    }
    let mut inverses = [0.0; TOGETHER];
    for (h, inverse) in inverses[..heads].iter_mut().enumerate() {
        let rows = || (h..).step_by(heads).zip(first..=last).map(|(row, page)| (row, live(page)));
        *inverse = softmax(scores, rows, scale);
    }
    out.fill(0.0);
    for (rows, page) in scores.chunks_exact(heads).zip(first..) {
        for (row, out) in rows.iter().zip(out.chunks_exact_mut(head)) {
            accumulate(out, row, pages.values(page), live(page));
        }
    }
    for (out, inverse) in out.chunks_exact_mut(head).zip(inverses) {
        for out in out {
            *out *= inverse;
        }
    }
}

/// Turns the scores of one head, which lie in `rows` of a page each, into weights; returns what their sums are to be
/// multiplied by. Every loop takes whole pages and has no end to look for: what is hidden gets a value that does not
/// count.
#[inline(always)]
fn softmax<I: Iterator<Item = (usize, Range<usize>)>>(
    scores: &mut [[f32; PAGE]],
    rows: impl Fn() -> I,
    scale: f32,
) -> f32 {
    let exponentials = pick(EXPONENTIALS).run;
    let mut largest = [f32::NEG_INFINITY; PAGE];
    for (row, live) in rows() {
        let row = &mut scores[row];
        for value in row.iter_mut() {
            *value *= scale;
        }
        hide(row, live, f32::NEG_INFINITY);
        for (largest, value) in largest.iter_mut().zip(row) {
            *largest = if *value > *largest { *value } else { *largest };
        }
    }
    // Of +0 and -0 either will do: subtracted, both leave a zero, whose exponential is 1.
    let largest = largest.into_iter().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
    let mut sums = [0.0; PAGE];
    for (row, live) in rows() {
        let row = &mut scores[row];
        for value in row.iter_mut() {
            *value -= largest;
        }
        // A hidden value must not send the page down the slow path of exponentials.
        hide(row, live.clone(), 0.0);
        exponentials(row);
        hide(row, live, 0.0);
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum += *weight;
        }
    }
    1.0 / crate::dot_f32::fold(sums)
}

/// Writes `value` over all but `live`.
#[inline(always)]
fn hide(row: &mut [f32; PAGE], live: Range<usize>, value: f32) {
    if live != (0..PAGE) {
        row[..live.start].fill(value);
        row[live.end..].fill(value);
    }
}

/// The definition, compiled for AVX2: nothing in it can be contracted or reordered.
#[cfg(target_arch = "x86_64")]
fn avx2_scores(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
    #[target_feature(enable = "avx2")]
    fn compiled(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
        scalar::scores(out, query, keys);
    }
    // SAFETY: the row of `SCORES` needs AVX2, so dispatch has seen it.
    unsafe { compiled(out, query, keys) }
}

/// As [`avx2_scores`].
#[cfg(target_arch = "x86_64")]
fn avx2_accumulate(out: &mut [f32], weights: &[f32; PAGE], values: &[f32], live: Range<usize>) {
    #[target_feature(enable = "avx2")]
    fn compiled(out: &mut [f32], weights: &[f32; PAGE], values: &[f32], live: Range<usize>) {
        scalar::accumulate(out, weights, values, live);
    }
    // SAFETY: the row of `ACCUMULATE` needs AVX2, so dispatch has seen it.
    unsafe { compiled(out, weights, values, live) }
}

/// `exp_near` where all values are within ±64, the definition elsewhere.
#[cfg(target_arch = "x86_64")]
fn avx2_exponentials(x: &mut [f32; PAGE]) {
    #[target_feature(enable = "avx2")]
    fn compiled(x: &mut [f32; PAGE]) {
        if !crate::exp_lanes::near(x) {
            return scalar::exponentials(x);
        }
        // A length LLVM cannot see: it would unroll the loop and leave scalars.
        let n = core::hint::black_box(PAGE).min(PAGE);
        for x in &mut x[..n] {
            *x = crate::exp::lanes::exp_near(*x);
        }
    }
    // SAFETY: the row of `EXPONENTIALS` needs AVX2, so dispatch has seen it.
    unsafe { compiled(x) }
}
