//! What can be wrong with a model file or with what a model is asked.

use std::fmt;

/// Why a model cannot be built or run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The file lacks something, or says something else.
    File(weights::Error),
    /// A metadata value the model cannot have.
    Key {
        /// The key.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// A tensor of another type or shape than the model needs.
    Tensor {
        /// Its name.
        tensor: String,
        /// What is wrong.
        problem: String,
    },
    /// A pass over no tokens, or over more than the model has positions for.
    Length {
        /// Tokens asked for.
        got: usize,
        /// The most there can be.
        limit: usize,
    },
    /// A token outside the vocabulary.
    Token {
        /// Its place in the input.
        index: usize,
        /// The id.
        id: u32,
        /// Rows of the embedding table.
        vocabulary: usize,
    },
}

impl Error {
    pub(crate) fn key(key: &str, problem: impl Into<String>) -> Error {
        Error::Key { key: key.into(), problem: problem.into() }
    }

    pub(crate) fn tensor(tensor: &str, problem: impl fmt::Display) -> Error {
        Error::Tensor { tensor: tensor.into(), problem: problem.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(error) => error.fmt(f),
            Error::Key { key, problem } => write!(f, "key {key}: {problem}"),
            Error::Tensor { tensor, problem } => write!(f, "tensor {tensor}: {problem}"),
            Error::Length { got: 0, .. } => write!(f, "no tokens: a pass needs at least one"),
            Error::Length { got, limit } => {
                write!(f, "{got} tokens, the model reads at most {limit} in one pass")
            }
            Error::Token { index, id, vocabulary } => {
                write!(f, "token {index} is {id}, the vocabulary has {vocabulary}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File(error) => Some(error),
            _ => None,
        }
    }
}

impl From<weights::Error> for Error {
    fn from(error: weights::Error) -> Error {
        Error::File(error)
    }
}
