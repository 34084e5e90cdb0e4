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

/// Builds one guest with `flags`.
fn build_one(toolchain: &Toolchain, flags: &str, directory: &Path, to: &Path) -> Result<(), String> {
    let folder = toolchain.build(flags, directory, &["-p", "lacuna-guest", "--bin", "lacuna-guest"])?;
    let from = folder.join("lacuna-guest.wasm");
    std::fs::copy(&from, to).map_err(|why| format!("{} to {}: {why}", from.display(), to.display()))?;
    Ok(())
}

/// Builds the guest without any SIMD, to compare with: `target/lacuna-guest-scalar.wasm`.
///
/// # Errors
/// As [`build`].
pub fn build_scalar() -> Result<PathBuf, String> {
    let target = process::target_directory();
    let scalar = target.join("lacuna-guest-scalar.wasm");
    // The folder of the relaxed guest: what runs on this machine is built once for both.
    build_one(&Toolchain::set_up()?, "-C target-feature=-simd128", &target.join("relaxed"), &scalar)?;
    Ok(scalar)
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    let mut built = build()?.to_vec();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {}
        ["--scalar"] => built.push(build_scalar()?),
        other => return Err(format!("guest takes --scalar (one without SIMD as well), and got {other:?}")),
    }
    for path in built {
        let bytes = std::fs::metadata(&path).map_err(|why| format!("{}: {why}", path.display()))?.len();
        println!("{}: {bytes} bytes", path.display());
    }
    Ok(())
}
