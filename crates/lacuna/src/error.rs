//! The one error of the library.

use std::fmt;

/// Why a call did not answer. Nothing is ever redacted in part: a call answers whole or with one of these.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An option holds a value it does not take.
    Option {
        /// The option's name as in the JSON of the API, e.g. `threshold.EMAIL`.
        field: String,
        /// What was found and what would be right.
        message: String,
    },
    /// An option that is planned but not built: asking for it must not be ignored in silence.
    Unsupported {
        /// The option's name as in the JSON of the API.
        field: String,
    },
    /// The model file is damaged or of a kind this library does not run.
    Model(model::Error),
    /// The GGUF container is damaged.
    File(weights::Error),
    /// The compiled tokenizer table is damaged.
    Tokenizer(tokens::TableError),
    /// The model file and its tokenizer do not fit each other or this library.
    Mismatch(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Option { field, message } => write!(f, "{field}: {message}"),
            Error::Unsupported { field } => {
                write!(
                    f,
                    "{field}: not supported by this version; remove it (it is refused rather than ignored)"
                )
            }
            Error::Model(e) => write!(f, "model: {e}"),
            Error::File(e) => write!(f, "model file: {e}"),
            Error::Tokenizer(e) => write!(f, "tokenizer: {e}"),
            Error::Mismatch(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Model(e) => Some(e),
            Error::File(e) => Some(e),
            _ => None,
        }
    }
}

impl From<model::Error> for Error {
    fn from(e: model::Error) -> Self {
        Error::Model(e)
    }
}

impl From<weights::Error> for Error {
    fn from(e: weights::Error) -> Self {
        Error::File(e)
    }
}

impl From<tokens::TableError> for Error {
    fn from(e: tokens::TableError) -> Self {
        Error::Tokenizer(e)
    }
}
