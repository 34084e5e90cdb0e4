//! The model that comes with the library.

use crate::{Clock, Error, Redactor};

/// Bytes at an address that vectors and pages like.
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

static MODEL: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/model.gguf")));
static TABLE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/tokenizer.table")));

/// SHA-256 of the model file as committed under models/rampart.
pub const MODEL_SHA256: &str = env!("LACUNA_MODEL_SHA256");
/// Name of the embedded model.
pub const MODEL_NAME: &str = "rampart-q4_0";

impl Redactor<'static> {
    /// A redactor over the embedded Rampart model. Nothing is parsed or unpacked: weights and tokenizer lie in
    /// the program as they are read.
    ///
    /// # Errors
    /// None in a program that was built whole; the embedded bytes are checked like any others.
    pub fn embedded() -> Result<Redactor<'static>, Error> {
        Redactor::embedded_timed(None, &|| 0.0)
    }

    /// [`Redactor::embedded`] in a scheme of choice, with a clock for the load times.
    ///
    /// # Errors
    /// As `embedded`.
    pub fn embedded_timed(
        scheme: Option<model::Scheme>,
        clock: Clock<'_>,
    ) -> Result<Redactor<'static>, Error> {
        Redactor::new(&MODEL.0, &TABLE.0, scheme, clock)
    }
}
