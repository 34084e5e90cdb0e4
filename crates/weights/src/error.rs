use std::fmt;

use crate::Kind;

/// Why bytes are not a GGUF file, or not the one asked for: what, where and by how much.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The first four bytes are not `GGUF`.
    Magic { found: Vec<u8> },
    /// A version this reader does not know.
    Version { found: u32 },
    /// The file ends inside `what`.
    Truncated { what: String, offset: u64, needs: u64, has: u64 },
    /// A claim beyond one of this crate's limits.
    Limit { what: String, found: u64, limit: u64, reason: &'static str },
    /// A metadata key is absent, or is not what was asked for.
    Key { key: String, problem: String },
    /// Values or blocks of a type that is not computed here, or that do not fit it.
    Kind { kind: Kind, problem: String },
    /// A tensor is absent, or does not fit its description.
    Tensor { tensor: String, problem: String },
}

impl Error {
    pub(crate) fn key(key: &str, problem: impl Into<String>) -> Error {
        Error::Key { key: key.into(), problem: problem.into() }
    }

    pub(crate) fn tensor(tensor: &str, problem: impl Into<String>) -> Error {
        Error::Tensor { tensor: tensor.into(), problem: problem.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Magic { found } => {
                write!(f, "not a GGUF file: it starts with \"{}\", not \"GGUF\"", found.escape_ascii())
            }
            Error::Version { found } if matches!(found.swap_bytes(), 1..=3) => {
                write!(
                    f,
                    "GGUF version {} in big-endian order: only little-endian files are read",
                    found.swap_bytes()
                )
            }
            Error::Version { found } => write!(f, "GGUF version {found}: versions 2 and 3 are read"),
            Error::Truncated { what, offset, needs, has } => {
                write!(f, "{what}: at offset {offset} it needs {needs} bytes, file has {has}")
            }
            Error::Limit { what, found, limit, reason } => {
                write!(f, "{what}: {found} is over the limit of {limit} ({reason})")
            }
            Error::Key { key, problem } => write!(f, "key {key}: {problem}"),
            Error::Kind { kind, problem } => write!(f, "{} {problem}", kind.name()),
            Error::Tensor { tensor, problem } => write!(f, "tensor {tensor}: {problem}"),
        }
    }
}

impl std::error::Error for Error {}
