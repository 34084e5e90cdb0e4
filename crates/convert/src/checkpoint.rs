//! A model's tensors under their Hugging Face names, whatever file they came from.

use std::{borrow::Cow, collections::BTreeMap};

use crate::Error;

/// Tensors by name, e.g. `bert.encoder.layer.0.attention.self.query.weight`.
#[derive(Debug, Default)]
pub(crate) struct Checkpoint<'a>(pub(crate) BTreeMap<String, Stored<'a>>);

/// A tensor: outermost dimension first, as PyTorch has it (a matrix is [outputs, inputs]).
#[derive(Debug)]
pub(crate) struct Stored<'a> {
    pub(crate) dims: Vec<usize>,
    pub(crate) data: Data<'a>,
}

#[derive(Debug)]
pub(crate) enum Data<'a> {
    F32(Vec<f32>),
    /// GGML Q4_0 blocks.
    Q4_0(Vec<u8>),
    /// value = scale * (byte - zero).
    U8 {
        bytes: Cow<'a, [u8]>,
        scale: f32,
        zero: u8,
    },
}

impl Checkpoint<'_> {
    /// The tensor of that name and shape.
    pub(crate) fn get(&self, name: &str, dims: &[usize]) -> Result<&Stored<'_>, Error> {
        let stored = self
            .0
            .get(name)
            .ok_or_else(|| Error::tensor(name, format!("not among the file's {} tensors", self.0.len())))?;
        if stored.dims != dims {
            let problem = format!("the configuration needs shape {dims:?}, the file has {:?}", stored.dims);
            return Err(Error::tensor(name, problem));
        }
        Ok(stored)
    }
}
