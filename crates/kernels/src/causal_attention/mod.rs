//! Attention of one position over keys and values kept in pages.

mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use alloc::vec::Vec;
use core::ops::Range;

use crate::dot_f32::{LANES, fold};
use crate::variant::{Needs, Variant, pick};

/// Positions a page holds.
pub const PAGE: usize = 32;

/// One head's keys or values, page after page.
pub trait Pages {
    /// Keys of page `page`, transposed: `[head][PAGE]`, value `d` of each in row [`key_row`].
    fn keys(&self, page: usize) -> &[f32];
    /// Values of page `page`: `[PAGE][head]`, position `j` of the page in row [`slot`].
    fn values(&self, page: usize) -> &[f32];
    /// Whether no value of any page is infinite or NaN, those of hidden positions included. Changes no bit.
    fn finite(&self) -> bool;
}

/// The row of lane `lane` of 32: lanes that [`crate::dot_f32`]'s order joins lie together.
#[inline(always)]
pub const fn slot(lane: usize) -> usize {
    lane % 4 * 8 + [0, 4, 2, 6, 1, 5, 3, 7][lane / 4]
}

/// The row of value `d` of keys of `head` values: by [`slot`] where they are whole lanes.
#[inline(always)]
pub const fn key_row(d: usize, head: usize) -> usize {
    if head.is_multiple_of(LANES) { d / LANES * LANES + slot(d % LANES) } else { d }
}

/// `out[d] = Σ weights[j] * values[j][d]` over the positions `visible`, which lie within the pages `values`, the first
/// of them from 0 on. The weights of page `p` are `weights[p * stride]`, zero where hidden; `finite` as [`Pages::finite`].
pub type Values = fn(
    out: &mut [f32],
    weights: &[[f32; PAGE]],
    stride: usize,
    values: &[&[f32]],
    visible: Range<usize>,
    finite: bool,
);

/// `out[j] = Σ query[d] * keys[d][j]` for a whole page.
pub type Scores = fn(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]);

/// Best first; the definition ends the list.
pub static SCORES: &[Variant<Scores>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::scores },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::scores },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::scores },
];

/// Best first; the definition ends the list.
pub static VALUES: &[Variant<Values>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::values },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::values },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::values },
];

/// `x[j] = exp(x[j])`, libm's.
pub type Exponentials = fn(x: &mut [f32; PAGE]);

/// Best first; the definition ends the list.
pub static EXPONENTIALS: &[Variant<Exponentials>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::exponentials },
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
/// **Order**: a score is a sum over the head as [`crate::dot_f32`] adds, then times `scale`. Exponentials are
/// `exp(score - largest)`; their sum is in f64, 32 partial sums by position modulo 32, ascending, folded as there, and a
/// weight is an exponential times `1 / sum`, which is rounded to f32 first. A value is a sum of weights times values
/// over positions, from a multiple of 32 on, again as [`crate::dot_f32`] adds.
///
/// **Source**: ggml's `mul_mat`, `soft_max_ext` and `mul_mat` over f32 caches, compiled for SSE3.
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
    scores: &mut Vec<[f32; PAGE]>,
) {
    assert!(!visible.is_empty(), "{visible:?}");
    assert!(out.len() == query.len() && out.len().is_multiple_of(head), "whole heads of {head}");
    let (first, end) = (visible.start / PAGE, visible.end.div_ceil(PAGE));
    let keys: Vec<&[f32]> = (first..end).map(|page| pages.keys(page)).collect();
    let values: Vec<&[f32]> = (first..end).map(|page| pages.values(page)).collect();
    let visible = visible.start - first * PAGE..visible.end - first * PAGE;
    for (out, query) in out.chunks_mut(TOGETHER * head).zip(query.chunks(TOGETHER * head)) {
        let cached = Cached { keys: &keys, values: &values, finite: pages.finite() };
        together(out, query, head, &cached, visible.clone(), scale, scores);
    }
}

/// Pages in order.
struct Cached<'p> {
    keys: &'p [&'p [f32]],
    values: &'p [&'p [f32]],
    finite: bool,
}

/// Up to [`TOGETHER`] heads over whole pages, of which `visible` counts.
fn together(
    out: &mut [f32],
    query: &[f32],
    head: usize,
    Cached { keys, values, finite }: &Cached<'_>,
    visible: Range<usize>,
    scale: f32,
    scores: &mut Vec<[f32; PAGE]>,
) {
    let heads = query.len() / head;
    // `[page][head]`: what reads a page lies together.
    scores.resize(keys.len() * heads, [0.0; PAGE]);
    let (score, values_of) = (pick(SCORES).run, pick(VALUES).run);
    for (rows, keys) in scores.chunks_exact_mut(heads).zip(*keys) {
        for (row, query) in rows.iter_mut().zip(query.chunks_exact(head)) {
            score(row, query, keys);
        }
    }
    for (h, out) in out.chunks_exact_mut(head).enumerate() {
        softmax(&mut scores[h..], heads, visible.clone(), scale);
        values_of(out, &scores[h..], heads, values, visible.clone(), *finite);
    }
}

/// The positions of page `page` that count.
fn live(page: usize, visible: &Range<usize>) -> Range<usize> {
    let start = page * PAGE;
    visible.start.max(start) - start..visible.end.min(start + PAGE) - start
}

/// Turns the scores of one head, every `stride`-th row, into weights. Every loop takes whole pages and has no end to
/// look for: what is hidden gets a value that does not count.
#[inline(always)]
fn softmax(scores: &mut [[f32; PAGE]], stride: usize, visible: Range<usize>, scale: f32) {
    let exponentials = pick(EXPONENTIALS).run;
    let mut largest = [f32::NEG_INFINITY; PAGE];
    for (page, row) in scores.iter_mut().step_by(stride).enumerate() {
        for value in row.iter_mut() {
            *value *= scale;
        }
        hide(row, live(page, &visible), f32::NEG_INFINITY);
        for (largest, value) in largest.iter_mut().zip(row) {
            *largest = if *value > *largest { *value } else { *largest };
        }
    }
    // Of +0 and -0 either will do: subtracted, both leave a zero, whose exponential is 1.
    let largest = largest.into_iter().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
    let mut sums = [0.0f64; PAGE];
    for (page, row) in scores.iter_mut().step_by(stride).enumerate() {
        for value in row.iter_mut() {
            *value -= largest;
        }
        // A hidden value must not send the page down the slow path of exponentials.
        hide(row, live(page, &visible), 0.0);
        exponentials(row);
        hide(row, live(page, &visible), 0.0);
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum += f64::from(*weight);
        }
    }
    let inverse = (1.0 / fold(sums)) as f32;
    for row in scores.iter_mut().step_by(stride) {
        for weight in row {
            *weight *= inverse;
        }
    }
}

/// Writes `value` over all but `live`.
#[inline(always)]
fn hide(row: &mut [f32; PAGE], live: Range<usize>, value: f32) {
    if live != (0..PAGE) {
        row[..live.start].fill(value);
        row[live.end..].fill(value);
    }
}
