//! The dot product of two rows of floats.

mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
pub(crate) use scalar::fold;
#[cfg(test)]
mod tests;

use crate::variant::{Needs, Variant, pick};

/// Rows of the same length.
pub type DotF32 = fn(a: &[f32], b: &[f32]) -> f32;

/// Interleaved partial sums.
pub const LANES: usize = 32;

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<DotF32>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: avx2 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::dot_f32 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::dot_f32 },
];

/// `Σ a[i] * b[i]`.
///
/// **Order**: 32 partial sums from zero, sum `i mod 32` ascending in `i`; then sums 16 apart are added, then 8 and 4
/// apart, then 0 and 1, 2 and 3, and these two.
///
/// **Source**: `ggml_vec_dot_f32` of ggml, compiled for SSE3, has this order for multiples of 32.
///
/// # Panics
/// When the rows differ in length.
///
/// ```
/// assert_eq!(lacuna_kernels::dot_f32(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
#[inline]
pub fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    assert!(a.len() == b.len(), "rows of {} and {}", a.len(), b.len());
    (pick(VARIANTS).run)(a, b)
}

/// The definition, compiled for AVX2: nothing in it can be contracted or reordered.
#[cfg(target_arch = "x86_64")]
fn avx2(a: &[f32], b: &[f32]) -> f32 {
    #[target_feature(enable = "avx2")]
    fn compiled(a: &[f32], b: &[f32]) -> f32 {
        scalar::dot_f32(a, b)
    }
    // SAFETY: the row of `VARIANTS` needs AVX2, so dispatch has seen it.
    unsafe { compiled(a, b) }
}
