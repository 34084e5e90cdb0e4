//! Addition of one activation to another.

#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(crate) mod lanes;
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

/// Adds `y` to `x`, both of one length.
pub type Residual = fn(x: &mut [f32], y: &[f32]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<Residual>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512", needs: Needs::Avx512Vnni, run: x86::residual_avx512 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::residual_avx2 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::residual },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::residual },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::residual },
];

/// `x[i] += y[i]`.
///
/// # Panics
/// When the lengths differ.
///
/// ```
/// let mut x = [1.0, 2.0];
/// lacuna_kernels::residual(&mut x, &[0.5, -2.0]);
/// assert_eq!(x, [1.5, 0.0]);
/// ```
pub fn residual(x: &mut [f32], y: &[f32]) {
    assert!(x.len() == y.len(), "{} values, {} to add", x.len(), y.len());
    (pick(VARIANTS).run)(x, y);
}
