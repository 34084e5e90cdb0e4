//! The definition: row by row the definition of the single dot.

use crate::block::{BlockQ4_0, BlockQ8_0};
use crate::dot_q4_0::scalar::dot_q4_0_q8_0;

pub fn dots_q4_0_q8_0(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    for (o, out) in out.iter_mut().enumerate() {
        *out = dot_q4_0_q8_0(&weights[o * x.len()..][..x.len()], x);
    }
}
