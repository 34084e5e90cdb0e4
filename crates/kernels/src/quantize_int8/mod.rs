//! Activations to int8 with one scale a row.

#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use crate::activations::{Activations, Scaling};
use crate::variant::{Needs, Variant, pick};

pub(crate) use scalar::round_to_i8;

/// Quantises one row and returns its scale: `quants.len() == x.len()`.
pub type QuantizeInt8 = fn(quants: &mut [i8], x: &[f32]) -> f32;

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<QuantizeInt8>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::quantize_int8 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::quantize_int8 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::quantize_int8 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::quantize_int8 },
];

/// Quantises `x`, rows of `columns` values, into `out`.
///
/// scale = max |x| / 127; the quants are x * (1 / scale) rounded half away from zero. NaN becomes 0 and does not
/// count in the maximum.
///
/// # Panics
/// When `columns` is zero or `x` is not whole rows.
///
/// ```
/// let mut out = lacuna_kernels::Activations::new();
/// lacuna_kernels::quantize_int8(&mut out, &[127.0, -2.5, f32::NAN], 3);
/// assert_eq!(out.quants(0), [127, -3, 0]);
/// assert_eq!(out.scales(0), [1.0]);
/// ```
pub fn quantize_int8(out: &mut Activations, x: &[f32], columns: usize) {
    assert!(
        columns > 0 && x.len().is_multiple_of(columns),
        "{} values are not whole rows of {columns}",
        x.len()
    );
    out.resize(Scaling::Int8, x.len() / columns, columns);
    let run = pick(VARIANTS).run;
    let rows = out.quants.chunks_exact_mut(columns).zip(&mut out.scales).zip(x.chunks_exact(columns));
    for ((quants, scale), x) in rows {
        *scale = run(quants, x);
    }
}
