//! Recognisers with check digits and context, from compiled automata.
#![forbid(unsafe_code)]
