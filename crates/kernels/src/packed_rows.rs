//! Values of a packed matrix, for embedding tables that are also output matrices.

use crate::block::BLOCK;
use crate::packed::{Format, PANEL, Packed};

impl Packed<'_> {
    /// Rows `first..` up to `rows` of them, read in place: what one thread multiplies. `first` is a multiple of 48,
    /// which is whole panels in every layout.
    ///
    /// # Panics
    /// When `first` is not, or the rows are not there.
    pub fn part(&self, first: usize, rows: usize) -> Packed<'_> {
        const { assert!(48 % PANEL == 0) };
        assert!(first.is_multiple_of(48), "row {first} is no multiple of 48");
        assert!(first + rows <= self.rows(), "rows {first} + {rows} of {}", self.rows());
        let panel_bytes = self.as_bytes().len() / self.rows().div_ceil(PANEL).max(1);
        let bytes = &self.as_bytes()[first / PANEL * panel_bytes..][..rows.div_ceil(PANEL) * panel_bytes];
        Packed::from_bytes(self.format(), rows, self.columns(), bytes).expect("whole panels of a matrix")
    }

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
