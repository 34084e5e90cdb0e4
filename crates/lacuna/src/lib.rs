//! Takes personal data out of text, with the same bits on every machine.
#![forbid(unsafe_code)]
