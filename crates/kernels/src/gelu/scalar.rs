//! The definition.

use core::f32::consts::FRAC_1_SQRT_2;

pub fn gelu(x: &mut [f32]) {
    for x in x {
        *x = gelu_one(*x);
    }
}

/// GELU of one value.
pub fn gelu_one(x: f32) -> f32 {
    (0.5 * x) * (1.0 + libm::erff(x * FRAC_1_SQRT_2))
}
