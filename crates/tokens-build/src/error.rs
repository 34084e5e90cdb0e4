//! What can be wrong with a tokenizer file.

use std::fmt;

/// Why a tokenizer file or vocabulary cannot become a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Not JSON: what the parser said and where.
    Json { problem: String },
    /// A field is missing, has another type, or a value outside what the format allows.
    Field { field: String, problem: String },
    /// A part of the tokenizer that tables do not hold.
    Unsupported { field: String, found: String, supported: &'static str },
    /// More of something than a table can hold.
    TooLarge { what: &'static str, found: usize, limit: usize },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { problem } => write!(f, "tokenizer file: not JSON: {problem}"),
            Self::Field { field, problem } => write!(f, "tokenizer field {field}: {problem}"),
            Self::Unsupported { field, found, supported } => {
                write!(f, "tokenizer field {field}: {found} is not supported; supported: {supported}")
            }
            Self::TooLarge { what, found, limit } => {
                write!(f, "tokenizer: {found} {what}, a table holds {limit}")
            }
        }
    }
}

impl std::error::Error for Error {}

pub(crate) fn field(field: impl Into<String>, problem: impl Into<String>) -> Error {
    Error::Field { field: field.into(), problem: problem.into() }
}
