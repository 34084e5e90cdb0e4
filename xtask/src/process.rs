//! Running other programs from the root of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A folder of programs before those of PATH.
static FIRST: OnceLock<PathBuf> = OnceLock::new();

/// Lets every [`command`] from now on find the programs in `folder` before others; the first such folder stays.
pub fn search_first(folder: PathBuf) {
    FIRST.get_or_init(|| folder);
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// Where cargo puts what it builds.
pub fn target_directory() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    }
}

/// A command that starts in the root, free of what cargo set for `xtask` itself.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"] {
        command.env_remove(name);
    }
    if let Some(folder) = FIRST.get() {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(folder.clone()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap_or(path));
    }
    command
}

/// Runs to the end with inherited output.
///
/// # Errors
/// The program cannot be started, or did not end with status 0.
pub fn run(command: &mut Command) -> Result<(), String> {
    let shown = shown(command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(why) => Err(format!("cannot start `{shown}`: {why}")),
    }
}

/// Runs to the end and returns what was printed on standard output; errors are inherited.
///
/// # Errors
/// As [`run`], and output that is not UTF-8.
pub fn output(command: &mut Command) -> Result<String, String> {
    let shown = shown(command);
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|why| format!("cannot start `{shown}`: {why}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{shown}` printed something that is not UTF-8"))
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text += &argument.to_string_lossy();
    }
    text
}
