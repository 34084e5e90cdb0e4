use std::fmt;

/// Why a model cannot be read, or cannot generate.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The decoder refuses the file or the ids.
    Decoder(model::decoder::Error),
    /// The file is not what it should be.
    File(weights::Error),
    /// The compiled tokenizer is not one this build reads.
    Table(tokens::TableError),
    /// The vocabulary cannot be compiled.
    Tokenizer(String),
    /// More texts than rows of logits.
    Vocabulary {
        /// Tokens of the tokenizer.
        texts: usize,
        /// Rows of logits.
        rows: usize,
    },
    /// No chat template.
    NoTemplate,
    /// The chat template failed.
    Template(String),
    /// An option out of its range.
    Option {
        /// The option.
        name: &'static str,
        /// What was found, and what may be.
        problem: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Decoder(error) => error.fmt(f),
            Error::File(error) => error.fmt(f),
            Error::Table(error) => write!(f, "tokenizer table: {error}"),
            Error::Tokenizer(problem) => write!(f, "tokenizer: {problem}"),
            Error::Vocabulary { texts, rows } => {
                write!(f, "the tokenizer has {texts} tokens, the model only {rows}")
            }
            Error::NoTemplate => {
                write!(f, "the file has no tokenizer.chat_template: give the whole prompt yourself (--raw)")
            }
            Error::Template(problem) => write!(f, "chat template: {problem}"),
            Error::Option { name, problem } => write!(f, "{name}: {problem}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<model::decoder::Error> for Error {
    fn from(error: model::decoder::Error) -> Error {
        Error::Decoder(error)
    }
}

impl From<weights::Error> for Error {
    fn from(error: weights::Error) -> Error {
        Error::File(error)
    }
}

impl From<tokens::TableError> for Error {
    fn from(error: tokens::TableError) -> Error {
        Error::Table(error)
    }
}
