//! GGUF reader and writer: bytes to a checked tensor directory.
//!
//! [`Gguf::parse`] checks everything the file says about itself (magic, version, counts, lengths,
//! types, alignment, overlap, every offset and size) and allocates only the directory. What it hands
//! out afterwards borrows from the bytes and cannot be out of range.
//!
//! ```
//! use lacuna_weights::{Gguf, Kind, Writer};
//!
//! let mut writer = Writer::new();
//! writer.set("general.architecture", "bert");
//! writer.tensor("cls.bias", Kind::F32, &[2], [1.0f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat())?;
//! let bytes = writer.to_vec();
//!
//! let file = Gguf::parse(&bytes)?;
//! assert_eq!(file.str("general.architecture")?, "bert");
//! assert_eq!(*file.tensor("cls.bias")?.f32s()?, [1.0, 2.0]);
//! # Ok::<(), lacuna_weights::Error>(())
//! ```
//!
//! **Source**: the GGUF description in ggml's `docs/gguf.md`, versions 2 and 3, little-endian.
#![deny(unsafe_code)]

mod dequantize;
mod error;
mod kind;
mod limits;
#[cfg(not(target_family = "wasm"))]
pub mod mmap;
mod quantize;
mod read;
mod split;
mod unpack;
mod value;
mod write;

pub use dequantize::{dequantize, is_dequantizable};
pub use error::Error;
pub use kind::Kind;
pub use limits::{MAX_ALIGNMENT, MAX_DEPTH, MAX_KEY_BYTES, MAX_KEYS, MAX_NAME_BYTES, MAX_TENSORS};
pub use quantize::{quantize, quantize_file};
pub use read::{Gguf, Head, Tensor};
pub use split::part_names;
pub use unpack::{form, unpack};
pub use value::{Array, Value, ValueKind};
pub use write::{Encode, FileLayout, Writer};
