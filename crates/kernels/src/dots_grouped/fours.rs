//! What the Wasm variants share: one lane a row.

use core::arch::wasm32::*;

use super::arranged::sum_of;
use super::{ArrangedBlock, Form, FourBlocks, ROWS, Scales};
use crate::matmul_q4_0::groups::lanes;

/// What a variant adds: dot products of a row's block in four parts.
pub trait Dot {
    /// Of all 32 columns.
    fn whole(quants: [v128; 2], x: [v128; 2]) -> v128;
    /// Of sixteen.
    fn half(quants: v128, x: v128) -> v128;
}

pub fn dots<D: Dot>(out: &mut [f32; ROWS], weights: &[FourBlocks], form: Form, x: &[ArrangedBlock]) {
    match form.scales {
        Scales::Whole => blocks::<D, false, false>(out, weights, form, x),
        Scales::Halves => blocks::<D, true, false>(out, weights, form, x),
        Scales::Offset | Scales::RoundedOffset => blocks::<D, false, true>(out, weights, form, x),
    }
}

#[inline(always)]
fn blocks<D: Dot, const HALVES: bool, const OFFSET: bool>(
    out: &mut [f32; ROWS],
    weights: &[FourBlocks],
    form: Form,
    x: &[ArrangedBlock],
) {
    let (zero, which) = (i32::from(form.zero), sum_of(form.scales));
    let mut sums = f32x4_splat(0.0);
    for (w, x) in weights.iter().zip(x) {
        let quants: [[v128; 2]; ROWS] = core::array::from_fn(|r| halves(&w.quants[r]));
        let values = halves(&x.quants);
        let scale = f32x4_splat(x.scale);
        let product = |dots: v128, sum: i32, scales: &[f32; ROWS]| {
            let dots = i32x4_sub(dots, i32x4_splat(zero * sum));
            f32x4_mul(f32x4_convert_i32x4(dots), f32x4_mul(floats(scales), scale))
        };
        if HALVES {
            for half in 0..2 {
                let dots = folded(quants.map(|quants| D::half(quants[half], values[half])));
                sums = f32x4_add(sums, product(dots, x.halves[half], &w.scales[half]));
            }
        } else {
            let dots = folded(quants.map(|quants| D::whole(quants, values)));
            let mut product = product(dots, x.halves[0] + x.halves[1], &w.scales[0]);
            if OFFSET {
                let offset = f32x4_mul(floats(&w.offsets), f32x4_splat(x.sums[which]));
                product = f32x4_add(product, offset);
            }
            sums = f32x4_add(sums, product);
        }
    }
    *out = lanes(sums);
}

/// The sum of each vector's lanes in a lane of its own.
#[inline(always)]
fn folded([a, b, c, d]: [v128; ROWS]) -> v128 {
    let two = |a, b| i32x4_add(i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
    let (ab, cd) = (two(a, b), two(c, d));
    i32x4_add(i32x4_shuffle::<0, 1, 4, 5>(ab, cd), i32x4_shuffle::<2, 3, 6, 7>(ab, cd))
}

/// Columns 0..16 and 16..32.
#[inline(always)]
fn halves<T>(bytes: &[T; 32]) -> [v128; 2] {
    const { assert!(size_of::<T>() == 1) };
    // SAFETY: the reference covers the 32 bytes; Wasm loads need no alignment.
    unsafe { [v128_load(bytes.as_ptr().cast()), v128_load(bytes.as_ptr().add(16).cast())] }
}

#[inline(always)]
fn floats(values: &[f32; ROWS]) -> v128 {
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(values.as_ptr().cast()) }
}
