//! One dot product of Q4_0 and Q8_0 rows in GGML's own block order.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod fours;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed;
pub(crate) mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::block::{BlockQ4_0, BlockQ8_0};
use crate::variant::{Needs, Variant, pick};

/// Rows of the same length.
pub type DotQ4_0 = fn(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32;

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<DotQ4_0>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Variant { name: "relaxed", needs: Needs::Relaxed, run: relaxed::dot_q4_0_q8_0 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::dot_q4_0_q8_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512vnni", needs: Needs::Avx512Vnni, run: x86::avx512_vnni::dot_q4_0_q8_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avxvnni", needs: Needs::AvxVnni, run: x86::avx_vnni::dot_q4_0_q8_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::avx2::dot_q4_0_q8_0 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "dotprod", needs: Needs::DotProd, run: neon::dot_product::dot_q4_0_q8_0 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::plain::dot_q4_0_q8_0 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::dot_q4_0_q8_0 },
];

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
