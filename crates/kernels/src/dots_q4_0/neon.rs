//! NEON: row by row, the single dot.

use crate::block::{BlockQ4_0, BlockQ8_0};
use crate::dot_q4_0::neon;

pub fn dots_q4_0_q8_0_dot_product(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    for (o, out) in out.iter_mut().enumerate() {
        *out = neon::dot_product::dot_q4_0_q8_0(&weights[o * x.len()..][..x.len()], x);
    }
}

pub fn dots_q4_0_q8_0(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    for (o, out) in out.iter_mut().enumerate() {
        *out = neon::plain::dot_q4_0_q8_0(&weights[o * x.len()..][..x.len()], x);
    }
}
