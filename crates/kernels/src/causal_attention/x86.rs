//! AVX2: a page's 32 positions, or 32 values of a head, are four vectors of sums, lanes joined as they come.
//!
//! Functions, not closures: a closure that is not inlined has no AVX2.

use core::arch::x86_64::*;
use core::ops::Range;

use super::{PAGE, scalar, slot};
use crate::dot_f32::LANES;
use crate::exp_lanes::near;

const VECTORS: usize = PAGE / 8;

type Sums = [__m256; VECTORS];

/// The products of each lane of a fold.
trait Chains {
    /// How many products the lane has.
    fn length(&self, lane: usize) -> usize;
    /// Where the factor and the row of 32 values of one of them lie.
    ///
    /// # Safety
    /// `at` is below the lane's length.
    unsafe fn product(&self, at: usize, lane: usize) -> (*const f32, *const f32);
}

/// A query and a page of keys.
struct Scores<'a> {
    query: &'a [f32],
    keys: &'a [f32],
}

impl Chains for Scores<'_> {
    #[inline(always)]
    fn length(&self, _: usize) -> usize {
        self.query.len() / LANES
    }

    #[inline(always)]
    unsafe fn product(&self, at: usize, lane: usize) -> (*const f32, *const f32) {
        // SAFETY: the query has 32 values for each product of a lane, and each value a row of keys.
        unsafe {
            let rows = self.keys.as_ptr().add((at * LANES + slot(lane)) * PAGE);
            (self.query.as_ptr().add(at * LANES + lane), rows)
        }
    }
}

/// Weights and 32 values of each position.
struct Values<'a> {
    weights: &'a [[f32; PAGE]],
    stride: usize,
    values: &'a [&'a [f32]],
    head: usize,
    first: usize,
    /// Where visible positions end.
    end: usize,
}

impl Chains for Values<'_> {
    #[inline(always)]
    fn length(&self, lane: usize) -> usize {
        (self.end + PAGE - 1 - lane) / PAGE
    }

    #[inline(always)]
    unsafe fn product(&self, at: usize, lane: usize) -> (*const f32, *const f32) {
        // SAFETY: there are weights and values for all pages, and the head has 32 values from the first on.
        unsafe {
            let rows = self.values.get_unchecked(at).as_ptr().add(slot(lane) * self.head + self.first);
            (self.weights.get_unchecked(at * self.stride).as_ptr().add(lane), rows)
        }
    }
}

pub fn scores(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
    #[target_feature(enable = "avx2")]
    fn compiled(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
        if query.len().is_multiple_of(LANES) {
            assert!(keys.len() >= query.len() * PAGE);
            fold(out, &Scores { query, keys });
        } else {
            scalar::scores(out, query, keys);
        }
    }
    // SAFETY: the row of `SCORES` needs AVX2, so dispatch has seen it.
    unsafe { compiled(out, query, keys) }
}

pub fn values(
    out: &mut [f32],
    weights: &[[f32; PAGE]],
    stride: usize,
    values: &[&[f32]],
    visible: Range<usize>,
    finite: bool,
) {
    #[target_feature(enable = "avx2")]
    fn compiled(
        out: &mut [f32],
        weights: &[[f32; PAGE]],
        stride: usize,
        values: &[&[f32]],
        visible: Range<usize>,
        finite: bool,
    ) {
        let head = out.len();
        // Hidden weights are zero and add nothing to a sum, unless they meet what is not finite.
        if !head.is_multiple_of(PAGE) || visible.start > 0 && !finite {
            return scalar::values(out, weights, stride, values, visible, finite);
        }
        assert!(weights.len() > (values.len() - 1) * stride && visible.end <= values.len() * PAGE);
        assert!(values.iter().all(|page| page.len() >= PAGE * head));
        let (chunks, _) = out.as_chunks_mut::<PAGE>();
        for (chunk, out) in chunks.iter_mut().enumerate() {
            let (first, end) = (chunk * PAGE, visible.end);
            fold(out, &Values { weights, stride, values, head, first, end });
        }
    }
    // SAFETY: the row of `VALUES` needs AVX2, so dispatch has seen it.
    unsafe { compiled(out, weights, stride, values, visible, finite) }
}

/// `exp_near` where all values are within ±64, the definition elsewhere.
pub fn exponentials(x: &mut [f32; PAGE]) {
    #[target_feature(enable = "avx2")]
    fn compiled(x: &mut [f32; PAGE]) {
        if !near(x) {
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

/// Writes the fold of all lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn fold(out: &mut [f32; PAGE], chains: &impl Chains) {
    let mut blocks = [[_mm256_setzero_ps(); VECTORS]; 4];
    for (i, block) in blocks.iter_mut().enumerate() {
        *block = add(four(chains, i), four(chains, i + 4));
    }
    let [a, b, c, d] = blocks;
    let sums = add(add(a, b), add(c, d));
    for (out, sums) in out.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        // SAFETY: the array covers the 32 bytes.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), sums) };
    }
}

/// Lanes 16 and 8 apart.
#[target_feature(enable = "avx2")]
#[inline]
fn four(chains: &impl Chains, i: usize) -> Sums {
    let first = add(lane(chains, i), lane(chains, i + 16));
    add(first, add(lane(chains, i + 8), lane(chains, i + 24)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn lane(chains: &impl Chains, lane: usize) -> Sums {
    let mut sums = [_mm256_setzero_ps(); VECTORS];
    for at in 0..chains.length(lane) {
        // SAFETY: below the length; a factor and 32 values are there.
        unsafe {
            let (factor, row) = chains.product(at, lane);
            let factor = _mm256_broadcast_ss(&*factor);
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = _mm256_add_ps(*sum, _mm256_mul_ps(factor, _mm256_loadu_ps(row.add(8 * v))));
            }
        }
    }
    sums
}

#[target_feature(enable = "avx2")]
#[inline]
fn add(mut a: Sums, b: Sums) -> Sums {
    for (a, b) in a.iter_mut().zip(b) {
        *a = _mm256_add_ps(*a, b);
    }
    a
}
