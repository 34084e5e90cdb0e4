//! The definitions, in the order that lets a compiler use vectors without changing one addition.

use core::ops::Range;

use super::{PAGE, key_row, live, slot};
use crate::dot_f32::LANES;

#[inline(always)]
pub fn scores(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
    let (keys, _) = keys.as_chunks::<PAGE>();
    // One row of sums a lane, all positions of the page in it.
    let mut sums = [[0.0; PAGE]; LANES];
    for (d, q) in query.iter().enumerate() {
        for (sum, key) in sums[d % LANES].iter_mut().zip(&keys[key_row(d, query.len())]) {
            *sum += q * key;
        }
    }
    *out = fold_rows(sums);
}

/// Hidden rows are not read, so that it does not matter whether they are finite.
#[inline(always)]
pub fn values(
    out: &mut [f32],
    weights: &[[f32; PAGE]],
    stride: usize,
    values: &[&[f32]],
    visible: Range<usize>,
    _finite: bool,
) {
    /// Values of a head that go through the pages together.
    const WIDE: usize = 16;
    let head = out.len();
    for (chunk, out) in out.chunks_mut(WIDE).enumerate() {
        let mut sums = [[0.0; WIDE]; LANES];
        for (page, (weights, values)) in weights.iter().step_by(stride).zip(values).enumerate() {
            for j in live(page, &visible) {
                let values = &values[slot(j) * head + chunk * WIDE..][..out.len()];
                for (sum, value) in sums[j].iter_mut().zip(values) {
                    *sum += weights[j] * value;
                }
            }
        }
        out.copy_from_slice(&fold_rows(sums)[..out.len()]);
    }
}

/// [`crate::dot_f32::fold`] of each column.
#[inline(always)]
fn fold_rows<const N: usize>(mut sums: [[f32; N]; LANES]) -> [f32; N] {
    let mut add = |to: usize, from: usize| {
        let from = sums[from];
        for (sum, value) in sums[to].iter_mut().zip(from) {
            *sum += value;
        }
    };
    for width in [16, 8, 4] {
        for i in 0..width {
            add(i, i + width);
        }
    }
    add(0, 1);
    add(2, 3);
    add(0, 2);
    sums[0]
}

pub fn exponentials(x: &mut [f32; PAGE]) {
    for x in x {
        *x = libm::expf(*x);
    }
}
