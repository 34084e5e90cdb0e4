//! A file's tensors as the pass reads them: checked for type and shape, borrowed where they lie.

use std::borrow::Cow;

use kernels::embedding::Row;
use kernels::{Activations, Format, LAYOUT, Packed};
use weights::{Gguf, Kind, Tensor, Writer};

use super::Config;
use crate::Error;

/// How matrices and activations are quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// GGML's Q4_0 weights, Q8_0 activations.
    Q4_0,
    /// int8 rows with an f32 scale each, int8 activations with an f32 scale a token.
    Int8,
}

impl Scheme {
    /// The name files carry as `lacuna.scheme`.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Q4_0 => "q4_0",
            Scheme::Int8 => "int8",
        }
    }

    pub(super) fn of(file: &Gguf<'_>) -> Result<Scheme, Error> {
        match file.str("lacuna.scheme")? {
            "q4_0" => Ok(Scheme::Q4_0),
            "int8" => Ok(Scheme::Int8),
            other => {
                Err(Error::key("lacuna.scheme", format!("\"{other}\" is neither \"q4_0\" nor \"int8\"")))
            }
        }
    }

    fn format(self) -> Format {
        match self {
            Scheme::Q4_0 => Format::Q4_0,
            Scheme::Int8 => Format::Int8,
        }
    }
}

/// A matrix and its bias.
#[derive(Debug)]
pub(super) struct Linear<'a> {
    weights: Packed<'a>,
    bias: Cow<'a, [f32]>,
}

impl Linear<'_> {
    /// `out = x · weightsᵀ + bias` for the first rows of `x`.
    pub(super) fn apply(&self, out: &mut [f32], x: &Activations) {
        match self.weights.format() {
            Format::Q4_0 => kernels::matmul_q4_0(out, &self.weights, x, Some(&self.bias)),
            Format::Int8 => kernels::matmul_int8(out, &self.weights, x, Some(&self.bias)),
        }
    }
}

/// Weight and bias of a layer norm.
#[derive(Debug)]
pub(super) struct Norm<'a> {
    pub(super) weight: Cow<'a, [f32]>,
    pub(super) bias: Cow<'a, [f32]>,
}

/// A table of embeddings.
#[derive(Debug)]
pub(super) enum Table<'a> {
    Int8 { quants: &'a [u8], scale: f32, zero: f32, columns: usize },
    F32 { values: Cow<'a, [f32]>, columns: usize },
}

impl Table<'_> {
    /// A row of the table, which must have it.
    pub(super) fn row(&self, row: usize) -> Row<'_> {
        match *self {
            Table::Int8 { quants, scale, zero, columns } => Row::Int8 {
                quants: kernels::embedding::signed(&quants[row * columns..][..columns]),
                scale,
                zero,
            },
            Table::F32 { ref values, columns } => Row::F32(&values[row * columns..][..columns]),
        }
    }
}

/// The matrices of a layer: name, outputs, inputs.
pub(super) type Matrix = (&'static str, fn(&Config) -> (usize, usize));

pub(super) const QUERY: Matrix = ("attn_q", |c| (c.hidden, c.hidden));
pub(super) const KEY: Matrix = ("attn_k", |c| (c.hidden, c.hidden));
pub(super) const VALUE: Matrix = ("attn_v", |c| (c.hidden, c.hidden));
pub(super) const OUTPUT: Matrix = ("attn_output", |c| (c.hidden, c.hidden));
pub(super) const UP: Matrix = ("ffn_up", |c| (c.feed_forward, c.hidden));
pub(super) const DOWN: Matrix = ("ffn_down", |c| (c.hidden, c.feed_forward));
pub(super) const CLASSIFIER: Matrix = ("cls", |c| (c.labels.len(), c.hidden));

const LAYER: [Matrix; 6] = [QUERY, KEY, VALUE, OUTPUT, UP, DOWN];

/// Reads tensors of one file.
pub(super) struct Reader<'f, 'a> {
    pub(super) file: &'f Gguf<'a>,
    pub(super) config: &'f Config,
    /// The file's scheme.
    stored: Scheme,
    /// The scheme asked for.
    wanted: Scheme,
    packed: bool,
}

impl<'f, 'a> Reader<'f, 'a> {
    pub(super) fn new(file: &'f Gguf<'a>, config: &'f Config, scheme: Option<Scheme>) -> Result<Self, Error> {
        let stored = Scheme::of(file)?;
        let wanted = scheme.unwrap_or(stored);
        if (stored, wanted) == (Scheme::Int8, Scheme::Q4_0) {
            return Err(Error::key("lacuna.scheme", "int8 rows hold less than q4_0 asks for"));
        }
        let packed = match file.get("lacuna.layout") {
            None => false,
            Some(_) if file.str("lacuna.layout")? == LAYOUT.id() => true,
            Some(_) => {
                let problem = format!(
                    "packed as \"{}\", this build reads \"{}\"; the file as converted runs everywhere",
                    file.str("lacuna.layout")?,
                    LAYOUT.id()
                );
                return Err(Error::key("lacuna.layout", problem));
            }
        };
        Ok(Reader { file, config, stored, wanted, packed })
    }

    pub(super) fn linear(&self, prefix: &str, matrix: Matrix) -> Result<Linear<'a>, Error> {
        let (rows, columns) = (matrix.1)(self.config);
        let name = format!("{prefix}{}.weight", matrix.0);
        let bias = self.vector(&format!("{prefix}{}.bias", matrix.0), rows)?;
        let weights = if self.packed {
            let tensor = self.file.tensor(&name)?;
            let packed = Packed::from_bytes(self.stored.format(), rows, columns, tensor.bytes)
                .map_err(|error| Error::tensor(&name, error))?;
            if self.wanted == self.stored { packed } else { kernels::int8_from_q4_0(&packed) }
        } else {
            self.pack(&name, rows, columns)?
        };
        Ok(Linear { weights, bias })
    }

    fn pack(&self, name: &str, rows: usize, columns: usize) -> Result<Packed<'static>, Error> {
        let packed = match self.stored {
            Scheme::Q4_0 => {
                let tensor = matrix(self.file, name, Kind::Q4_0, rows, columns)?;
                Packed::pack_q4_0(rows, columns, tensor.bytes).map(|packed| {
                    if self.wanted == Scheme::Int8 { kernels::int8_from_q4_0(&packed) } else { packed }
                })
            }
            Scheme::Int8 => {
                let tensor = matrix(self.file, name, Kind::I8, rows, columns)?;
                let scales = self.vector(&format!("{name}.scale"), rows)?;
                Packed::pack_int8(rows, columns, kernels::embedding::signed(tensor.bytes), &scales)
            }
        };
        packed.map_err(|error| Error::tensor(name, error))
    }

    pub(super) fn norm(&self, name: &str) -> Result<Norm<'a>, Error> {
        Ok(Norm {
            weight: self.vector(&format!("{name}.weight"), self.config.hidden)?,
            bias: self.vector(&format!("{name}.bias"), self.config.hidden)?,
        })
    }

    fn vector(&self, name: &str, length: usize) -> Result<Cow<'a, [f32]>, Error> {
        let tensor = self.file.tensor(name)?;
        if tensor.dims != [length, 1, 1, 1] {
            return Err(Error::tensor(name, format!("is {:?}, the model needs [{length}]", tensor.dims)));
        }
        Ok(tensor.f32s()?)
    }

    /// `None` where the file has no such table.
    pub(super) fn table(&self, name: &str, rows: usize) -> Result<Table<'a>, Error> {
        let tensor = self.file.tensor(name)?;
        let columns = self.config.hidden;
        if tensor.dims[0] != columns || tensor.dims[1] < rows || tensor.dims[2..] != [1, 1] {
            let problem = format!("is {:?}, the model needs {columns} columns and {rows} rows", tensor.dims);
            return Err(Error::tensor(name, problem));
        }
        if tensor.kind != Kind::I8 {
            return Ok(Table::F32 { values: tensor.f32s()?, columns });
        }
        let scale = self.file.f32(&format!("lacuna.scale.{name}"))?;
        let key = format!("lacuna.zero.{name}");
        let zero = self.file.f32(&key)?;
        if !(-128.0..=127.0).contains(&zero) || zero as i32 as f32 != zero {
            return Err(Error::key(&key, format!("{zero} is not an integer of -128..=127")));
        }
        Ok(Table::Int8 { quants: tensor.bytes, scale, zero, columns })
    }
}

/// A matrix of exactly this kind and shape.
fn matrix<'a>(
    file: &Gguf<'a>,
    name: &str,
    kind: Kind,
    rows: usize,
    columns: usize,
) -> Result<Tensor<'a>, Error> {
    let tensor = file.tensor(name)?;
    if tensor.kind != kind || tensor.dims != [columns, rows, 1, 1] {
        let problem = format!(
            "is {:?} in {}, the model needs {columns} columns and {rows} rows in {}",
            tensor.dims,
            tensor.kind.name(),
            kind.name()
        );
        return Err(Error::tensor(name, problem));
    }
    Ok(tensor)
}

/// The same model with its matrices packed for products on `target_arch` (`wasm32`, `x86_64`, `aarch64`), to be
/// embedded in a program or bundled with one. What was packed carries `lacuna.layout`.
///
/// # Errors
/// A file that is not a whole model, or is packed already.
pub fn packed_gguf(file: &Gguf<'_>, target_arch: &str) -> Result<Vec<u8>, Error> {
    if file.get("lacuna.layout").is_some() {
        return Err(Error::key("lacuna.layout", "the file is packed already"));
    }
    let config = Config::read(file)?;
    let scheme = Scheme::of(file)?;
    let layout = kernels::Layout::of(target_arch);
    let mut packed = std::collections::BTreeMap::new();
    let mut scales = std::collections::BTreeSet::new();
    let mut pack = |prefix: &str, (part, shape): Matrix| -> Result<(), Error> {
        let (rows, columns) = shape(&config);
        let name = format!("{prefix}{part}.weight");
        let bytes = match scheme {
            Scheme::Q4_0 => {
                let tensor = matrix(file, &name, Kind::Q4_0, rows, columns)?;
                kernels::packed::pack_q4_0(layout, rows, columns, tensor.bytes)
            }
            Scheme::Int8 => {
                let tensor = matrix(file, &name, Kind::I8, rows, columns)?;
                let scale = format!("{name}.scale");
                let values = file.tensor(&scale)?.f32s()?;
                scales.insert(scale);
                let quants = kernels::embedding::signed(tensor.bytes);
                kernels::packed::pack_int8(layout, rows, columns, quants, &values)
            }
        }
        .map_err(|error| Error::tensor(&name, error))?;
        packed.insert(name, bytes);
        Ok(())
    };
    for layer in 0..config.layers {
        for matrix in LAYER {
            pack(&format!("blk.{layer}."), matrix)?;
        }
    }
    pack("", CLASSIFIER)?;
    let mut writer = Writer::new();
    // Vectors are read in place.
    writer.align(64)?;
    for (key, value) in file.keys().filter(|(key, _)| *key != "general.alignment") {
        writer.set(key, value);
    }
    writer.set("lacuna.layout", layout.id());
    for tensor in file.tensors().filter(|tensor| !scales.contains(tensor.name)) {
        match packed.remove(tensor.name) {
            Some(bytes) => writer.tensor(tensor.name, Kind::I8, &[bytes.len()], bytes)?,
            None => writer.tensor(tensor.name, tensor.kind, &tensor.dims, tensor.bytes)?,
        }
    }
    Ok(writer.to_vec())
}
