//! Attention of one query over keys and values kept in pages.

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

/// Writes `softmax(query · keys * scale) · values` over the positions `visible`.
///
/// Whether positions were written in one pass or one by one, alone or beside other sequences, changes nothing: every
/// sum runs over absolute positions.
///
/// **Shape**: `query` and `out` `[head]`; `scores` is scratch, resized as needed.
///
/// **Order**: a score is a sum over the head ascending, then times `scale`. Weights are `exp(score - largest)`; their
/// sum is 32 partial sums by position modulo 32, ascending, folded as in [`crate::dot_f32`]. Values are added in
/// ascending position; each total is multiplied by `1 / sum` at the end.
///
/// # Panics
/// When `visible` is empty or `out` and `query` differ in length.
pub fn causal_attention(
    out: &mut [f32],
    query: &[f32],
    pages: &impl Pages,
    visible: Range<usize>,
    scale: f32,
    scores: &mut alloc::vec::Vec<[f32; PAGE]>,
) {
    assert!(!visible.is_empty() && out.len() == query.len(), "{visible:?}");
    let (first, last) = (visible.start / PAGE, (visible.end - 1) / PAGE);
    scores.resize(last - first + 1, [0.0; PAGE]);
    let live = |page: usize| {
        let start = page * PAGE;
        visible.start.max(start) - start..visible.end.min(start + PAGE) - start
    };
    let (score, accumulate) = (pick(SCORES).run, pick(ACCUMULATE).run);
    let exponentials = pick(EXPONENTIALS).run;
    let mut largest = f32::NEG_INFINITY;
    for (row, page) in scores.iter_mut().zip(first..) {
        score(row, query, pages.keys(page));
        for value in &mut row[live(page)] {
            *value *= scale;
            if *value > largest {
                largest = *value;
            }
        }
    }
    let mut sums = [0.0; PAGE];
    for (row, page) in scores.iter_mut().zip(first..) {
        let live = live(page);
        for value in &mut row[live.clone()] {
            *value -= largest;
        }
        // What lies outside is never read again; a value from there must not send the page down the slow path.
        row[..live.start].fill(0.0);
        row[live.end..].fill(0.0);
        exponentials(row);
        for (sum, weight) in sums[live.clone()].iter_mut().zip(&row[live]) {
            *sum += weight;
        }
    }
    let inverse = 1.0 / crate::dot_f32::fold(sums);
    out.fill(0.0);
    for (row, page) in scores.iter().zip(first..) {
        accumulate(out, row, pages.values(page), live(page));
    }
    for out in out {
        *out *= inverse;
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
