//! int8 rows of a matrix that is packed as Q4_0.

use alloc::vec;

use crate::packed::{Format, Packed};
use crate::quantize_int8::VARIANTS;
use crate::variant::pick;

/// The int8 matrix that [`crate::int8_rows_from_q4_0`] defines, from a packed one.
///
/// # Panics
/// When `weights` is not in Q4_0.
pub fn int8_from_q4_0(weights: &Packed<'_>) -> Packed<'static> {
    assert!(weights.format() == Format::Q4_0, "a q4_0 matrix");
    let (rows, columns) = (weights.rows(), weights.columns());
    let (mut quants, mut scales) = (vec![0; rows * columns], vec![0.0; rows]);
    let mut values = vec![0.0; columns];
    let quantize = pick(VARIANTS).run;
    for (row, (quants, scale)) in quants.chunks_exact_mut(columns).zip(&mut scales).enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = weights.quant(row, column) as f32 * weights.scale(row, column / crate::block::BLOCK);
        }
        *scale = quantize(quants, &values);
    }
    Packed::pack_int8(rows, columns, &quants, &scales).expect("q4_0 columns suit int8")
}
