//! The definition.

pub fn quantize_int8(quants: &mut [i8], x: &[f32]) -> f32 {
    let mut largest = 0.0f32;
    for value in x {
        // `>` skips NaN.
        if value.abs() > largest {
            largest = value.abs();
        }
    }
    let scale = largest / 127.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    for (quant, value) in quants.iter_mut().zip(x) {
        *quant = round_to_i8(value * inverse);
    }
    scale
}

/// Half away from zero, clamped to -127..=127, NaN to zero.
///
/// The clamp matters for a subnormal scale, whose inverse is infinite.
pub(crate) fn round_to_i8(value: f32) -> i8 {
    let rounded = libm::roundf(value);
    if rounded > 127.0 {
        127
    } else if rounded < -127.0 {
        -127
    } else {
        // NaN becomes 0.
        rounded as i8
    }
}
