//! SIMD128: the 32 partial sums are eight vectors.

use core::arch::wasm32::*;

use super::{LANES, scalar};

const VECTORS: usize = LANES / 4;

pub fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [f32x4_splat(0.0); VECTORS];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = f32x4_add(*sum, f32x4_mul(load(a, i), load(b, i)));
        }
    }
    let mut lanes = [0.0; LANES];
    for (i, sum) in sums.iter().enumerate() {
        // SAFETY: the array covers the 16 bytes at 4 * i; Wasm stores need no alignment.
        unsafe { v128_store(lanes.as_mut_ptr().add(4 * i).cast(), *sum) };
    }
    for ((sum, a), b) in lanes.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += a * b;
    }
    scalar::fold(lanes)
}

#[inline(always)]
fn load(from: &[f32; LANES], i: usize) -> v128 {
    // SAFETY: the array covers the 16 bytes at 4 * i; Wasm loads need no alignment.
    unsafe { v128_load(from.as_ptr().add(4 * i).cast()) }
}
