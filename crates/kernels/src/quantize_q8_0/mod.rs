//! Activations to GGML's Q8_0.

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::activations::{Activations, Scaling};
use crate::block::BLOCK;
use crate::variant::{Needs, Variant, pick};

/// Quantises whole blocks: `quants.len() == x.len() == 32 * scales.len() == 32 * offsets.len()`.
pub type QuantizeQ8_0 = fn(quants: &mut [i8], scales: &mut [f32], offsets: &mut [i32], x: &[f32]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<QuantizeQ8_0>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::quantize_q8_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::quantize_q8_0 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::quantize_q8_0 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::quantize_q8_0 },
];

/// Quantises `x`, rows of `columns` values, into `out`, a block of 32 at a time.
///
/// d = max |x| / 127 is stored as the nearest f16; the quants are x * (1 / d), d still in f32, rounded half away from
/// zero. NaN becomes 0 and does not count in the maximum.
///
/// **Source**: `quantize_row_q8_0_ref` of ggml.
///
/// # Panics
/// When `columns` is not a multiple of 32 or `x` is not whole rows.
///
/// ```
/// let mut out = lacuna_kernels::Activations::new();
/// let mut x = [0.0; 32];
/// (x[0], x[1]) = (127.0, 2.5);
/// lacuna_kernels::quantize_q8_0(&mut out, &x, 32);
/// assert_eq!(out.quants(0)[..3], [127, 3, 0]);
/// assert_eq!(out.scales(0), [1.0]);
/// ```
pub fn quantize_q8_0(out: &mut Activations, x: &[f32], columns: usize) {
    assert!(
        columns > 0 && columns.is_multiple_of(BLOCK),
        "q8_0 rows are whole blocks of 32, got {columns} columns"
    );
    assert!(x.len().is_multiple_of(columns), "{} values are not whole rows of {columns}", x.len());
    out.resize(Scaling::Q8_0, x.len() / columns, columns);
    (pick(VARIANTS).run)(&mut out.quants, &mut out.scales, &mut out.offsets, x);
}
