//! Layer normalisation.

#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::variant::{Needs, Variant, pick};

/// Normalises rows of `weight.len()` values in place, after adding `residual` where there is one.
pub type LayerNorm = fn(x: &mut [f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<LayerNorm>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512", needs: Needs::Avx512Vnni, run: x86::layer_norm_avx512 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::layer_norm_avx2 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::layer_norm },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::layer_norm },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::layer_norm },
];

/// Partial sums a reduction keeps: the lanes of the widest vector, so that every width adds in the same order.
pub(crate) const PARTIALS: usize = 16;

/// Replaces each row `x` by `((x - mean) * (1 / sqrt(variance + epsilon))) * weight + bias`.
///
/// **Shape**: `x` and `residual` `[rows, columns]`, `weight` and `bias` `[columns]`.
///
/// **Order**: the residual is added first, `x + residual`. A sum over a row keeps 16 partial sums: element `i` goes
/// to partial `i % 16`, ascending from zero; then partials `i` and `i + 8` are added, `i` and `i + 4`, `i` and
/// `i + 2`, and the last two. mean = sum / columns, variance = sum of (x - mean)² / columns.
///
/// **Source**: Ba, Kiros and Hinton, "Layer Normalization" (2016).
///
/// # Panics
/// When a shape does not fit.
pub fn layer_norm(x: &mut [f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32) {
    check(x, residual, weight, bias);
    (pick(VARIANTS).run)(x, residual, weight, bias, epsilon);
}

/// What every variant may rely on.
pub fn check(x: &[f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32]) {
    let columns = weight.len();
    assert!(columns > 0 && bias.len() == columns, "{columns} weights, {} biases", bias.len());
    assert!(x.len().is_multiple_of(columns), "{} values are not rows of {columns}", x.len());
    assert!(residual.is_none_or(|residual| residual.len() == x.len()), "the residual has the shape of x");
}
