//! Row by row, the single dot's best variant: its loads, not the activations' share, bound it.

use crate::block::{BlockQ4_0, BlockQ8_0};

pub fn dots_q4_0_q8_0(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    for (o, out) in out.iter_mut().enumerate() {
        *out = crate::dot_q4_0_q8_0(&weights[o * x.len()..][..x.len()], x);
    }
}
