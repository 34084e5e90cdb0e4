//! Check digits: what makes a shape a number of its kind.
//!
//! Each function takes a [`Value`] whose shape the automaton has matched already. Sources are the public definitions
//! of the issuing bodies, as noted at each function.

mod accounts;
mod asia;
mod central;
mod east;
mod north;
mod primitives;
mod south;
mod vat;
mod west;
mod world;

pub use accounts::*;
pub use asia::*;
pub use central::*;
pub use east::*;
pub use north::*;
pub use primitives::{Value, luhn, mod_11_10};
pub use south::*;
pub use vat::*;
pub use west::*;
pub use world::*;
