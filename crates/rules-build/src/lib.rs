//! Compiles the recogniser patterns into automata.
#![forbid(unsafe_code)]
