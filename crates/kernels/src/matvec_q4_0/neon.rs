//! NEON: the product's tile of one row, which reads the weights from the first byte to the last.

use crate::activations::Activations;
use crate::matmul_q4_0::neon;
use crate::packed::Packed;

pub fn matvec_q4_0_dot_product(out: &mut [f32], weights: &Packed<'_>, x: &Activations) {
    neon::dot_product::matmul_q4_0(out, weights, x, None);
}

pub fn matvec_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations) {
    neon::plain::matmul_q4_0(out, weights, x, None);
}
