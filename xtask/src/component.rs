//! `component`: crates/http as a component, in both builds.

use std::path::PathBuf;

use crate::process;
use crate::toolchain::{RELAXED, SIMD128, Toolchain, WASIP1};

/// Two builds of one source with the same bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Build {
    /// SIMD128: runs anywhere.
    Plain,
    /// Relaxed SIMD where it is exact: faster, for Wasmtime and current browsers.
    Relaxed,
}

impl Build {
    /// Where its component lies.
    pub fn file(self) -> PathBuf {
        process::target_directory().join(match self {
            Build::Plain => "lacuna.wasm",
            Build::Relaxed => "lacuna-relaxed.wasm",
        })
    }

    fn rustflags(self) -> &'static str {
        match self {
            Build::Plain => SIMD128,
            Build::Relaxed => RELAXED,
        }
    }
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(argument) = arguments.first() {
        return Err(format!("{argument:?}: there are no arguments, both components are built"));
    }
    both()
}

/// Builds both components.
///
/// # Errors
/// A build failed; its own message is on standard error.
pub fn both() -> Result<(), String> {
    for build in [Build::Plain, Build::Relaxed] {
        let file = one(build)?;
        let bytes = file.metadata().map_err(|why| format!("{}: {why}", file.display()))?.len();
        println!("{}: {:.1} MB", file.display(), bytes as f64 / 1e6);
    }
    Ok(())
}

/// Sets up what that needs, builds one component and returns its file.
///
/// # Errors
/// As [`both`].
pub fn one(build: Build) -> Result<PathBuf, String> {
    let toolchain = Toolchain::set_up_for(&[WASIP1])?;
    let core = core(&toolchain, build)?;
    let mut tool = process::command("cargo");
    tool.args(["run", "--quiet", "--profile", "tool", "-p", "lacuna-componentize", "--"]);
    process::run(tool.arg(core).arg(build.file()))?;
    Ok(build.file())
}

/// Builds the core module. Both builds share a directory: the file returned is the one of the last build.
fn core(toolchain: &Toolchain, build: Build) -> Result<PathBuf, String> {
    let folder = toolchain.build(build.rustflags(), &process::target_directory(), &["-p", "lacuna-http"])?;
    Ok(folder.join("lacuna_http.wasm"))
}
