//! Activations as these products read them.

use alloc::vec::Vec;

use super::Scales;
use crate::activations::{Activations, Scaling};
use crate::block::BLOCK;
use crate::f16;

/// 32 quantised activations and their sums.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ArrangedBlock {
    /// -127..=127.
    pub quants: [i8; BLOCK],
    /// The scale of the quants.
    pub scale: f32,
    /// What an offset is multiplied by: the sum of the quants times the scale, and the same as Q8_1 rounds it.
    pub sums: [f32; 2],
    /// The sums of the quants of each half.
    pub halves: [i32; 2],
}

impl ArrangedBlock {
    /// A block of zeros.
    pub const EMPTY: ArrangedBlock =
        ArrangedBlock { quants: [0; BLOCK], scale: 0.0, sums: [0.0; 2], halves: [0; 2] };
}

/// Which of [`ArrangedBlock::sums`] a form takes.
#[inline(always)]
pub(super) fn sum_of(scales: Scales) -> usize {
    usize::from(scales == Scales::RoundedOffset)
}

/// Arranges all rows of `x`, which are `values` quantised: `[rows, columns / 32]`.
///
/// Q8_1 multiplies a block's sum by the scale before it is rounded to a half, and rounds the product to a half; where
/// that is infinite, the f32 sum stands.
///
/// # Panics
/// When `x` is not Q8_0 of as many values.
pub fn arrange(out: &mut Vec<ArrangedBlock>, x: &Activations, values: &[f32]) {
    assert!(x.scaling == Scaling::Q8_0 && values.len() == x.quants.len(), "Q8_0 of {} values", values.len());
    out.resize(x.scales.len(), ArrangedBlock::EMPTY);
    let (quants, values) = (x.quants.as_chunks::<BLOCK>().0, values.as_chunks::<BLOCK>().0);
    for (((out, quants), scale), values) in out.iter_mut().zip(quants).zip(&x.scales).zip(values) {
        let (low, high) = quants.split_at(BLOCK / 2);
        let halves = [low, high].map(|half| half.iter().map(|quant| i32::from(*quant)).sum());
        let sum = (halves[0] + halves[1]) as f32;
        // As the quantiser finds it; `>` skips NaN.
        let largest = values.iter().fold(0.0f32, |a, b| if b.abs() > a { b.abs() } else { a });
        let rounded = f16::decode(f16::encode(sum * (largest / 127.0)));
        let exact = sum * scale;
        let rounded = if rounded.is_finite() { rounded } else { exact };
        *out = ArrangedBlock { quants: *quants, scale: *scale, sums: [exact, rounded], halves };
    }
}
