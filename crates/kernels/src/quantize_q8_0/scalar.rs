//! The definition.

use crate::block::BLOCK;
use crate::f16;
use crate::quantize_int8::round_to_i8;

pub fn quantize_q8_0(quants: &mut [i8], scales: &mut [f32], offsets: &mut [i32], x: &[f32]) {
    let (quants, _) = quants.as_chunks_mut::<BLOCK>();
    let (x, _) = x.as_chunks::<BLOCK>();
    for (((quants, scale), offset), x) in quants.iter_mut().zip(scales).zip(offsets).zip(x) {
        let mut largest = 0.0f32;
        for value in x {
            // `>` skips NaN.
            if value.abs() > largest {
                largest = value.abs();
            }
        }
        let d = largest / 127.0;
        let inverse = if d != 0.0 { 1.0 / d } else { 0.0 };
        *scale = f16::decode(f16::encode(d));
        let mut sum = 0;
        for (quant, value) in quants.iter_mut().zip(x) {
            *quant = round_to_i8(value * inverse);
            sum += i32::from(*quant);
        }
        *offset = -8 * sum;
    }
}
