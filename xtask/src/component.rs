//! `component`: crates/http as a component, in both builds.

use std::path::PathBuf;

use crate::process;
use crate::toolchain::Toolchain;

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
            Build::Plain => "-C target-feature=+simd128",
            Build::Relaxed => "-C target-feature=+simd128,+relaxed-simd",
        }
    }
}

/// The one target the component needs.
const TARGET: &str = "wasm32-wasip1";

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
    let toolchain = Toolchain::set_up_for(&[TARGET])?;
    let core = core(&toolchain, build)?;
    let mut tool = process::command("cargo");
    tool.args(["run", "--quiet", "--profile", "tool", "-p", "lacuna-componentize", "--"]);
    process::run(tool.arg(core).arg(build.file()))?;
    Ok(build.file())
}

/// Builds the core module. Both builds share a directory: cargo keeps them apart by their flags, and the file
/// returned is the one of the last build.
fn core(toolchain: &Toolchain, build: Build) -> Result<PathBuf, String> {
    let mut cargo = toolchain.applied(process::command("cargo"));
    cargo.args(["build", "--profile", "wasm", "-p", "lacuna-http", "--target", TARGET]);
    cargo.env("RUSTFLAGS", build.rustflags()).env_remove("CARGO_ENCODED_RUSTFLAGS");
    process::run(&mut cargo)?;
    Ok(process::target_directory().join(TARGET).join("wasm/lacuna_http.wasm"))
}
