//! The exponential function.

pub(crate) mod lanes;
mod scalar;
#[cfg(test)]
mod tests;

use crate::variant::{Needs, Variant, pick};

/// Replaces each value.
pub type Exp = fn(x: &mut [f32]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<Exp>] = &[Variant { name: "scalar", needs: Needs::Nothing, run: scalar::exp }];

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
