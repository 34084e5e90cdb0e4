//! One dot product of Q4_0 and Q8_0 rows in GGML's own block order.

mod scalar;
#[cfg(test)]
mod tests;

use crate::block::{BlockQ4_0, BlockQ8_0};
use crate::variant::{Needs, Variant, pick};

/// Rows of the same length.
pub type DotQ4_0 = fn(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32;

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<DotQ4_0>] =
    &[Variant { name: "scalar", needs: Needs::Nothing, run: scalar::dot_q4_0_q8_0 }];

/// The dot product of a row of weights and a row of activations.
///
/// **Order**: as [`crate::matmul_q4_0`]: from zero, blocks ascending, `dot * (weight scale * activation scale)`.
///
/// # Panics
/// When the rows differ in length.
pub fn dot_q4_0_q8_0(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
    assert!(weights.len() == x.len(), "{} blocks of weights, {} of activations", weights.len(), x.len());
    (pick(VARIANTS).run)(weights, x)
}
