//! A weight matrix in whatever format its file has.

use kernels::block::BLOCK;
use kernels::dots_grouped::{ArrangedBlock, Form, FourBlocks, ROWS, arrange};
use kernels::{
    Activations, Format, Packed, PanelsQ8_0, dot_f32, dots_grouped, matmul_q4_0, matmul_q8_0, matvec_q4_0,
};
use weights::{Gguf, Kind, Tensor, dequantize, unpack};

use super::Error;
use super::packed::{Packing, packing};
use super::share::{helpers, share as shared};

/// Products that are worth a thread: starting one takes some 20 microseconds, this much some 100.
const WORK: usize = 1 << 21;

/// Outputs of a thread are multiples of this: whole panels in every format.
const SHARE: usize = 48;

/// A weight matrix `[rows, columns]`.
#[derive(Debug)]
pub struct Matrix<'a> {
    rows: usize,
    columns: usize,
    data: Data<'a>,
}

#[derive(Debug)]
enum Data<'a> {
    Q4_0(Packed<'a>),
    Q8_0(PanelsQ8_0<'a>),
    /// Types of small quants, where they lie: four rows at a time are unpacked, then multiplied.
    Grouped {
        kind: Kind,
        form: Form,
        bytes: &'a [u8],
    },
    /// Floats: rows are multiplied in f32.
    Rows {
        kind: Kind,
        bytes: &'a [u8],
    },
}

/// Activations as integer products take them, reused from product to product.
#[derive(Debug, Default)]
pub(super) struct Quantized {
    blocks: Activations,
    arranged: Vec<ArrangedBlock>,
}

/// Rows of activations, in every form a product may want.
#[derive(Clone, Copy)]
pub(super) struct Input<'x> {
    pub values: &'x [f32],
    /// The same rows in Q8_0; only valid as far as a matrix that wants it was among those [`quantize`] was told of.
    pub quantized: &'x Quantized,
}

/// Quantises `values` into `quantized` if any of `matrices` wants that.
pub(super) fn quantize<'x>(
    matrices: &[&Matrix<'_>],
    values: &'x [f32],
    quantized: &'x mut Quantized,
) -> Input<'x> {
    if let Some(matrix) = matrices.iter().find(|matrix| !matches!(matrix.data, Data::Rows { .. })) {
        kernels::quantize_q8_0(&mut quantized.blocks, values, matrix.columns);
    }
    if matrices.iter().any(|matrix| matches!(matrix.data, Data::Grouped { .. })) {
        arrange(&mut quantized.arranged, &quantized.blocks, values);
    }
    Input { values, quantized }
}

impl<'a> Matrix<'a> {
    /// The matrix `name` of a file: packed in place, or packed here.
    ///
    /// **Errors**: absent, another shape, a type that cannot be multiplied.
    pub fn from_gguf(file: &Gguf<'a>, name: &str, rows: usize, columns: usize) -> Result<Matrix<'a>, Error> {
        let tensor = file.tensor(name)?;
        if let Some(packing) = packing(file, &tensor)? {
            if packing.rows != rows || packing.columns != columns {
                let problem = format!("packed as {} rows of {}", packing.rows, packing.columns);
                return Err(Error::Matrix { tensor: name.into(), problem });
            }
            return Ok(Matrix { rows, columns, data: in_place(&tensor, &packing)? });
        }
        if tensor.rows() != rows || tensor.columns() != columns {
            return Err(Error::shape(&tensor, rows, columns));
        }
        Ok(Matrix { rows, columns, data: data(&tensor)? })
    }

    /// Outputs of a product.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Inputs of a product.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Writes the values of one row.
    ///
    /// **Panics**: when `row` is not below `rows` or `out` not as long as a row.
    pub(super) fn row(&self, row: usize, out: &mut [f32]) {
        match &self.data {
            Data::Q4_0(packed) => packed.row(row, out),
            Data::Q8_0(panels) => panels.row(row, out),
            Data::Grouped { kind, bytes, .. } | Data::Rows { kind, bytes } => {
                dequantize(*kind, self.bytes_of(bytes, row), out)
                    .expect("the type and the size were checked when the file was read");
            }
        }
    }

    /// `out[t, o] = Σ weights[o, c] * x[t, c]` for all rows of `x`, on up to `threads` threads: each has outputs of its
    /// own, so that their number changes no bit.
    pub(super) fn multiply(&self, out: &mut [f32], x: Input<'_>, threads: usize) {
        let rows = x.values.len() / self.columns;
        let threads = threads.min(rows * self.rows * self.columns / WORK).max(1);
        let share = self.rows.div_ceil(threads).next_multiple_of(SHARE);
        if share >= self.rows {
            return self.multiply_part(0, self.rows, out, x);
        }
        let parts: Vec<(usize, usize)> =
            (0..self.rows).step_by(share).map(|first| (first, share.min(self.rows - first))).collect();
        if rows == 1 {
            let parts = parts.iter().zip(out.chunks_mut(share)).collect();
            shared(helpers(threads), parts, |((first, count), out): (&(usize, usize), &mut [f32])| {
                self.multiply_part(*first, *count, out, x);
            });
            return;
        }
        let mut made: Vec<Vec<f32>> = parts.iter().map(|(_, count)| vec![0.0; rows * count]).collect();
        let places = parts.iter().zip(&mut made).collect();
        shared(helpers(threads), places, |((first, count), made): (&(usize, usize), &mut Vec<f32>)| {
            self.multiply_part(*first, *count, made, x);
        });
        for ((first, count), made) in parts.iter().zip(&made) {
            for (out, made) in out.chunks_exact_mut(self.rows).zip(made.chunks_exact(*count)) {
                out[*first..][..*count].copy_from_slice(made);
            }
        }
    }

    /// The outputs `first..first + count` alone, `[rows of x, count]`.
    fn multiply_part(&self, first: usize, count: usize, out: &mut [f32], x: Input<'_>) {
        match &self.data {
            Data::Q4_0(packed) if out.len() == count => {
                matvec_q4_0(out, &packed.part(first, count), &x.quantized.blocks)
            }
            Data::Q4_0(packed) => matmul_q4_0(out, &packed.part(first, count), &x.quantized.blocks, None),
            Data::Q8_0(panels) => matmul_q8_0(out, &panels.part(first, count), &x.quantized.blocks),
            Data::Grouped { kind, form, bytes } => {
                let blocks = self.columns / BLOCK;
                let mut four = vec![FourBlocks::EMPTY; blocks];
                for o in (0..count).step_by(ROWS) {
                    // Past the last row it is repeated: computed and not kept.
                    let live = ROWS.min(count - o);
                    let rows = core::array::from_fn(|r| self.bytes_of(bytes, first + o + r.min(live - 1)));
                    unpack(*kind, rows, &mut four);
                    for (out, x) in out.chunks_exact_mut(count).zip(x.quantized.arranged.chunks_exact(blocks))
                    {
                        let mut dots = [0.0; ROWS];
                        dots_grouped(&mut dots, &four, *form, x);
                        out[o..][..live].copy_from_slice(&dots[..live]);
                    }
                }
            }
            Data::Rows { .. } => {
                let mut row = vec![0.0; self.columns];
                for o in 0..count {
                    self.row(first + o, &mut row);
                    for (t, x) in x.values.chunks_exact(self.columns).enumerate() {
                        out[t * count + o] = dot_f32(&row, x);
                    }
                }
            }
        }
    }

    /// The bytes of one row of `bytes`.
    fn bytes_of<'b>(&self, bytes: &'b [u8], row: usize) -> &'b [u8] {
        let row_bytes = bytes.len() / self.rows;
        &bytes[row * row_bytes..][..row_bytes]
    }
}

fn data<'a>(tensor: &Tensor<'a>) -> Result<Data<'a>, Error> {
    let (rows, columns) = (tensor.rows(), tensor.columns());
    let problem = |problem: String| Error::Matrix { tensor: tensor.name.into(), problem };
    match tensor.kind {
        Kind::Q4_0 => Ok(Data::Q4_0(
            Packed::pack_q4_0(rows, columns, tensor.bytes).map_err(|error| problem(error.to_string()))?,
        )),
        Kind::Q8_0 => Ok(Data::Q8_0(
            PanelsQ8_0::pack(rows, columns, tensor.bytes).map_err(|error| problem(error.to_string()))?,
        )),
        kind => match weights::form(kind) {
            Some(form) => Ok(Data::Grouped { kind, form, bytes: tensor.bytes }),
            None if weights::is_dequantizable(kind) => Ok(Data::Rows { kind, bytes: tensor.bytes }),
            None => Err(problem(format!("{} cannot be multiplied", kind.name()))),
        },
    }
}

fn in_place<'a>(tensor: &Tensor<'a>, packing: &Packing) -> Result<Data<'a>, Error> {
    let (rows, columns, bytes) = (packing.rows, packing.columns, tensor.bytes);
    let problem = |problem: String| Error::Matrix { tensor: tensor.name.into(), problem };
    match packing.kind {
        Kind::Q4_0 => Packed::from_bytes(Format::Q4_0, rows, columns, bytes)
            .map(Data::Q4_0)
            .map_err(|error| problem(error.to_string())),
        _ => PanelsQ8_0::from_bytes(rows, columns, bytes)
            .map(Data::Q8_0)
            .map_err(|error| problem(error.to_string())),
    }
}
