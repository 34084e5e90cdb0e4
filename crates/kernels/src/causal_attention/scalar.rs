//! The definitions, in the order that lets a compiler use vectors without changing one addition.

use core::ops::Range;

use super::PAGE;

#[inline(always)]
pub fn scores(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
    let mut sums = [0.0; PAGE];
    let (keys, _) = keys.as_chunks::<PAGE>();
    for (q, keys) in query.iter().zip(keys) {
        for (sum, key) in sums.iter_mut().zip(keys) {
            *sum += q * key;
        }
    }
    *out = sums;
}

#[inline(always)]
pub fn accumulate(out: &mut [f32], weights: &[f32; PAGE], values: &[f32], live: Range<usize>) {
    /// Values a pass over the page: eight registers of four.
    const WIDE: usize = 32;
    let head = out.len();
    let (wide, rest) = out.as_chunks_mut::<WIDE>();
    let rest_at = wide.len() * WIDE;
    for (chunk, out) in wide.iter_mut().enumerate() {
        let mut sums = *out;
        for j in live.clone() {
            let values: &[f32; WIDE] =
                values[j * head + chunk * WIDE..].first_chunk().expect("a row of values");
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += weights[j] * value;
            }
        }
        *out = sums;
    }
    for j in live {
        for (sum, value) in rest.iter_mut().zip(&values[j * head + rest_at..]) {
            *sum += weights[j] * value;
        }
    }
}

pub fn exponentials(x: &mut [f32; PAGE]) {
    for x in x {
        *x = libm::expf(*x);
    }
}
