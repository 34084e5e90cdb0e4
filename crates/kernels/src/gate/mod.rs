//! The gates of a decoder's feed-forward layer.

mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::variant::{Needs, Variant, pick};

/// Both of one length.
pub type Swiglu = fn(gate: &mut [f32], up: &[f32]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<Swiglu>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::swiglu },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::swiglu },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::swiglu },
];

/// `gate[i] = silu(gate[i]) * up[i]`, with `silu(x) = x / (1 + exp(-x))`.
///
/// **Source**: `ggml_vec_swiglu_f32` of ggml.
///
/// # Panics
/// When the lengths differ.
///
/// ```
/// let mut gate = [0.0, 20.0];
/// lacuna_kernels::swiglu(&mut gate, &[3.0, 0.5]);
/// assert_eq!(gate, [0.0, 10.0]);
/// ```
pub fn swiglu(gate: &mut [f32], up: &[f32]) {
    assert!(gate.len() == up.len(), "{} gates for {} values", gate.len(), up.len());
    (pick(VARIANTS).run)(gate, up);
}

/// `gate[i] = gelu(gate[i]) * up[i]`, with the tanh form of GELU:
/// `gelu(x) = 0.5 * x * (1 + tanh(sqrt(2 / π) * x * (1 + 0.044715 * x * x)))`.
///
/// **Source**: `ggml_gelu_f32` of ggml (which rounds it through a table of halves).
///
/// # Panics
/// When the lengths differ.
pub fn geglu(gate: &mut [f32], up: &[f32]) {
    const SQRT_2_OVER_PI: f32 = 0.797_884_6;
    assert!(gate.len() == up.len(), "{} gates for {} values", gate.len(), up.len());
    for (gate, up) in gate.iter_mut().zip(up) {
        let x = *gate;
        let t = libm::tanhf(SQRT_2_OVER_PI * x * (1.0 + 0.044715 * x * x));
        *gate = 0.5 * x * (1.0 + t) * up;
    }
}
