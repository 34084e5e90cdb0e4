//! `guest`: the wasip1 program that `lacuna bundle` gives a model to, plain and with relaxed SIMD.

use std::path::{Path, PathBuf};

use crate::process;
use crate::toolchain::{RELAXED, SIMD128, Toolchain};

/// Builds both guests and returns where they lie: `target/lacuna-guest.wasm`, `target/lacuna-guest-relaxed.wasm`.
///
/// # Errors
/// The toolchain cannot be set up, or the build failed.
pub fn build() -> Result<[PathBuf; 2], String> {
    let toolchain = Toolchain::set_up()?;
    let target = process::target_directory();
    let plain = target.join("lacuna-guest.wasm");
    build_one(&toolchain, SIMD128, &target, &plain)?;
    // Flags of its own want a directory of their own, or each build would undo the other.
    let relaxed = target.join("lacuna-guest-relaxed.wasm");
    build_one(&toolchain, RELAXED, &target.join("relaxed"), &relaxed)?;
    Ok([plain, relaxed])
}

/// Builds one guest with `flags`, in a target directory of its own.
///
/// # Errors
/// The build failed.
pub fn build_one(toolchain: &Toolchain, flags: &str, directory: &Path, to: &Path) -> Result<(), String> {
    let folder = toolchain.build(flags, directory, &["-p", "lacuna-guest", "--bin", "lacuna-guest"])?;
    let from = folder.join("lacuna-guest.wasm");
    std::fs::copy(&from, to).map_err(|why| format!("{} to {}: {why}", from.display(), to.display()))?;
    Ok(())
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(argument) = arguments.first() {
        return Err(format!("guest takes no argument, and got {argument:?}"));
    }
    for path in build()? {
        let bytes = std::fs::metadata(&path).map_err(|why| format!("{}: {why}", path.display()))?.len();
        println!("{}: {bytes} bytes", path.display());
    }
    Ok(())
}
