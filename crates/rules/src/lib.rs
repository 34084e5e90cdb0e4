//! Recognisers for personal data that has a shape, a check digit or a telling word beside it.
//!
//! [`find`] returns candidates; the `lacuna` crate arbitrates between them and the model. Every candidate
//! says which rule made it, which check it passed and which context word raised it.
//!
//! **Confidence** of a candidate:
//! * 0.9 and up: a strong check (mod 97, Luhn with an issuer range, two check digits, a parsed address), or a
//!   weaker check with a context word;
//! * 0.6 to 0.9: the typical punctuation of its kind, or a shape with a context word;
//! * 0.5 to 0.6: a bare value that is the whole text, where nothing else could be meant;
//! * below 0.5: shape and context word agree but the check digit does not. A typing error in somebody's
//!   number still tells who they are, so the candidate is worth keeping beside a model and not without one.
#![forbid(unsafe_code)]

mod candidate;
mod card;
mod checks;
mod context;
mod dates;
mod iban;
mod list;
mod net;
mod phone;
mod scan;
mod secrets;
mod shadow;
mod shapes;
mod ssn;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod work;

pub use list::{Rule, rules};
pub use net::email::is_of_a_thing;

/// Version of the rules: changes whenever a text may be answered differently.
pub const VERSION: &str = "2";

/// One candidate.
///
/// `start` and `end` are bytes of the original text and lie on character boundaries.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// One of the labels of the design, e.g. `GOVERNMENT_ID`.
    pub label: &'static str,
    /// What kind of that label, e.g. `NHS`.
    pub subtype: Option<&'static str>,
    /// The rule that found it, e.g. `uk_nhs`.
    pub rule: &'static str,
    /// The check that passed, e.g. `luhn` or `mod97`.
    pub check: Option<&'static str>,
    /// Bytes of the context word that raised it.
    pub context: Option<(usize, usize)>,
    /// From 0 to 1; see the crate's page.
    pub confidence: f32,
}

/// Appends the candidates in `text`, sorted by start. Where rules overlap, the better one is kept.
///
/// Time is linear in the length of the text, whatever the text.
///
/// ```
/// let mut found = Vec::new();
/// lacuna_rules::find("Write to ada@example.org.", &mut found);
/// assert_eq!((found[0].start, found[0].end, found[0].label), (9, 24, "EMAIL"));
/// ```
pub fn find(text: &str, out: &mut Vec<Found>) {
    scan::scan(text, out);
}
