//! SIMD128: `i32x4.dot_i16x8`, eight pairs of four outputs in registers, rows passing by (see `matmul_q4_0/relaxed.rs` for
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
        let (eights, rest) = panel.as_chunks::<8>();
        for (panel, x) in eights.iter().zip(x.as_chunks::<{ 8 * ROWS }>().0) {
            eight_pairs(sums, panel, x);
        }
        let x = &x[eights.len() * 8 * ROWS..];
        for (panel, x) in rest.as_chunks::<4>().0.iter().zip(x.as_chunks::<{ 4 * ROWS }>().0) {
            four_pairs(sums, panel, x);
        }
    }
}

#[inline(never)]
fn eight_pairs(sums: &mut [[v128; 2]; ROWS], panel: &[Pair; 8], x: &[v128; 8 * ROWS]) {
    four_outputs::<0, 8>(sums, panel, x);
    four_outputs::<1, 8>(sums, panel, x);
}

#[inline(never)]
fn four_pairs(sums: &mut [[v128; 2]; ROWS], panel: &[Pair; 4], x: &[v128; 4 * ROWS]) {
    four_outputs::<0, 4>(sums, panel, x);
    four_outputs::<1, 4>(sums, panel, x);
}

#[inline(always)]
fn four_outputs<const V: usize, const PAIRS: usize>(
    sums: &mut [[v128; 2]; ROWS],
    panel: &[Pair; PAIRS],
    x: &[v128],
) {
    let weights: [v128; PAIRS] = core::array::from_fn(|j| pairs(&panel[j], V));
    each::<ROWS>(|r| {
        let mut sum = load(&sums[r][V]);
        for j in 0..PAIRS {
            sum = i32x4_add(sum, i32x4_dot_i16x8(weights[j], x[j / 4 * 4 * ROWS + 4 * r + j % 4]));
        }
        store(&mut sums[r][V], sum);
    });
}

/// Four outputs' pairs.
#[inline(always)]
fn pairs(pair: &Pair, v: usize) -> v128 {
    let four: &[[i16; 2]; 4] = pair[4 * v..].first_chunk().expect("half a panel");
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(four.as_ptr().cast()) }
}
