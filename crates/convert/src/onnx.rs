//! An ONNX token classifier as named tensors.
//!
//! Exporters rename matrices (`onnx::MatMul_743`) but keep the names of what PyTorch calls parameters
//! of a module where they need not be transposed: biases, norms, embeddings. So the graph names the
//! matrices: the product whose result meets `X.bias` in an Add is the product with `X.weight`.

use std::{borrow::Cow, collections::HashMap};

use bytes::Bytes;
use prost::Message;

use crate::{
    Error,
    checkpoint::{Checkpoint, Data, Stored},
    onnx_proto::{Model, Node, Tensor},
    q4_0,
};

const FILE: &str = "ONNX file";
/// Elements in any tensor: 2^31, above every published encoder, so that sizes never overflow.
const MAX_ELEMENTS: u64 = 1 << 31;

/// Reads the tensors of an ONNX file.
///
/// **Errors**: damage, tensors kept in another file, quantisations other than those of the crate's page.
pub(crate) fn read(bytes: &[u8]) -> Result<Checkpoint, Error> {
    let model = Model::decode(Bytes::copy_from_slice(bytes))
        .map_err(|error| Error::format(FILE, format!("not a whole ONNX model: {error}")))?;
    let graph = model.graph.ok_or_else(|| Error::format(FILE, "it holds no graph"))?;
    Reader::new(&graph.initializer, &graph.node)?.checkpoint()
}

struct Reader<'g> {
    /// Initialisers and the values of Constant nodes, by name.
    tensors: HashMap<&'g str, &'g Tensor>,
    nodes: &'g [Node],
    /// The node that makes a value, by the value's name.
    makers: HashMap<&'g str, &'g Node>,
}

impl<'g> Reader<'g> {
    fn new(initializers: &'g [Tensor], nodes: &'g [Node]) -> Result<Reader<'g>, Error> {
        let mut tensors = HashMap::with_capacity(initializers.len());
        for tensor in initializers {
            if tensors.insert(tensor.name.as_str(), tensor).is_some() {
                return Err(Error::tensor(&tensor.name, "is in the file twice"));
            }
        }
        for node in nodes.iter().filter(|node| node.op_type == "Constant") {
            let value = node.attribute.iter().find(|attribute| attribute.name == "value");
            if let (Some(output), Some(value)) =
                (node.output.first(), value.and_then(|value| value.t.as_ref()))
            {
                tensors.insert(output, value);
            }
        }
        let makers =
            nodes.iter().flat_map(|node| node.output.iter().map(move |name| (name.as_str(), node))).collect();
        Ok(Reader { tensors, nodes, makers })
    }

    fn checkpoint(&self) -> Result<Checkpoint, Error> {
        let mut checkpoint = Checkpoint::default();
        for node in self.nodes {
            match node.op_type.as_str() {
                "Add" => self.add(node, &mut checkpoint)?,
                "Gemm" => self.gemm(node, &mut checkpoint)?,
                "DequantizeLinear" => self.embedding(node, &mut checkpoint)?,
                _ => {}
            }
        }
        for (&name, &tensor) in &self.tensors {
            if is_float(tensor) && is_parameter(name) && !checkpoint.0.contains_key(name) {
                checkpoint
                    .0
                    .insert(name.into(), Stored { dims: dims(tensor)?, data: Data::F32(floats(tensor)?) });
            }
        }
        Ok(checkpoint)
    }

    /// `X.bias` + product: the product's matrix is `X.weight`.
    fn add(&self, node: &Node, checkpoint: &mut Checkpoint) -> Result<(), Error> {
        let [left, right] = node.input.as_slice() else { return Ok(()) };
        for (bias, product) in [(left, right), (right, left)] {
            let Some(module) =
                bias.strip_suffix(".bias").filter(|_| self.tensors.contains_key(bias.as_str()))
            else {
                continue;
            };
            let weight = format!("{module}.weight");
            let Some(&maker) = self.makers.get(product.as_str()) else { continue };
            let stored = match maker.op_type.as_str() {
                "MatMulNBits" => Some(self.four_bit(&weight, maker)?),
                "MatMul" => self.product(&weight, maker, 1, true)?,
                _ => None,
            };
            if let Some(stored) = stored {
                checkpoint.0.insert(weight, stored);
            }
        }
        Ok(())
    }

    fn gemm(&self, node: &Node, checkpoint: &mut Checkpoint) -> Result<(), Error> {
        let Some(module) = node.input.get(2).and_then(|bias| bias.strip_suffix(".bias")) else {
            return Ok(());
        };
        let weight = format!("{module}.weight");
        let transposed = attribute(node, "transB").unwrap_or(0) == 0;
        if let Some(stored) = self.product(&weight, node, 1, transposed)? {
            checkpoint.0.insert(weight, stored);
        }
        Ok(())
    }

    /// The matrix at input `at` as [outputs, inputs], if it is a tensor of the file, perhaps by way of
    /// a Transpose. `turn`: the node has it as [inputs, outputs].
    fn product(&self, weight: &str, node: &Node, at: usize, turn: bool) -> Result<Option<Stored>, Error> {
        let Some(name) = node.input.get(at) else { return Ok(None) };
        let (name, turn) = match self.makers.get(name.as_str()) {
            Some(maker) if swaps(maker) => (&maker.input[0], !turn),
            _ => (name, turn),
        };
        let Some(&tensor) = self.tensors.get(name.as_str()) else { return Ok(None) };
        if !is_float(tensor) {
            let problem = format!("{name} has ONNX type {}, expected a float type", tensor.data_type);
            return Err(Error::tensor(weight, problem));
        }
        let [rows, columns] = dims(tensor)?[..] else {
            return Err(Error::tensor(weight, format!("{name} has shape {:?}, not a matrix", tensor.dims)));
        };
        let values = floats(tensor)?;
        if !turn {
            return Ok(Some(Stored { dims: vec![rows, columns], data: Data::F32(values) }));
        }
        let turned = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        let values = turned.map(|(row, column)| values[row * columns + column]).collect();
        Ok(Some(Stored { dims: vec![columns, rows], data: Data::F32(values) }))
    }

    /// The matrix of a `MatMulNBits` node: 4 bits, blocks of 32, zero point 8.
    fn four_bit(&self, weight: &str, node: &Node) -> Result<Stored, Error> {
        let need = |name: &str| {
            let value = attribute(node, name).and_then(|value| u64::try_from(value).ok());
            value.ok_or_else(|| Error::tensor(weight, format!("its MatMulNBits has no attribute {name}")))
        };
        let (columns, rows, bits, block) = (need("K")?, need("N")?, need("bits")?, need("block_size")?);
        if (bits, block) != (4, q4_0::BLOCK as u64) {
            return Err(Error::tensor(
                weight,
                format!("{bits} bits in blocks of {block}, only 4 in 32 are read"),
            ));
        }
        if columns == 0 || !columns.is_multiple_of(block) {
            return Err(Error::tensor(weight, format!("{columns} columns are not a multiple of {block}")));
        }
        if rows == 0 || rows.saturating_mul(columns) > MAX_ELEMENTS {
            return Err(Error::tensor(
                weight,
                format!("{rows} x {columns} elements, at most {MAX_ELEMENTS}"),
            ));
        }
        let blocks = (rows * columns / block) as usize;
        let quants = self.input(weight, node, 1)?;
        let scales = self.input(weight, node, 2)?;
        let quant_bytes = bytes(quants)?;
        let scale_values = floats(scales)?;
        for (name, needs, has) in
            [(&quants.name, blocks * 16, quant_bytes.len()), (&scales.name, blocks, scale_values.len())]
        {
            if needs != has {
                let problem = format!("{rows} x {columns} in 4 bits needs {needs} of {name}, file has {has}");
                return Err(Error::tensor(weight, problem));
            }
        }
        if node.input.get(3).is_some_and(|name| !name.is_empty()) {
            let points = bytes(self.input(weight, node, 3)?)?;
            // Rows are padded to whole bytes; the padding nibble is not a zero point.
            let odd = (columns / block) % 2 == 1;
            let row_bytes = ((columns / block) as usize).div_ceil(2);
            let wrong = points.iter().enumerate().find(|&(at, &point)| {
                let last = odd && at % row_bytes == row_bytes - 1;
                if last { point & 15 != 8 } else { point != 0x88 }
            });
            if let Some((at, point)) = wrong {
                let problem = format!("zero points {point:#04x} at byte {at}: only 8 (symmetric) is read");
                return Err(Error::tensor(weight, problem));
            }
        }
        let data = Data::Q4_0(q4_0::from_onnx(weight, &quant_bytes, &scale_values)?);
        Ok(Stored { dims: vec![rows as usize, columns as usize], data })
    }

    /// `DequantizeLinear` of an embedding table, before or after its Gather.
    fn embedding(&self, node: &Node, checkpoint: &mut Checkpoint) -> Result<(), Error> {
        let Some(mut table) = node.input.first() else { return Ok(()) };
        if let Some(gather) = self.makers.get(table.as_str()).filter(|maker| maker.op_type == "Gather") {
            table = &gather.input[0];
        }
        let Some(&tensor) = self.tensors.get(table.as_str()) else { return Ok(()) };
        let name = table.strip_suffix("_quantized").unwrap_or(table);
        if tensor.data_type != UINT8 {
            let problem = format!("ONNX type {} is dequantised, only uint8 is read", tensor.data_type);
            return Err(Error::tensor(name, problem));
        }
        let scale = floats(self.input(name, node, 1)?)?;
        let zero = match node.input.get(2).filter(|name| !name.is_empty()) {
            Some(_) => bytes(self.input(name, node, 2)?)?.into_owned(),
            None => vec![0],
        };
        let (&[scale], &[zero]) = (scale.as_slice(), zero.as_slice()) else {
            let problem =
                format!("{} scales and {} zero points, only one of each is read", scale.len(), zero.len());
            return Err(Error::tensor(name, problem));
        };
        if !scale.is_finite() {
            return Err(Error::tensor(name, format!("its scale is {scale}")));
        }
        let data = Data::U8 { bytes: bytes(tensor)?.into_owned(), scale, zero };
        checkpoint.0.insert(name.into(), Stored { dims: dims(tensor)?, data });
        Ok(())
    }

    fn input(&self, weight: &str, node: &Node, at: usize) -> Result<&'g Tensor, Error> {
        let name = node.input.get(at).map_or("", String::as_str);
        self.tensors.get(name).copied().ok_or_else(|| {
            Error::tensor(
                weight,
                format!("input {at} of its {} (\"{name}\") is not in the file", node.op_type),
            )
        })
    }
}

const FLOAT: i32 = 1;
const UINT8: i32 = 2;
const FLOAT16: i32 = 10;
const BFLOAT16: i32 = 16;

fn is_float(tensor: &Tensor) -> bool {
    matches!(tensor.data_type, FLOAT | FLOAT16 | BFLOAT16)
}

/// Names of PyTorch parameters, as opposed to what an exporter made up.
fn is_parameter(name: &str) -> bool {
    name.ends_with(".weight") || name.ends_with(".bias")
}

/// Whether a node swaps the two dimensions of a matrix.
fn swaps(node: &Node) -> bool {
    let order = node.attribute.iter().find(|attribute| attribute.name == "perm");
    node.op_type == "Transpose" && node.input.len() == 1 && order.is_none_or(|order| order.ints == [1, 0])
}

fn attribute(node: &Node, name: &str) -> Option<i64> {
    node.attribute.iter().find(|attribute| attribute.name == name)?.i
}

fn dims(tensor: &Tensor) -> Result<Vec<usize>, Error> {
    let mut elements = 1u64;
    for &dim in &tensor.dims {
        elements = u64::try_from(dim)
            .ok()
            .and_then(|dim| elements.checked_mul(dim))
            .filter(|&elements| elements <= MAX_ELEMENTS)
            .ok_or_else(|| {
                let problem = format!("shape {:?}: at most {MAX_ELEMENTS} elements are read", tensor.dims);
                Error::tensor(&tensor.name, problem)
            })?;
    }
    Ok(tensor.dims.iter().map(|&dim| dim as usize).collect())
}

/// The bytes of a uint8 tensor, one an element.
fn bytes(tensor: &Tensor) -> Result<Cow<'_, [u8]>, Error> {
    check_place(tensor)?;
    if tensor.data_type != UINT8 {
        let problem = format!("ONNX type {}, expected uint8 ({UINT8})", tensor.data_type);
        return Err(Error::tensor(&tensor.name, problem));
    }
    let elements = dims(tensor)?.iter().product();
    if tensor.raw_data.is_empty() {
        check_length(tensor, elements, tensor.int32_data.len(), "values")?;
        let values = tensor.int32_data.iter().map(|&value| u8::try_from(value));
        return values
            .collect::<Result<Vec<u8>, _>>()
            .map(Cow::Owned)
            .map_err(|_| Error::tensor(&tensor.name, "a value of a uint8 tensor is outside 0..=255"));
    }
    check_length(tensor, elements, tensor.raw_data.len(), "bytes")?;
    Ok(Cow::Borrowed(&tensor.raw_data))
}

/// The values of a float tensor.
fn floats(tensor: &Tensor) -> Result<Vec<f32>, Error> {
    check_place(tensor)?;
    let elements: usize = dims(tensor)?.iter().product();
    let raw = &tensor.raw_data;
    let halves = |convert: fn([u8; 2]) -> f32| -> Result<Vec<f32>, Error> {
        check_length(tensor, elements * 2, raw.len(), "bytes")?;
        Ok(raw.as_chunks::<2>().0.iter().map(|&half| convert(half)).collect())
    };
    match tensor.data_type {
        FLOAT if raw.is_empty() => {
            check_length(tensor, elements, tensor.float_data.len(), "values")?;
            Ok(tensor.float_data.clone())
        }
        FLOAT => {
            check_length(tensor, elements * 4, raw.len(), "bytes")?;
            Ok(raw.as_chunks::<4>().0.iter().map(|&word| f32::from_le_bytes(word)).collect())
        }
        FLOAT16 => halves(|half| half::f16::from_le_bytes(half).to_f32()),
        BFLOAT16 => halves(|half| half::bf16::from_le_bytes(half).to_f32()),
        other => Err(Error::tensor(&tensor.name, format!("ONNX type {other}, expected a float type"))),
    }
}

fn check_place(tensor: &Tensor) -> Result<(), Error> {
    match tensor.data_location {
        0 => Ok(()),
        _ => Err(Error::tensor(&tensor.name, "its data is in another file; only one whole file is read")),
    }
}

fn check_length(tensor: &Tensor, needs: usize, has: usize, unit: &str) -> Result<(), Error> {
    if needs == has {
        return Ok(());
    }
    let problem = format!("shape {:?} needs {needs} {unit}, file has {has}", tensor.dims);
    Err(Error::tensor(&tensor.name, problem))
}

#[cfg(test)]
mod tests;
