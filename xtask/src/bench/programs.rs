//! Our own programs, as the benchmarks run them.

use std::path::PathBuf;
use std::process::Command;

use crate::toolchain::{RELAXED, SIMD128, Toolchain};
use crate::{process, run_wasm};

/// The two builds for Wasm.
#[derive(Clone, Copy, PartialEq)]
pub enum Build {
    Plain,
    Relaxed,
}

impl Build {
    fn name(self) -> &'static str {
        match self {
            Build::Plain => "plain",
            Build::Relaxed => "relaxed",
        }
    }

    fn features(self) -> &'static str {
        match self {
            Build::Plain => SIMD128,
            Build::Relaxed => RELAXED,
        }
    }

    /// Builds a wasip1 program of `package` and returns it.
    ///
    /// # Errors
    /// The toolchain cannot be set up, or the build failed.
    pub fn program(self, toolchain: &Toolchain, package: &str) -> Result<PathBuf, String> {
        let directory = process::target_directory().join(format!("bench-{}", self.name()));
        let folder = toolchain.build(self.features(), &directory, &["-p", package])?;
        Ok(folder.join(format!("{package}.wasm")))
    }
}

/// Builds the native program of `package` and returns it.
///
/// # Errors
/// The build failed.
pub fn native(package: &str) -> Result<PathBuf, String> {
    process::run(process::command("cargo").args(["build", "--release", "-p", package]))?;
    Ok(process::target_directory().join("release").join(package))
}

/// Our host: built, or the one `LACUNA_HOST` names.
///
/// # Errors
/// The build failed.
pub fn host() -> Result<PathBuf, String> {
    match std::env::var_os("LACUNA_HOST") {
        Some(path) => Ok(path.into()),
        None => run_wasm::host(),
    }
}

/// A wasip1 program in Wasmtime with the settings of production.
pub fn in_wasmtime(host: &std::path::Path, program: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = process::command(&host.to_string_lossy());
    command.arg("run-wasm").arg(program).args(arguments);
    command
}

/// A wasip1 program in Node.
pub fn in_node(program: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = process::command("node");
    command.args(["--no-warnings", "--experimental-wasm-relaxed-simd", "bench/peers/wasi.mjs"]);
    command.arg(program).args(arguments);
    command
}
