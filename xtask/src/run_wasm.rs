//! `run-wasm`: a wasip1 program under `lacuna-host`, with the settings of production.

use std::path::PathBuf;

use crate::process;

/// Builds `lacuna-host` with its own light profile and returns the program, or the one that `LACUNA_HOST` names.
///
/// # Errors
/// The build failed.
pub fn host() -> Result<PathBuf, String> {
    if let Some(built) = std::env::var_os("LACUNA_HOST") {
        return Ok(PathBuf::from(built));
    }
    process::run(process::command("cargo").args(["build", "--profile", "host", "-p", "lacuna-host"]))?;
    Ok(process::target_directory().join("host/lacuna-host"))
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    if arguments.is_empty() {
        return Err("which FILE? usage: cargo xtask run-wasm FILE [ARGS]...".into());
    }
    let host = host()?;
    process::run(process::command(&host.to_string_lossy()).arg("run-wasm").args(arguments))
}
