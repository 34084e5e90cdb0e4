//! A model's tensors under their Hugging Face names, whatever file they came from.

use std::collections::BTreeMap;

use crate::Error;

/// Tensors by name, e.g. `bert.encoder.layer.0.attention.self.query.weight`.
#[derive(Debug, Default)]
pub(crate) struct Checkpoint(pub(crate) BTreeMap<String, Stored>);

/// A tensor: outermost dimension first, as PyTorch has it (a matrix is [outputs, inputs]).
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) dims: Vec<usize>,
    pub(crate) data: Data,
}

#[derive(Debug)]
pub(crate) enum Data {
    F32(Vec<f32>),
    /// GGML Q4_0 blocks.
    Q4_0(Vec<u8>),
    /// value = scale * (byte - zero).
    U8 {
        bytes: Vec<u8>,
        scale: f32,
        zero: u8,
    },
}

impl Checkpoint {
    /// The tensor of that name and shape.
    pub(crate) fn get(&self, name: &str, dims: &[usize]) -> Result<&Stored, Error> {
        let stored = self.0.get(name).ok_or_else(|| {
            let mut problem = format!("not among the file's {} tensors", self.0.len());
            // Another prefix is what differs most often.
            if let Some(other) =
                self.0.keys().find(|other| other.ends_with(name) || name.ends_with(&other[..]))
            {
                problem += &format!("; it has {other}");
            }
            Error::tensor(name, problem)
        })?;
        if stored.dims != dims {
            let problem = format!("the configuration needs shape {dims:?}, the file has {:?}", stored.dims);
            return Err(Error::tensor(name, problem));
        }
        Ok(stored)
    }
}
