//! Quantised activations: written by the quantisers, read by the products, reused from call to call.

use alloc::vec::Vec;

use crate::block::BLOCK;

/// How the rows of [`Activations`] are quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// One f16 scale for each 32 values (GGML's Q8_0).
    Q8_0,
    /// One f32 scale a row.
    Int8,
}

/// Rows of int8 activations with their scales. One buffer serves many products: quantise once, use for Q, K and V.
#[derive(Clone, Debug)]
pub struct Activations {
    pub(crate) scaling: Scaling,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// `[rows, columns]`, -127..=127.
    pub(crate) quants: Vec<i8>,
    /// Q8_0: `[rows, columns / 32]`, already decoded; Int8: `[rows]`.
    pub(crate) scales: Vec<f32>,
    /// Q8_0: `[rows, columns / 32]`, -8 times the sum of a block's quants; Int8: empty.
    pub(crate) offsets: Vec<i32>,
}

impl Default for Activations {
    fn default() -> Self {
        Activations::new()
    }
}

impl Activations {
    /// An empty buffer.
    pub const fn new() -> Self {
        Activations {
            scaling: Scaling::Int8,
            rows: 0,
            columns: 0,
            quants: Vec::new(),
            scales: Vec::new(),
            offsets: Vec::new(),
        }
    }

    /// How many rows were quantised last.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many values a row has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How the rows were quantised.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// The quants of `row`.
    pub fn quants(&self, row: usize) -> &[i8] {
        &self.quants[row * self.columns..][..self.columns]
    }

    /// The scales of `row`: one a block for Q8_0, one for Int8.
    pub fn scales(&self, row: usize) -> &[f32] {
        let each = self.scales.len() / self.rows.max(1);
        &self.scales[row * each..][..each]
    }

    /// Makes room for `rows` of `columns`.
    pub(crate) fn resize(&mut self, scaling: Scaling, rows: usize, columns: usize) {
        (self.scaling, self.rows, self.columns) = (scaling, rows, columns);
        let (scales, offsets) = match scaling {
            Scaling::Q8_0 => (rows * (columns / BLOCK), rows * (columns / BLOCK)),
            Scaling::Int8 => (rows, 0),
        };
        self.quants.resize(rows * columns, 0);
        self.scales.resize(scales, 0.0);
        self.offsets.resize(offsets, 0);
    }
}
