//! The browser and Node module.
