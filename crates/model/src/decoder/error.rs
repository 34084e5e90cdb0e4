use std::fmt;

use weights::Tensor;

/// Why a decoder cannot be made, or cannot take these ids: what, where and by how much.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The file does not hold what it should.
    File(weights::Error),
    /// An architecture without a row in `config.rs`.
    Architecture { found: String },
    /// A metadata value that no model of these families has.
    Setting { key: String, problem: String },
    /// A tensor of another shape.
    Shape { tensor: String, rows: usize, columns: usize, needs_rows: usize, needs_columns: usize },
    /// A tensor whose blocks cannot be multiplied.
    Matrix { tensor: String, problem: String },
    /// An id beyond the vocabulary.
    Id { id: u32, at: usize, vocabulary: usize },
    /// More positions than the model was made for.
    Context { positions: usize, limit: usize },
    /// A run without ids.
    Empty,
    /// No memory for a model in one piece.
    Memory { bytes: u64 },
}

impl Error {
    pub(super) fn shape(tensor: &Tensor<'_>, rows: usize, columns: usize) -> Error {
        Error::Shape {
            tensor: tensor.name.into(),
            rows: tensor.rows(),
            columns: tensor.columns(),
            needs_rows: rows,
            needs_columns: columns,
        }
    }

    pub(super) fn matrix(tensor: &Tensor<'_>, problem: String) -> Error {
        Error::Matrix { tensor: tensor.name.into(), problem }
    }

    pub(super) fn setting(key: &str, problem: impl Into<String>) -> Error {
        Error::Setting { key: key.into(), problem: problem.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(error) => error.fmt(f),
            Error::Architecture { found } => {
                let known = super::config::architectures().collect::<Vec<_>>().join(", ");
                write!(f, "architecture {found}: {known} are supported")
            }
            Error::Setting { key, problem } => write!(f, "key {key}: {problem}"),
            Error::Shape { tensor, rows, columns, needs_rows, needs_columns } => write!(
                f,
                "tensor {tensor}: the model needs {needs_rows} rows of {needs_columns}, the file has {rows} of {columns}"
            ),
            Error::Matrix { tensor, problem } => write!(f, "tensor {tensor}: {problem}"),
            Error::Id { id, at, vocabulary } => {
                write!(f, "id {id} at {at} is not below the vocabulary's {vocabulary}")
            }
            Error::Context { positions, limit } => {
                write!(f, "{positions} positions are over the model's {limit}")
            }
            Error::Empty => write!(f, "a run needs at least one id"),
            Error::Memory { bytes } => write!(f, "no memory for the model's {bytes} bytes in one piece"),
        }
    }
}

impl std::error::Error for Error {}

impl From<weights::Error> for Error {
    fn from(error: weights::Error) -> Error {
        Error::File(error)
    }
}
