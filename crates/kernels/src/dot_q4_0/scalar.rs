//! The definition.

use crate::block::{BlockQ4_0, BlockQ8_0};

pub fn dot_q4_0_q8_0(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
    dot_from(0.0, weights, x)
}

/// Goes on from `sum`: variants that take several blocks at a time end with it.
pub fn dot_from(mut sum: f32, weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
    for (w, x) in weights.iter().zip(x) {
        let mut dot = 0;
        for i in 0..16 {
            dot += (i32::from(w.qs[i] & 15) - 8) * i32::from(x.qs[i]);
            dot += (i32::from(w.qs[i] >> 4) - 8) * i32::from(x.qs[i + 16]);
        }
        sum += dot as f32 * (w.scale() * x.scale());
    }
    sum
}
