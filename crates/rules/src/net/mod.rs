//! E-mail addresses, URLs, IP and hardware addresses.

pub mod email;
pub mod ip;
pub mod mac;
pub mod url;
