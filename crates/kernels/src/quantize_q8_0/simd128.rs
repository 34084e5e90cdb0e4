//! SIMD128: a block is eight vectors.

use core::arch::wasm32::*;

use super::scalar;
use crate::block::BLOCK;
use crate::quantize_int8::simd128::{largest, load, round, widest};
use crate::{f16, quantize_int8};

pub fn quantize_q8_0(quants: &mut [i8], scales: &mut [f32], offsets: &mut [i32], x: &[f32]) {
    let (quants, _) = quants.as_chunks_mut::<BLOCK>();
    let (x, _) = x.as_chunks::<BLOCK>();
    for (((quants, scale), offset), x) in quants.iter_mut().zip(scales).zip(offsets).zip(x) {
        let values = x;
        let x: [v128; 8] = core::array::from_fn(|i| load(x[4 * i..].first_chunk().expect("a whole block")));
        let max = widest(x.into_iter().fold(f32x4_splat(0.0), largest));
        if max.is_nan() {
            quantize_nan(quants, scale, offset, values);
            continue;
        }
        let d = max / 127.0;
        let inverse = f32x4_splat(if d != 0.0 { 1.0 / d } else { 0.0 });
        *scale = f16::decode(f16::encode(d));
        let rounded: [v128; 4] = core::array::from_fn(|i| {
            i16x8_narrow_i32x4(round(x[2 * i], inverse), round(x[2 * i + 1], inverse))
        });
        // Values are clamped to 8 bits first: beyond -127..=127 they come from an infinite inverse alone.
        let clamped = rounded.map(|r| i16x8_max(i16x8_min(r, i16x8_splat(127)), i16x8_splat(-127)));
        let sums = i16x8_add(i16x8_add(clamped[0], clamped[1]), i16x8_add(clamped[2], clamped[3]));
        let sums = i32x4_extadd_pairwise_i16x8(sums);
        *offset = -8
            * (i32x4_extract_lane::<0>(sums)
                + i32x4_extract_lane::<1>(sums)
                + i32x4_extract_lane::<2>(sums)
                + i32x4_extract_lane::<3>(sums));
        let (halves, _) = quants.as_chunks_mut::<16>();
        quantize_int8::simd128::store(&mut halves[0], i8x16_narrow_i16x8(clamped[0], clamped[1]));
        quantize_int8::simd128::store(&mut halves[1], i8x16_narrow_i16x8(clamped[2], clamped[3]));
    }
}

/// A block that holds a NaN.
#[cold]
fn quantize_nan(quants: &mut [i8; BLOCK], scale: &mut f32, offset: &mut i32, x: &[f32; BLOCK]) {
    scalar::quantize_q8_0(quants, core::slice::from_mut(scale), core::slice::from_mut(offset), x);
}
