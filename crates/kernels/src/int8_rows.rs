//! int8 rows of a matrix that is packed as Q4_0.

use alloc::vec;
use alloc::vec::Vec;

use crate::packed::{Format, Packed};
use crate::quantize_int8::round_to_i8;

/// The int8 matrix that [`crate::int8_rows_from_q4_0`] defines, from a packed one.
///
/// # Panics
/// When `weights` is not in Q4_0.
pub fn int8_from_q4_0(weights: &Packed<'_>) -> Packed<'static> {
    assert!(weights.format() == Format::Q4_0, "a q4_0 matrix");
    let (rows, columns) = (weights.rows(), weights.columns());
    let (mut quants, mut scales) = (vec![0; rows * columns], vec![0.0; rows]);
    let mut values = vec![0.0; columns];
    for (row, (quants, scale)) in quants.chunks_exact_mut(columns).zip(&mut scales).enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = weights.quant(row, column) as f32 * weights.scale(row, column / crate::block::BLOCK);
        }
        *scale = quantize_weights(quants, &values);
    }
    Packed::pack_int8(rows, columns, &quants, &scales).expect("q4_0 columns suit int8")
}

/// The int8 rows and scales of f32 rows of `columns` weights.
///
/// # Panics
/// When `columns` is zero or `weights` is not whole rows.
pub fn int8_rows(columns: usize, weights: &[f32]) -> (Vec<i8>, Vec<f32>) {
    assert!(
        columns > 0 && weights.len().is_multiple_of(columns),
        "{} are not rows of {columns}",
        weights.len()
    );
    let mut quants = vec![0; weights.len()];
    let rows = quants.chunks_exact_mut(columns).zip(weights.chunks_exact(columns));
    let scales = rows.map(|(quants, weights)| quantize_weights(quants, weights)).collect();
    (quants, scales)
}

/// One row: scale = max |w| / 127, quants w / scale rounded half away from zero. Returns the scale.
///
/// Activations are multiplied by the inverse instead; weights are quantised once and can afford the nearer quotient
/// (max |dlogit| against ONNX Runtime 1.756; with the inverse 1.802).
pub(crate) fn quantize_weights(quants: &mut [i8], weights: &[f32]) -> f32 {
    let scale =
        weights.iter().fold(0.0f32, |largest, w| if w.abs() > largest { w.abs() } else { largest }) / 127.0;
    for (quant, w) in quants.iter_mut().zip(weights) {
        *quant = round_to_i8(w / scale);
    }
    scale
}
