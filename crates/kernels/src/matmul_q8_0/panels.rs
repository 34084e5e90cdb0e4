//! Q8_0 matrices in the order the product reads them.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use crate::block::{BLOCK, BlockQ8_0};
use crate::f16;
use crate::panels::PanelsError;

/// Outputs a panel.
pub(crate) const PANEL: usize = 16;

/// Bytes of 32 columns of a panel: scales, then quants.
pub(crate) const BLOCK_BYTES: usize = PANEL * (4 + BLOCK);

/// A Q8_0 matrix `[rows, columns]`: panels of 16 outputs; `[panel][block of 32 columns]` of 16 f32 scales, then
/// `[16 pairs of columns][16 outputs][2 bytes]`. Rows past the last are zero weights with zero scales.
#[derive(Clone, Debug)]
pub struct PanelsQ8_0<'a> {
    rows: usize,
    columns: usize,
    bytes: Cow<'a, [u8]>,
}

impl<'a> PanelsQ8_0<'a> {
    /// Packs rows of GGML's Q8_0 blocks.
    ///
    /// # Errors
    /// When `columns` is not a multiple of 32 or `blocks` is not `rows * columns / 32 * 34` bytes.
    pub fn pack(rows: usize, columns: usize, blocks: &[u8]) -> Result<PanelsQ8_0<'static>, PanelsError> {
        PanelsError::check(rows, columns, BlockQ8_0::BYTES, blocks.len())?;
        let per_row = columns / BLOCK;
        let mut bytes = vec![0; Self::packed_bytes(rows, columns)];
        let (blocks, _) = blocks.as_chunks::<{ BlockQ8_0::BYTES }>();
        for (row, blocks) in blocks.chunks_exact(per_row).enumerate() {
            let (panel, lane) = (row / PANEL, row % PANEL);
            for (index, block) in blocks.iter().enumerate() {
                let out = &mut bytes[(panel * per_row + index) * BLOCK_BYTES..][..BLOCK_BYTES];
                let scale = f16::decode(u16::from_le_bytes([block[0], block[1]]));
                out[4 * lane..][..4].copy_from_slice(&scale.to_le_bytes());
                let quants = &mut out[4 * PANEL..];
                for (pair, two) in block[2..].chunks_exact(2).enumerate() {
                    quants[(pair * PANEL + lane) * 2..][..2].copy_from_slice(two);
                }
            }
        }
        Ok(PanelsQ8_0 { rows, columns, bytes: Cow::Owned(bytes) })
    }

    /// A matrix packed before, read in place.
    ///
    /// # Errors
    /// When the size does not fit the shape.
    pub fn from_bytes(rows: usize, columns: usize, bytes: &'a [u8]) -> Result<PanelsQ8_0<'a>, PanelsError> {
        PanelsError::check_columns(columns)?;
        PanelsError::check_bytes(Self::packed_bytes(rows, columns), bytes.len())?;
        Ok(PanelsQ8_0 { rows, columns, bytes: Cow::Borrowed(bytes) })
    }

    /// The name of this order in files.
    pub const LAYOUT: &'static str = "q8_0-panels-of-16-v1";

    /// The packed bytes, owned.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// Bytes of a packed matrix of whole blocks.
    pub const fn packed_bytes(rows: usize, columns: usize) -> usize {
        rows.div_ceil(PANEL) * (columns / BLOCK) * BLOCK_BYTES
    }

    /// The packed bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Outputs of a product.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Inputs of a product.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows `first..` up to `rows` of them, read in place. `first` is a multiple of 16.
    ///
    /// # Panics
    /// When `first` is not, or the rows are not there.
    pub fn part(&self, first: usize, rows: usize) -> PanelsQ8_0<'_> {
        assert!(
            first.is_multiple_of(PANEL) && first + rows <= self.rows,
            "rows {first} + {rows} of {}",
            self.rows
        );
        let panel_bytes = self.columns / BLOCK * BLOCK_BYTES;
        let bytes = &self.bytes[first / PANEL * panel_bytes..][..rows.div_ceil(PANEL) * panel_bytes];
        PanelsQ8_0 { rows, columns: self.columns, bytes: Cow::Borrowed(bytes) }
    }

    /// Writes the values of one row: `q * d`.
    ///
    /// # Panics
    /// When `row` is not below `rows`, or `out` not as long as a row.
    pub fn row(&self, row: usize, out: &mut [f32]) {
        assert!(row < self.rows && out.len() == self.columns, "row {row} of {}", self.rows);
        for (block, out) in out.chunks_exact_mut(BLOCK).enumerate() {
            let scale = self.scale(row, block);
            for (i, out) in out.iter_mut().enumerate() {
                *out = self.quant(row, block, i) as f32 * scale;
            }
        }
    }

    fn at(&self, row: usize, block: usize) -> usize {
        (row / PANEL * (self.columns / BLOCK) + block) * BLOCK_BYTES
    }

    /// The scale of `row` in `block`.
    pub(crate) fn scale(&self, row: usize, block: usize) -> f32 {
        let at = self.at(row, block) + 4 * (row % PANEL);
        f32::from_le_bytes([self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], self.bytes[at + 3]])
    }

    /// Quant `i` of `row` in `block`.
    pub(crate) fn quant(&self, row: usize, block: usize, i: usize) -> i32 {
        let at = self.at(row, block) + 4 * PANEL + (i / 2 * PANEL + row % PANEL) * 2 + i % 2;
        i32::from(self.bytes[at] as i8)
    }
}
