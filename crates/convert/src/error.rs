use std::fmt;

/// Why a model was not converted: which file, tensor or field, and the numbers.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    File { path: String, source: std::io::Error },
    /// A file is not of its format.
    Format { file: &'static str, problem: String },
    /// A field of `config.json` is absent, of another type, or of a value no encoder here computes.
    Config { field: String, problem: String },
    /// A tensor is absent, of another shape or type, or holds a value the scheme cannot.
    Tensor { tensor: String, problem: String },
    /// The result could not be written.
    Gguf(weights::Error),
}

impl Error {
    pub(crate) fn format(file: &'static str, problem: impl Into<String>) -> Error {
        Error::Format { file, problem: problem.into() }
    }

    pub(crate) fn config(field: &str, problem: impl Into<String>) -> Error {
        Error::Config { field: field.into(), problem: problem.into() }
    }

    pub(crate) fn tensor(tensor: &str, problem: impl Into<String>) -> Error {
        Error::Tensor { tensor: tensor.into(), problem: problem.into() }
    }
}

impl From<weights::Error> for Error {
    fn from(error: weights::Error) -> Error {
        Error::Gguf(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File { path, source } => write!(f, "{path}: {source}"),
            Error::Format { file, problem } => write!(f, "{file}: {problem}"),
            Error::Config { field, problem } => write!(f, "config.json: {field}: {problem}"),
            Error::Tensor { tensor, problem } => write!(f, "tensor {tensor}: {problem}"),
            Error::Gguf(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File { source, .. } => Some(source),
            Error::Gguf(error) => Some(error),
            _ => None,
        }
    }
}
