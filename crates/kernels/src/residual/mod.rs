//! Addition of one activation to another.

mod scalar;
#[cfg(test)]
mod tests;

use crate::variant::{Needs, Variant, pick};

/// Adds `y` to `x`, both of one length.
pub type Residual = fn(x: &mut [f32], y: &[f32]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<Residual>] =
    &[Variant { name: "scalar", needs: Needs::Nothing, run: scalar::residual }];

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
