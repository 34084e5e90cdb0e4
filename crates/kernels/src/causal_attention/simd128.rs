//! SIMD128: a page's 32 positions, or 32 values of a head, are eight vectors of sums that stay in registers.

use core::arch::wasm32::*;
use core::ops::Range;

use super::{PAGE, scalar};
use crate::exp_lanes::{exp_near_4, near};

const VECTORS: usize = PAGE / 4;

pub fn scores(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
    let mut sums = [f32x4_splat(0.0); VECTORS];
    let (keys, _) = keys.as_chunks::<PAGE>();
    for (q, keys) in query.iter().zip(keys) {
        add(&mut sums, f32x4_splat(*q), keys);
    }
    store(out, &sums);
}

pub fn accumulate(out: &mut [f32], weights: &[f32; PAGE], values: &[f32], live: Range<usize>) {
    let head = out.len();
    let (wide, rest) = out.as_chunks_mut::<PAGE>();
    let rest_at = wide.len() * PAGE;
    for (chunk, out) in wide.iter_mut().enumerate() {
        let mut sums = load(out);
        for j in live.clone() {
            let row = values[j * head + chunk * PAGE..].first_chunk().expect("a row of values");
            add(&mut sums, f32x4_splat(weights[j]), row);
        }
        store(out, &sums);
    }
    for j in live {
        for (sum, value) in rest.iter_mut().zip(&values[j * head + rest_at..]) {
            *sum += weights[j] * value;
        }
    }
}

pub fn exponentials(x: &mut [f32; PAGE]) {
    if !near(x) {
        return scalar::exponentials(x);
    }
    let lanes = load(x).map(exp_near_4);
    store(x, &lanes);
}

#[inline(always)]
fn add(sums: &mut [v128; VECTORS], factor: v128, row: &[f32; PAGE]) {
    for (sum, row) in sums.iter_mut().zip(load(row)) {
        *sum = f32x4_add(*sum, f32x4_mul(factor, row));
    }
}

#[inline(always)]
fn load(row: &[f32; PAGE]) -> [v128; VECTORS] {
    // SAFETY: the array covers the 16 bytes at 4 * i of each load; Wasm loads need no alignment.
    core::array::from_fn(|i| unsafe { v128_load(row.as_ptr().add(4 * i).cast()) })
}

#[inline(always)]
fn store(row: &mut [f32; PAGE], vectors: &[v128; VECTORS]) {
    for (i, vector) in vectors.iter().enumerate() {
        // SAFETY: the array covers the 16 bytes at 4 * i; Wasm stores need no alignment.
        unsafe { v128_store(row.as_mut_ptr().add(4 * i).cast(), *vector) };
    }
}
