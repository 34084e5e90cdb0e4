//! Q4_0 weights times one row of Q8_0 activations: what a decoder does for each token.
//!
//! The weights are read once, from the first byte to the last: memory, not arithmetic, is what a token waits for.
//! The product of many rows (`matmul_q4_0`) goes over parts of each panel several times instead, so that activations
//! stay in the first cache.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod panels;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::activations::Activations;
use crate::packed::Packed;
use crate::variant::{Needs, Variant, pick};

/// `out.len() == weights.rows()`, and shapes fit: checked before.
pub type MatvecQ4_0 = fn(out: &mut [f32], weights: &Packed<'_>, x: &Activations);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<MatvecQ4_0>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Variant { name: "relaxed", needs: Needs::Relaxed, run: relaxed::matvec_q4_0 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::matvec_q4_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512vnni", needs: Needs::Avx512Vnni, run: x86::avx512_vnni::matvec_q4_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avxvnni", needs: Needs::AvxVnni, run: x86::avx_vnni::matvec_q4_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::avx2::matvec_q4_0 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "dotprod", needs: Needs::DotProd, run: neon::matvec_q4_0_dot_product },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::matvec_q4_0 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::matvec_q4_0 },
];

/// [`crate::matmul_q4_0`] of the first row of `x`, without a bias, to the bit.
///
/// # Panics
/// When shapes or formats do not fit, or `out` is not one row.
pub fn matvec_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations) {
    assert!(out.len() == weights.rows(), "{} values for {} outputs", out.len(), weights.rows());
    crate::matmul_q4_0::check(out, weights, x, None);
    (pick(VARIANTS).run)(out, weights, x);
}
