//! Takes personal data out of text, with the same bits on every machine.
//!
//! ```no_run
//! # #[cfg(feature = "rampart")] {
//! use lacuna::{Options, Redactor};
//!
//! let redactor = Redactor::embedded().unwrap();
//! let answer = redactor.redact("I am Ana Lima, ana@example.org", &Options::default()).unwrap();
//! println!("{}", answer.text); // I am [GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]
//! # }
//! ```
//!
//! A text goes through `rules` (values with a shape and a check digit), is cut into windows, read by the token
//! classifier, and both answers are arbitrated into items that do not overlap. Nothing is kept between calls.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod addresses;
mod arbitrate;
#[cfg(feature = "complete")]
pub mod complete;
mod consistency;
mod cues;
#[cfg(feature = "rampart")]
mod embedded;
mod error;
mod everyday;
mod fields;
mod given;
pub mod json;
pub mod labels;
mod lists;
mod lone;
mod names;
mod near;
mod options;
mod packed;
mod people;
mod placeholder;
mod plausible;
mod redactor;
mod repair;
mod restore;
mod sentinel;
mod spans;
mod timing;
mod windows;

pub use arbitrate::Evidence;
pub use error::Error;
pub use options::{Consistency, MapMode, Mode, Options, Threshold};
#[cfg(feature = "load")]
pub use packed::pack;
pub use packed::{file_key, is_packed};
pub use placeholder::{Item, Source};
#[cfg(feature = "load")]
pub use redactor::tokenizer_table;
pub use redactor::{Logits, Redaction, Redactor};
pub use restore::{Map, RestoreMode, Restored, restore};
pub use timing::{Clock, Timings};

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
