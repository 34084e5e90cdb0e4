//! Dot products of four rows of small quants, each block with scales of its own, with Q8_0 activations: what Q4_1,
//! Q5_0, Q5_1, Q4_K, Q5_K and Q6_K weights become, four rows at a time, when they are multiplied.

mod arranged;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod fours;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use arranged::{ArrangedBlock, arrange};

use crate::block::BLOCK;
use crate::variant::{Needs, Variant, pick};

/// Rows a call.
pub const ROWS: usize = 4;

/// The largest quant: pairs of products of bytes then fit into 16 bits twice over.
pub const LARGEST: u8 = 63;

const _: () = assert!(4 * LARGEST as i32 * 127 < 1 << 15);

/// How a value follows from its quant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The quant of value zero.
    pub zero: u8,
    /// Where scales are.
    pub scales: Scales,
}

/// Where a block has its scales, and whether values are moved by an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scales {
    /// `(q - zero) * scale` (Q5_0).
    Whole,
    /// `(q - zero) * scale`, each half of a block with its own (Q6_K).
    Halves,
    /// `(q - zero) * scale + offset` (Q4_K, Q5_K).
    Offset,
    /// The same, and the activations' sum is rounded to a half, as in GGML's Q8_1 (Q4_1, Q5_1).
    RoundedOffset,
}

/// 32 columns of four rows.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FourBlocks {
    /// 0..=[`LARGEST`].
    pub quants: [[u8; BLOCK]; ROWS],
    /// `[half][row]`; the second half counts for [`Scales::Halves`] alone.
    pub scales: [[f32; ROWS]; 2],
    /// `[row]`; counts for the offset forms alone.
    pub offsets: [f32; ROWS],
}

impl FourBlocks {
    /// All zeros.
    pub const EMPTY: FourBlocks =
        FourBlocks { quants: [[0; BLOCK]; ROWS], scales: [[0.0; ROWS]; 2], offsets: [0.0; ROWS] };
}

/// Blocks of both sides as many, quants within [`LARGEST`]: checked before.
pub type DotsGrouped = fn(out: &mut [f32; ROWS], weights: &[FourBlocks], form: Form, x: &[ArrangedBlock]);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<DotsGrouped>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Variant { name: "relaxed", needs: Needs::Relaxed, run: relaxed::dots_grouped },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::dots_grouped },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::dots_grouped },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "dotprod", needs: Needs::DotProd, run: neon::dot_product::dots_grouped },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::plain::dots_grouped },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::dots_grouped },
];

/// `out[r] = sum over blocks of Σ (q - zero) * y * (scale of the weights * scale of the activations) + offset * Σ y *
/// scale of the activations`.
///
/// **Shape**: `weights` `[blocks of four rows]`, `x` `[blocks]` of one row, made by [`arrange`].
///
/// **Order**: from zero, blocks ascending, for each block one f32 of the integer sum, times the product of the two
/// scales, plus the offset times the activations' own f32 sum. With [`Scales::Halves`] the two halves of a block are
/// added one after the other.
///
/// **Source**: the rounding of `ggml_vec_dot_q4_1_q8_1`, `q5_0_q8_0` and `q5_1_q8_1` of ggml. For the K types GGML
/// quantises activations in blocks of 256; here theirs are the same blocks of 32 as everywhere, which round less.
///
/// # Panics
/// When the two sides differ in length.
pub fn dots_grouped(out: &mut [f32; ROWS], weights: &[FourBlocks], form: Form, x: &[ArrangedBlock]) {
    assert!(weights.len() == x.len(), "{} blocks of weights, {} of activations", weights.len(), x.len());
    (pick(VARIANTS).run)(out, weights, form, x);
}
