//! int8 rows times int8 activations.

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
use crate::packed::{Format, Packed};
use crate::variant::{Needs, Variant, pick};

/// Writes `out.len() / weights.rows()` rows of `out`; shapes are checked before.
pub type MatmulInt8 = fn(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<MatmulInt8>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::matmul_int8 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512vnni", needs: Needs::Avx512Vnni, run: x86::avx512_vnni::matmul_int8 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avxvnni", needs: Needs::AvxVnni, run: x86::avx_vnni::matmul_int8 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::avx2::matmul_int8 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "dotprod", needs: Needs::DotProd, run: neon::dot_product::matmul_int8 },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::plain::matmul_int8 },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::matmul_int8 },
];

/// `out[t, o] = (Σ w * y) * scale of row t * scale of output o, + bias[o]`.
///
/// **Shape**: `weights` `[outputs, columns]`, `x` `[rows, columns]`, `out` `[any number of rows up to x's, outputs]`:
/// the first rows of `x` are multiplied.
///
/// **Order**: the sum is an exact i32; it is converted to f32, multiplied by the activations' scale, then by the
/// output's, and the bias is added last.
///
/// # Panics
/// When shapes or formats do not fit.
pub fn matmul_int8(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    check(out, weights, x, bias);
    (pick(VARIANTS).run)(out, weights, x, bias);
}

/// What every variant may rely on.
pub fn check(out: &[f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    let (outputs, columns) = (weights.rows(), weights.columns());
    assert!(weights.format() == Format::Int8 && x.scaling() == Scaling::Int8, "an int8 product");
    assert!(x.columns() == columns, "weights have {columns} columns, activations {}", x.columns());
    assert!(
        outputs > 0 && out.len().is_multiple_of(outputs),
        "{} values are not rows of {outputs}",
        out.len()
    );
    assert!(out.len() / outputs <= x.rows(), "{} rows wanted of {}", out.len() / outputs, x.rows());
    assert!(bias.is_none_or(|bias| bias.len() == outputs), "one bias an output");
}
