//! `guest`: the wasip1 program that `lacuna bundle` gives a model to, plain and with relaxed SIMD.

use std::path::{Path, PathBuf};

use crate::process;
use crate::toolchain::Toolchain;

/// Builds both guests and returns where they lie: `target/lacuna-guest.wasm`, `target/lacuna-guest-relaxed.wasm`.
///
/// # Errors
/// The toolchain cannot be set up, or the build failed.
pub fn build() -> Result<[PathBuf; 2], String> {
    let toolchain = Toolchain::set_up()?;
    let target = process::target_directory();
    let plain = target.join("lacuna-guest.wasm");
    build_one(&toolchain, None, &target, &plain)?;
    // Flags of its own want a directory of their own, or each build would undo the other.
    let relaxed = target.join("lacuna-guest-relaxed.wasm");
    let flags = "-C target-feature=+simd128,+relaxed-simd";
    build_one(&toolchain, Some(flags), &target.join("relaxed"), &relaxed)?;
    Ok([plain, relaxed])
}

/// Builds one guest with `flags` in place of the workspace's own, in a target directory of its own.
///
/// # Errors
/// The build failed.
pub fn build_one(
    toolchain: &Toolchain,
    flags: Option<&str>,
    directory: &Path,
    to: &Path,
) -> Result<(), String> {
    let mut command = toolchain.applied(process::command("cargo"));
    command.args([
        "build",
        "--profile",
        "wasm",
        "--target",
        "wasm32-wasip1",
        "-p",
        "lacuna-guest",
        "--bin",
        "lacuna-guest",
    ]);
    command.arg("--target-dir").arg(directory);
    if let Some(flags) = flags {
        command.env("RUSTFLAGS", flags);
    }
    process::run(&mut command)?;
    let from = directory.join("wasm32-wasip1/wasm/lacuna-guest.wasm");
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
