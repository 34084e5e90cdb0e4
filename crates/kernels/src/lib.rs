//! Exact arithmetic on slices: quantised products, attention, GELU, norms.
//!
//! # How a kernel is laid out
//!
//! A kernel is a folder named after what it does (`matmul_q4_0`):
//!
//! - `mod.rs`: the contract, the public function (`matmul_q4_0`), the function type its variants share
//!   ([`variant::Variant`] rows of one `pub static VARIANTS` list) and the checks of shapes, done once, before
//!   dispatch.
//! - `scalar.rs`: the definition. It is the specification to the bit: order of additions, rounding, ±0.
//! - `simd128.rs`, `relaxed.rs`, `x86.rs`, `neon.rs`: variants with the same function names.
//! - `tests.rs`: an f64 oracle bounds the definition, every variant equals it bit for bit, a digest pins it.
//!
//! `VARIANTS` is ordered best first and ends with the definition. A row is there when its code is compiled for the
//! target (`cfg(target_arch)`), and runs when [`variant::Needs::met`] says so: at run time on native CPUs, at build
//! time in Wasm. [`variant::pick`] returns the row dispatch uses; [`variant::runnable`] iterates all rows that this
//! machine can run, for tests, proofs and benches. [`variant::restrict`] narrows dispatch for a whole process, so
//! that a model can be run on the definitions alone.
//!
//! # Numbers
//!
//! The four operations and `sqrt` are IEEE, never fused; everything else is the pinned `libm`. All NaNs are one
//! value. EXACTNESS.md has the table.
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod activations;
pub mod attention;
pub mod block;
pub mod causal_attention;
pub mod dot_f32;
pub mod dot_q4_0;
pub mod dots_grouped;
pub mod dots_q4_0;
pub mod embedding;
pub mod exp;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod exp_lanes;
pub mod f16;
pub mod gate;
pub mod gelu;
mod int8_rows;
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod lanes;
pub mod layer_norm;
pub mod matmul_int8;
pub mod matmul_q4_0;
pub mod matmul_q8_0;
pub mod matvec_q4_0;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(test)]
mod one_input;
pub mod packed;
mod packed_rows;
pub mod panels;
pub mod quantize_int8;
pub mod quantize_q8_0;
#[cfg(test)]
mod random;
pub mod residual;
pub mod rms_norm;
pub mod rope;
pub mod variant;

pub use activations::Activations;
pub use attention::attention;
pub use block::{BlockQ4_0, BlockQ8_0};
pub use causal_attention::causal_attention;
pub use dot_f32::dot_f32;
pub use dot_q4_0::dot_q4_0_q8_0;
pub use dots_grouped::dots_grouped;
pub use dots_q4_0::dots_q4_0_q8_0;
pub use exp::exp;
pub use gate::{geglu, swiglu};
pub use gelu::gelu;
pub use int8_rows::{int8_from_q4_0, int8_rows};
pub use layer_norm::layer_norm;
pub use matmul_int8::matmul_int8;
pub use matmul_q4_0::matmul_q4_0;
pub use matmul_q8_0::{PanelsQ8_0, matmul_q8_0};
pub use matvec_q4_0::matvec_q4_0;
pub use packed::{Format, LAYOUT, Layout, Packed, int8_rows_from_q4_0};
pub use panels::PanelsError;
pub use quantize_int8::quantize_int8;
pub use quantize_q8_0::quantize_q8_0;
pub use residual::residual;
pub use rms_norm::{rms_norm, rms_norm_in_place};
