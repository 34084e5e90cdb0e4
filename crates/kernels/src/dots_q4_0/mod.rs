//! Dot products of several Q4_0 rows with one Q8_0 row, in GGML's own block order.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod fours;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::block::{BlockQ4_0, BlockQ8_0};
use crate::variant::{Needs, Variant, pick};

/// `weights.len() == out.len() * x.len()`, checked before.
pub type DotsQ4_0 = fn(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<DotsQ4_0>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Variant { name: "relaxed", needs: Needs::Relaxed, run: relaxed::dots_q4_0_q8_0 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::dots_q4_0_q8_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::dots_q4_0_q8_0 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "dotprod", needs: Needs::DotProd, run: neon::dots_q4_0_q8_0_dot_product },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::dots_q4_0_q8_0 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::dots_q4_0_q8_0 },
];

/// `out[o]` is [`crate::dot_q4_0_q8_0`] of row `o` of `weights` and `x`, to the bit.
///
/// # Panics
/// When `weights` is not `out.len()` rows as long as `x`.
pub fn dots_q4_0_q8_0(out: &mut [f32], weights: &[BlockQ4_0], x: &[BlockQ8_0]) {
    assert!(
        weights.len() == out.len() * x.len(),
        "{} blocks are not {} rows of {}",
        weights.len(),
        out.len(),
        x.len()
    );
    (pick(VARIANTS).run)(out, weights, x);
}
