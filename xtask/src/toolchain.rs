//! Rust for Wasm: `tools/wasm-toolchain.sh` sets it up, and this applies the environment it prints.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;

/// What components, guests and programs are built for.
pub const WASIP1: &str = "wasm32-wasip1";
const TARGETS: [&str; 2] = [WASIP1, "wasm32-unknown-unknown"];

/// Flags of the build that runs anywhere, which are the workspace's own.
pub const SIMD128: &str = "-C target-feature=+simd128";
/// Flags of the build with relaxed SIMD.
pub const RELAXED: &str = "-C target-feature=+simd128,+relaxed-simd";

/// The environment in which `cargo build --target wasm32-…` works.
pub struct Toolchain {
    variables: Vec<(String, String)>,
}

impl Toolchain {
    /// Sets up what is missing (about two minutes the first time on Debian) and returns the environment.
    ///
    /// # Errors
    /// The set-up failed; its own message is on standard error.
    pub fn set_up() -> Result<Toolchain, String> {
        Toolchain::set_up_for(&TARGETS)
    }

    /// [`Toolchain::set_up`] for some targets only: each costs a build of the standard library.
    ///
    /// # Errors
    /// As `set_up`.
    pub fn set_up_for(targets: &[&str]) -> Result<Toolchain, String> {
        // The shell evaluates what the script prints, so that its quoting rules hold.
        let script = r#"lines=$(tools/wasm-toolchain.sh "$@") && eval "$lines" && env -0"#;
        let printed =
            process::output(process::command("bash").args(["-c", script, "toolchain"]).args(targets))?;
        let wanted = ["RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC", "PATH"];
        let variables = printed
            .split('\0')
            .filter_map(|entry| entry.split_once('='))
            .filter(|(name, _)| wanted.contains(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Ok(Toolchain { variables })
    }

    /// Builds `what` (cargo's options that choose it) for [`WASIP1`] as it is shipped, into `directory`, and returns the
    /// folder where it lies. Builds with other flags share a directory, but only the last one's files are in the folder.
    ///
    /// # Errors
    /// The build failed.
    pub fn build(&self, flags: &str, directory: &Path, what: &[&str]) -> Result<PathBuf, String> {
        const PROFILE: &str = "wasm";
        let mut cargo = self.applied(process::command("cargo"));
        cargo.args(["build", "--profile", PROFILE, "--target", WASIP1, "--target-dir"]).arg(directory);
        cargo.env("RUSTFLAGS", flags).env_remove("CARGO_ENCODED_RUSTFLAGS");
        process::run(cargo.args(what))?;
        Ok(directory.join(WASIP1).join(PROFILE))
    }

    /// Any command with this toolchain's environment.
    pub fn applied(&self, mut command: Command) -> Command {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

pub fn run(_arguments: &[String]) -> Result<(), String> {
    process::run(process::command("tools/wasm-toolchain.sh").args(TARGETS))
}
