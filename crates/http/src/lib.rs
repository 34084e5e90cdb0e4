//! The wasi:http component.
