//! SIMD128: a page's 32 positions, or 32 values of a head, are eight vectors of sums.
//!
//! The sums wait in memory between calls of straight-line code. In a loop that keeps them in registers each back-edge is
//! a check of the epoch, for whose sake all eight are written to the stack and read back. Stores are volatile, or LLVM
//! and Cranelift would bring all loads to the front and spill those.

use core::arch::wasm32::*;
use core::ops::Range;

use super::{PAGE, scalar};
use crate::exp_lanes::{exp_near_4, near};
use crate::matmul_q4_0::groups::{each, load, store};

const VECTORS: usize = PAGE / 4;

/// Rows of a step: their factors and one vector of each are eight registers.
const STEP: usize = 4;
/// Rows of a call.
const CALL: usize = 2 * STEP;

type Sums = [v128; VECTORS];

pub fn scores(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
    let mut sums = [f32x4_splat(0.0); VECTORS];
    add(&mut sums, query, keys, PAGE);
    write(out, &sums);
}

pub fn accumulate(out: &mut [f32], weights: &[f32; PAGE], values: &[f32], live: Range<usize>) {
    let head = out.len();
    let (wide, rest) = out.as_chunks_mut::<PAGE>();
    let rest_at = wide.len() * PAGE;
    for (chunk, out) in wide.iter_mut().enumerate() {
        let mut sums = core::array::from_fn(|v| read(out, v));
        add(&mut sums, &weights[live.clone()], &values[live.start * head + chunk * PAGE..], head);
        write(out, &sums);
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
    let lanes = core::array::from_fn(|v| exp_near_4(read(x, v)));
    write(x, &lanes);
}

/// Adds `factors[i] * rows[i * stride..]`, `i` ascending.
fn add(sums: &mut Sums, factors: &[f32], rows: &[f32], stride: usize) {
    let (by_call, rest) = factors.as_chunks::<CALL>();
    for (i, factors) in by_call.iter().enumerate() {
        eight(sums, factors, &rows[i * CALL * stride..], stride);
    }
    for (i, factor) in rest.iter().enumerate() {
        let at = (by_call.len() * CALL + i) * stride;
        one(sums, *factor, rows[at..].first_chunk().expect("a row"));
    }
}

#[inline(never)]
fn eight(sums: &mut Sums, factors: &[f32; CALL], rows: &[f32], stride: usize) {
    assert!(rows.len() >= (CALL - 1) * stride + PAGE);
    let ([low, high], _) = factors.as_chunks() else { unreachable!("twice four") };
    let rows = rows.as_ptr();
    // SAFETY: rows 0..8 lie within the slice, as just asserted.
    unsafe {
        four(sums, low, rows, stride);
        four(sums, high, rows.add(STEP * stride), stride);
    }
}

/// # Safety
/// 32 values at each of `STEP` multiples of `stride` are valid to read.
#[inline(always)]
unsafe fn four(sums: &mut Sums, factors: &[f32; STEP], rows: *const f32, stride: usize) {
    let factors = factors.map(|factor| f32x4_splat(factor));
    each::<VECTORS>(|v| {
        let mut sum = load(&sums[v]);
        for (i, factor) in factors.into_iter().enumerate() {
            // SAFETY: the four values are among those the caller vouches for; Wasm loads need no alignment.
            let row = unsafe { v128_load(rows.add(i * stride + 4 * v).cast()) };
            sum = f32x4_add(sum, f32x4_mul(factor, row));
        }
        store(&mut sums[v], sum);
    });
}

fn one(sums: &mut Sums, factor: f32, row: &[f32; PAGE]) {
    let factor = f32x4_splat(factor);
    for (v, sum) in sums.iter_mut().enumerate() {
        *sum = f32x4_add(*sum, f32x4_mul(factor, read(row, v)));
    }
}

/// Vector `v` of a row.
#[inline(always)]
fn read(row: &[f32; PAGE], v: usize) -> v128 {
    let four: &[f32; 4] = row[4 * v..].first_chunk().expect("a vector of the row");
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(four.as_ptr().cast()) }
}

#[inline(always)]
fn write(row: &mut [f32; PAGE], vectors: &Sums) {
    for (v, vector) in vectors.iter().enumerate() {
        let four: &mut [f32; 4] = row[4 * v..].first_chunk_mut().expect("a vector of the row");
        // SAFETY: the reference covers the 16 bytes; Wasm stores need no alignment.
        unsafe { v128_store(four.as_mut_ptr().cast(), *vector) };
    }
}
