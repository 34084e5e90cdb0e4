//! Compiles the recogniser patterns into automata.
//!
//! The build script of `lacuna-rules` hands over two texts, the shapes and the context words, and gets Rust source
//! with static tables back: nothing is parsed, compiled or allocated when a text is searched.
//!
//! **Method**: `regex-automata` determinises all patterns together (anchored, every match kept); [`dfa`] reads the
//! result state by state, asks of each state which patterns end there, merges equal states (Moore) and equal byte
//! columns, and [`source`] writes the rest down.
#![forbid(unsafe_code)]

mod dfa;
mod shapes;
mod source;
mod words;

pub use dfa::Table;
pub use shapes::Shape;

/// What is wrong with a data file.
#[derive(Debug)]
pub struct Error(String);

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Rust source with the tables of these shapes and context words.
///
/// # Errors
/// A row that does not parse, a word group that no line defines, a pattern that does not compile: the message names
/// the file and the line.
pub fn compile(shapes: &str, words: &str) -> Result<String, Error> {
    let words = words::parse(words)?;
    let shapes = shapes::parse(shapes, &words.groups)?;
    let shape_table = dfa::compile(&shapes.iter().map(|s| s.pattern.clone()).collect::<Vec<_>>())?;
    let word_table = dfa::compile(&words.patterns)?;
    Ok(source::write(&shapes, &shape_table, &words, &word_table))
}
