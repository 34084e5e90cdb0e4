//! SIMD128: `i32x4.dot_i16x8`, four pairs of a panel in registers, rows passing by (see `matmul_q4_0/relaxed.rs` for
//! why sums are stored between rows).

use core::arch::wasm32::*;

use super::tiles::{Engine, PANEL, Pair, ROWS, Sums};
use super::{Scratch, Shape};
use crate::lanes::simd128::F32x4;
use crate::matmul_q4_0::groups::{each, load, repeated, store};

pub fn attention(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape, scratch: &mut Scratch) {
    super::tiles::attention::<Simd128>(out, q, k, v, shape, scratch);
}

pub fn weights(out: &mut [i32], x: &[f32]) {
    super::tiles::weights::<F32x4>(out, x);
}

struct Simd128;

const _: () = assert!(PANEL == 8);

impl Engine for Simd128 {
    type Head = F32x4;
    type Scores = F32x4;
    type Word = v128;
    const ZERO: v128 = i32x4(0, 0, 0, 0);

    #[inline(always)]
    fn words(out: &mut [v128; 4], inputs: &[i16; 8]) {
        // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
        *out = repeated(unsafe { v128_load(inputs.as_ptr().cast()) });
    }

    #[inline(always)]
    fn weight_words(weights: &[v128; 4]) -> [[v128; 4]; 2] {
        let [a, b, c, d] = *weights;
        [repeated(i16x8_narrow_i32x4(a, b)), repeated(i16x8_narrow_i32x4(c, d))]
    }

    #[inline(always)]
    fn accumulate(sums: &mut Sums, panel: &[Pair], x: &[v128]) {
        // SAFETY: both are 256 bytes of any bits, and `Sums` has the larger alignment.
        let sums = unsafe { &mut *core::ptr::from_mut(sums).cast::<[[v128; 2]; ROWS]>() };
        for (panel, x) in panel.as_chunks::<4>().0.iter().zip(x.as_chunks::<{ 4 * ROWS }>().0) {
            quarter(sums, panel, x);
        }
    }
}

#[inline(never)]
fn quarter(sums: &mut [[v128; 2]; ROWS], panel: &[Pair; 4], x: &[v128; 4 * ROWS]) {
    let weights: [[v128; 4]; 2] = core::array::from_fn(|v| core::array::from_fn(|j| pairs(&panel[j], v)));
    each::<ROWS>(|r| {
        for v in 0..2 {
            let p: [v128; 4] = core::array::from_fn(|j| i32x4_dot_i16x8(x[4 * r + j], weights[v][j]));
            let sum = i32x4_add(load(&sums[r][v]), i32x4_add(i32x4_add(p[0], p[1]), i32x4_add(p[2], p[3])));
            store(&mut sums[r][v], sum);
        }
    });
}

/// Four outputs' pairs.
#[inline(always)]
fn pairs(pair: &Pair, v: usize) -> v128 {
    let four: &[[i16; 2]; 4] = pair[4 * v..].first_chunk().expect("half a panel");
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(four.as_ptr().cast()) }
}
