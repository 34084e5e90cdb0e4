//! The exponential function.

pub(crate) mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(crate) mod vectors;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::variant::{Needs, Variant, pick};

/// Replaces each value.
pub type Exp = fn(x: &mut [f32]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<Exp>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::exp },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::exp },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::exp },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::exp },
];

/// Replaces each `x` by libm's `expf(x)`, to the bit.
///
/// ```
/// let mut x = [0.0, 1.0, f32::NEG_INFINITY];
/// lacuna_kernels::exp(&mut x);
/// assert_eq!(x, [1.0, core::f32::consts::E, 0.0]);
/// ```
pub fn exp(x: &mut [f32]) {
    (pick(VARIANTS).run)(x);
}
