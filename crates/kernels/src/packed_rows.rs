//! Values of a packed matrix, for embedding tables that are also output matrices.

use crate::block::BLOCK;
use crate::packed::{Format, Packed};

impl Packed<'_> {
    /// Writes the values of one row: `(q - 8) * d` (q4_0) or `q * scale` (int8).
    ///
    /// # Panics
    /// When `row` is not below `rows`, or `out` not as long as a row.
    pub fn row(&self, row: usize, out: &mut [f32]) {
        assert!(row < self.rows() && out.len() == self.columns(), "row {row} of {}", self.rows());
        for (column, out) in out.iter_mut().enumerate() {
            let scale = match self.format() {
                Format::Q4_0 => self.scale(row, column / BLOCK),
                Format::Int8 => self.scale(row, 0),
            };
            *out = self.quant(row, column) as f32 * scale;
        }
    }
}
