//! Q4_0 weights times Q8_0 activations.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod groups;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::activations::{Activations, Scaling};
use crate::packed::{Format, Packed};
use crate::variant::{Needs, Variant, pick};

/// Writes `out.len() / weights.rows()` rows of `out`; shapes are checked before.
pub type MatmulQ4_0 = fn(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<MatmulQ4_0>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Variant { name: "relaxed", needs: Needs::Relaxed, run: relaxed::matmul_q4_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512vnni", needs: Needs::Avx512Vnni, run: avx512::matmul_q4_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avxvnni", needs: Needs::AvxVnni, run: x86::avx_vnni::matmul_q4_0 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::avx2::matmul_q4_0 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::matmul_q4_0 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "dotprod", needs: Needs::DotProd, run: neon::dot_product::matmul_q4_0 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::plain::matmul_q4_0 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::matmul_q4_0 },
];

/// `out[t, o] = sum over blocks of (Σ (q - 8) * y) * (scale of the weights * scale of the activations), + bias[o]`.
///
/// **Shape**: `weights` `[outputs, columns]`, `x` `[rows, columns]`, `out` `[any number of rows up to x's, outputs]`:
/// the first rows of `x` are multiplied.
///
/// **Order**: from zero, blocks ascending, each integer sum converted to f32 and multiplied by the product of the two
/// scales, the bias added last.
///
/// # Panics
/// When shapes or formats do not fit.
pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    check(out, weights, x, bias);
    (pick(VARIANTS).run)(out, weights, x, bias);
}

/// What every variant may rely on.
pub fn check(out: &[f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    let (outputs, columns) = (weights.rows(), weights.columns());
    assert!(weights.format() == Format::Q4_0 && x.scaling() == Scaling::Q8_0, "a q4_0 x q8_0 product");
    assert!(x.columns() == columns, "weights have {columns} columns, activations {}", x.columns());
    assert!(
        outputs > 0 && out.len().is_multiple_of(outputs),
        "{} values are not rows of {outputs}",
        out.len()
    );
    assert!(out.len() / outputs <= x.rows(), "{} rows wanted of {}", out.len() / outputs, x.rows());
    assert!(bias.is_none_or(|bias| bias.len() == outputs), "one bias an output");
}
