//! The Gaussian error linear unit.

#[cfg(target_arch = "x86_64")]
mod lanes;
mod scalar;
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
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::gelu },
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
