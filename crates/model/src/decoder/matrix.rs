//! A weight matrix in whatever format its file has.

use kernels::{Activations, Format, Packed, PanelsQ8_0, dot_f32, matmul_q4_0, matmul_q8_0};
use weights::{Gguf, Kind, Tensor, dequantize};

use super::Error;
use super::packed::{Packing, packing};

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
    /// Every other type: rows are dequantised as GGML defines, then multiplied in f32.
    Rows {
        kind: Kind,
        bytes: &'a [u8],
    },
}

/// Rows of activations, in both forms a product may want.
#[derive(Clone, Copy)]
pub(super) struct Input<'x> {
    pub values: &'x [f32],
    /// The same rows in Q8_0; only valid when a matrix that wants it was among those [`quantize`] was told of.
    pub quantized: &'x Activations,
}

/// Quantises `values` into `quantized` if any of `matrices` wants that.
pub(super) fn quantize<'x>(
    matrices: &[&Matrix<'_>],
    values: &'x [f32],
    quantized: &'x mut Activations,
) -> Input<'x> {
    if let Some(matrix) = matrices.iter().find(|matrix| !matches!(matrix.data, Data::Rows { .. })) {
        kernels::quantize_q8_0(quantized, values, matrix.columns);
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
            Data::Rows { kind, bytes } => self.dequantize(*kind, bytes, row, out),
        }
    }

    /// `out[t, o] = Σ weights[o, c] * x[t, c]` for all rows of `x`.
    pub(super) fn multiply(&self, out: &mut [f32], x: Input<'_>) {
        match &self.data {
            Data::Q4_0(packed) => matmul_q4_0(out, packed, x.quantized, None),
            Data::Q8_0(panels) => matmul_q8_0(out, panels, x.quantized),
            Data::Rows { kind, bytes } => {
                let mut row = vec![0.0; self.columns];
                for o in 0..self.rows {
                    self.dequantize(*kind, bytes, o, &mut row);
                    for (t, x) in x.values.chunks_exact(self.columns).enumerate() {
                        out[t * self.rows + o] = dot_f32(&row, x);
                    }
                }
            }
        }
    }

    fn dequantize(&self, kind: Kind, bytes: &[u8], row: usize, out: &mut [f32]) {
        let row_bytes = bytes.len() / self.rows;
        let bytes = &bytes[row * row_bytes..][..row_bytes];
        dequantize(kind, bytes, out).expect("the type and the size were checked when the file was read");
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
        kind if weights::is_dequantizable(kind) => Ok(Data::Rows { kind, bytes: tensor.bytes }),
        kind => Err(problem(format!("{} cannot be multiplied", kind.name()))),
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
