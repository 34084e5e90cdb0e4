//! The Gaussian error linear unit.

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

/// Replaces each value.
pub type Gelu = fn(x: &mut [f32]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<Gelu>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512", needs: Needs::Avx512Vnni, run: x86::gelu_avx512 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::gelu_avx2 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::gelu },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::gelu },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::gelu },
];

pub use scalar::gelu_one;

/// Replaces each `x` by `(0.5 * x) * (1 + erf(x * (1 / sqrt 2)))`, with libm's `erff`.
///
/// **Source**: Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016), the exact form.
///
/// ```
/// let mut x = [0.0, 1.0, -10.0];
/// lacuna_kernels::gelu(&mut x);
/// assert_eq!(x, [0.0, 0.84134474, -0.0]);
/// ```
pub fn gelu(x: &mut [f32]) {
    (pick(VARIANTS).run)(x);
}
