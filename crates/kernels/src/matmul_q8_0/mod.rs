//! Q8_0 weights times Q8_0 activations.

mod panels;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use panels::PanelsQ8_0;

use crate::activations::{Activations, Scaling};
use crate::variant::{Needs, Variant, pick};

/// Writes `out.len() / weights.rows()` rows of `out`; shapes are checked before.
pub type MatmulQ8_0 = fn(out: &mut [f32], weights: &PanelsQ8_0<'_>, x: &Activations);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<MatmulQ8_0>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::matmul_q8_0 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::matmul_q8_0 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::matmul_q8_0 },
];

/// `out[t, o] = sum over blocks of (Σ q * y) * (scale of the weights * scale of the activations)`.
///
/// **Shape**: `weights` `[outputs, columns]`, `x` `[rows, columns]`, `out` `[any number of rows up to x's, outputs]`:
/// the first rows of `x` are multiplied.
///
/// **Order**: from zero, blocks ascending, each integer sum converted to f32 and multiplied by the product of the two
/// scales.
///
/// **Source**: `ggml_vec_dot_q8_0_q8_0` of ggml.
///
/// # Panics
/// When shapes do not fit.
///
/// ```
/// use lacuna_kernels::{Activations, matmul_q8_0, matmul_q8_0::PanelsQ8_0, quantize_q8_0};
/// let mut block = vec![0x00, 0x3c]; // A scale of 1, then the weights 1, 2, 3, 0, …
/// block.extend([1, 2, 3]);
/// block.resize(34, 0);
/// let weights = PanelsQ8_0::pack(1, 32, &block).unwrap();
/// let (mut x, mut values) = (Activations::new(), [0.0; 32]);
/// (values[0], values[2]) = (127.0, 1.0);
/// quantize_q8_0(&mut x, &values, 32);
/// let mut out = [0.0];
/// matmul_q8_0(&mut out, &weights, &x);
/// assert_eq!(out, [130.0]);
/// ```
pub fn matmul_q8_0(out: &mut [f32], weights: &PanelsQ8_0<'_>, x: &Activations) {
    check(out, weights, x);
    (pick(VARIANTS).run)(out, weights, x);
}

/// What every variant may rely on.
pub fn check(out: &[f32], weights: &PanelsQ8_0<'_>, x: &Activations) {
    let (outputs, columns) = (weights.rows(), weights.columns());
    assert!(x.scaling() == Scaling::Q8_0, "a q8_0 x q8_0 product");
    assert!(x.columns() == columns, "weights have {columns} columns, activations {}", x.columns());
    assert!(
        outputs > 0 && out.len().is_multiple_of(outputs),
        "{} values are not rows of {outputs}",
        out.len()
    );
    assert!(out.len() / outputs <= x.rows(), "{} rows wanted of {}", out.len() / outputs, x.rows());
}
