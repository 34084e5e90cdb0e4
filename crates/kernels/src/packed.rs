//! Quantised matrices in the order the products read them.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use crate::block::{BLOCK, BlockQ4_0};
use crate::int8_rows::quantize_weights;

/// The formats of a packed matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// GGML's Q4_0, multiplied by Q8_0 activations.
    Q4_0,
    /// One int8 row and one f32 scale an output, multiplied by int8 activations.
    Int8,
}

/// The order of a packed matrix: panels of `outputs` rows; inside, everything a step of the product needs lies
/// together.
///
/// - Q4_0: `[panel][block of 32 columns]` of: `outputs` f32 scales, then `[4][outputs][4 bytes]`: byte `j` of step
///   `s` holds the quants of columns `8s + j` (low nibble) and `8s + 4 + j` (high nibble).
/// - Int8: `[panel]` of: `outputs` f32 scales, then `[columns / 4][outputs][4 bytes]`, columns padded with zeros to
///   a multiple of 32.
///
/// Rows past the last are zero weights with zero scales. All numbers are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    outputs: usize,
}

/// The layout of this build's target.
pub const LAYOUT: Layout = Layout { outputs: PANEL };

/// Outputs a panel in this build's layout.
pub(crate) const PANEL: usize = 8;

impl Layout {
    /// The layout that products on `target_arch` read, for packing ahead of time.
    pub fn of(_target_arch: &str) -> Layout {
        Layout { outputs: PANEL }
    }

    /// The name files carry as `lacuna.layout`.
    pub fn id(self) -> &'static str {
        "panels-of-8-v1"
    }

    fn panels(self, rows: usize) -> usize {
        rows.div_ceil(self.outputs)
    }
}

/// Why bytes are not a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The number of columns does not suit the format.
    Columns {
        /// The format.
        format: Format,
        /// What was given.
        columns: usize,
    },
    /// Too few or too many bytes.
    Bytes {
        /// What the format and the shape need.
        needed: usize,
        /// What was given.
        got: usize,
    },
    /// Too few or too many scales.
    Scales {
        /// One a row.
        needed: usize,
        /// What was given.
        got: usize,
    },
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::Columns { format: Format::Q4_0, columns } => {
                write!(f, "q4_0 needs columns in multiples of 32, got {columns}")
            }
            Error::Columns { format: Format::Int8, columns } => {
                write!(f, "int8 sums hold up to {MAX_COLUMNS} columns, got {columns}")
            }
            Error::Bytes { needed, got } => write!(f, "needs {needed} bytes, got {got}"),
            Error::Scales { needed, got } => write!(f, "needs {needed} scales, got {got}"),
        }
    }
}

impl core::error::Error for Error {}

/// Columns whose int8 sum cannot leave i32.
pub const MAX_COLUMNS: usize = 1 << 17;
const _: () = assert!(MAX_COLUMNS as u64 * 127 * 127 < 1 << 31);

/// A quantised matrix `[rows, columns]`; products return `rows` outputs.
#[derive(Clone, Debug)]
pub struct Packed<'a> {
    format: Format,
    rows: usize,
    columns: usize,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Packed<'a> {
    /// Packs rows of GGML's Q4_0 blocks.
    ///
    /// # Errors
    /// When `columns` is not a multiple of 32 or `blocks` is not `rows * columns / 32 * 18` bytes.
    pub fn pack_q4_0(rows: usize, columns: usize, blocks: &[u8]) -> Result<Packed<'static>, Error> {
        let bytes = pack_q4_0(LAYOUT, rows, columns, blocks)?;
        Ok(Packed { format: Format::Q4_0, rows, columns, bytes: Cow::Owned(bytes) })
    }

    /// Packs int8 rows, -127..=127, and their scales.
    ///
    /// # Errors
    /// When `quants` is not `rows * columns` or `scales` is not `rows` long, or `columns` is over [`MAX_COLUMNS`].
    pub fn pack_int8(
        rows: usize,
        columns: usize,
        quants: &[i8],
        scales: &[f32],
    ) -> Result<Packed<'static>, Error> {
        let bytes = pack_int8(LAYOUT, rows, columns, quants, scales)?;
        Ok(Packed { format: Format::Int8, rows, columns, bytes: Cow::Owned(bytes) })
    }

    /// A matrix packed before, read in place: `bytes` must come from [`Packed::as_bytes`] or [`pack_q4_0`] /
    /// [`pack_int8`] with this build's [`LAYOUT`].
    ///
    /// # Errors
    /// When the size does not fit the shape.
    pub fn from_bytes(
        format: Format,
        rows: usize,
        columns: usize,
        bytes: &'a [u8],
    ) -> Result<Packed<'a>, Error> {
        let needed = packed_bytes(LAYOUT, format, rows, columns)?;
        if bytes.len() != needed {
            return Err(Error::Bytes { needed, got: bytes.len() });
        }
        Ok(Packed { format, rows, columns, bytes: Cow::Borrowed(bytes) })
    }

    /// The packed bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Outputs of a product.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Inputs of a product.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The scale of `row` (int8) or of `row` in `block` (q4_0).
    pub(crate) fn scale(&self, row: usize, block: usize) -> f32 {
        let (panel, lane) = (row / PANEL, row % PANEL);
        let at = match self.format {
            Format::Q4_0 => (panel * (self.columns / BLOCK) + block) * q4_0_block_bytes(PANEL),
            Format::Int8 => panel * int8_panel_bytes(PANEL, self.columns),
        } + 4 * lane;
        f32::from_le_bytes([self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], self.bytes[at + 3]])
    }

    /// The weight of `row` and `column` as an integer: -8..=7 (q4_0) or -127..=127 (int8).
    pub(crate) fn quant(&self, row: usize, column: usize) -> i32 {
        let (panel, lane) = (row / PANEL, row % PANEL);
        match self.format {
            Format::Q4_0 => {
                let (block, within) = (column / BLOCK, column % BLOCK);
                let at = (panel * (self.columns / BLOCK) + block) * q4_0_block_bytes(PANEL)
                    + 4 * PANEL
                    + (within / 8 * PANEL + lane) * 4
                    + within % 4;
                let nibble = if within % 8 < 4 { self.bytes[at] & 15 } else { self.bytes[at] >> 4 };
                i32::from(nibble) - 8
            }
            Format::Int8 => {
                let at = panel * int8_panel_bytes(PANEL, self.columns)
                    + 4 * PANEL
                    + (column / 4 * PANEL + lane) * 4
                    + column % 4;
                i32::from(self.bytes[at] as i8)
            }
        }
    }
}

pub(crate) const fn q4_0_block_bytes(outputs: usize) -> usize {
    outputs * (4 + BLOCK / 2)
}

pub(crate) const fn int8_panel_bytes(outputs: usize, columns: usize) -> usize {
    outputs * (4 + columns.next_multiple_of(BLOCK))
}

/// Bytes of a packed matrix.
///
/// # Errors
/// When `columns` does not suit the format.
pub fn packed_bytes(layout: Layout, format: Format, rows: usize, columns: usize) -> Result<usize, Error> {
    match format {
        Format::Q4_0 if columns == 0 || !columns.is_multiple_of(BLOCK) => {
            Err(Error::Columns { format, columns })
        }
        Format::Int8 if columns == 0 || columns > MAX_COLUMNS => Err(Error::Columns { format, columns }),
        Format::Q4_0 => Ok(layout.panels(rows) * (columns / BLOCK) * q4_0_block_bytes(layout.outputs)),
        Format::Int8 => Ok(layout.panels(rows) * int8_panel_bytes(layout.outputs, columns)),
    }
}

/// Packs rows of GGML's Q4_0 blocks in any layout.
///
/// # Errors
/// As [`Packed::pack_q4_0`].
pub fn pack_q4_0(layout: Layout, rows: usize, columns: usize, blocks: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; packed_bytes(layout, Format::Q4_0, rows, columns)?];
    let per_row = columns / BLOCK;
    let needed = rows * per_row * BlockQ4_0::BYTES;
    if blocks.len() != needed {
        return Err(Error::Bytes { needed, got: blocks.len() });
    }
    let (blocks, _) = blocks.as_chunks::<{ BlockQ4_0::BYTES }>();
    let outputs = layout.outputs;
    let block_bytes = q4_0_block_bytes(outputs);
    for row in 0..rows {
        let (panel, lane) = (row / outputs, row % outputs);
        for index in 0..per_row {
            let block = BlockQ4_0::from_bytes(&blocks[row * per_row + index]);
            let out = &mut out[(panel * per_row + index) * block_bytes..][..block_bytes];
            out[4 * lane..][..4].copy_from_slice(&block.scale().to_le_bytes());
            let quants = &mut out[4 * outputs..];
            for step in 0..4 {
                for j in 0..4 {
                    let (low, high) = (block.quant(8 * step + j), block.quant(8 * step + 4 + j));
                    quants[(step * outputs + lane) * 4 + j] = low | high << 4;
                }
            }
        }
    }
    Ok(out)
}

/// Packs int8 rows in any layout.
///
/// # Errors
/// As [`Packed::pack_int8`].
pub fn pack_int8(
    layout: Layout,
    rows: usize,
    columns: usize,
    quants: &[i8],
    scales: &[f32],
) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; packed_bytes(layout, Format::Int8, rows, columns)?];
    if quants.len() != rows * columns {
        return Err(Error::Bytes { needed: rows * columns, got: quants.len() });
    }
    if scales.len() != rows {
        return Err(Error::Scales { needed: rows, got: scales.len() });
    }
    let outputs = layout.outputs;
    let panel_bytes = int8_panel_bytes(outputs, columns);
    for (row, (quants, scale)) in quants.chunks_exact(columns).zip(scales).enumerate() {
        let (panel, lane) = (row / outputs, row % outputs);
        let out = &mut out[panel * panel_bytes..][..panel_bytes];
        out[4 * lane..][..4].copy_from_slice(&scale.to_le_bytes());
        for (column, quant) in quants.iter().enumerate() {
            out[4 * outputs + (column / 4 * outputs + lane) * 4 + column % 4] = *quant as u8;
        }
    }
    Ok(out)
}

/// The int8 rows and scales that the int8 scheme derives from Q4_0 blocks: each row's weights `(q - 8) * d` in f32,
/// divided by max |w| / 127 and rounded half away from zero.
///
/// # Errors
/// As [`Packed::pack_q4_0`].
pub fn int8_rows_from_q4_0(rows: usize, columns: usize, blocks: &[u8]) -> Result<(Vec<i8>, Vec<f32>), Error> {
    if columns == 0 || !columns.is_multiple_of(BLOCK) {
        return Err(Error::Columns { format: Format::Q4_0, columns });
    }
    let per_row = columns / BLOCK;
    let needed = rows * per_row * BlockQ4_0::BYTES;
    if blocks.len() != needed {
        return Err(Error::Bytes { needed, got: blocks.len() });
    }
    let (blocks, _) = blocks.as_chunks::<{ BlockQ4_0::BYTES }>();
    let (mut quants, mut scales) = (vec![0; rows * columns], vec![0.0; rows]);
    let mut weights = vec![0.0; columns];
    for ((quants, scale), blocks) in
        quants.chunks_exact_mut(columns).zip(&mut scales).zip(blocks.chunks_exact(per_row))
    {
        for (weights, block) in weights.chunks_exact_mut(BLOCK).zip(blocks) {
            let block = BlockQ4_0::from_bytes(block);
            for (i, weight) in weights.iter_mut().enumerate() {
                *weight = f32::from(i16::from(block.quant(i)) - 8) * block.scale();
            }
        }
        *scale = quantize_weights(quants, &weights);
    }
    Ok((quants, scales))
}
