//! Programs from PyPI, each in a virtual environment of its own that is kept between runs.

use std::path::{Path, PathBuf};

use crate::process;

/// Where they are kept.
pub fn cache() -> PathBuf {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    base.unwrap_or_else(|| process::target_directory().join("cache")).join("lacuna/peers")
}

/// The virtual environment of `package` (`name==version`), made once with what each of `installs` tells pip to install.
///
/// # Errors
/// Python or the network is missing.
pub fn environment(package: &str, installs: &[&[&str]]) -> Result<PathBuf, String> {
    let home = cache().join(package.replace("==", "-"));
    let done = home.join(".done");
    if !done.exists() {
        virtual_environment(&home)?;
        for install in installs {
            let mut pip = process::command(&home.join("bin/python").to_string_lossy());
            pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "install"]);
            process::run(pip.args(*install))?;
        }
        std::fs::write(&done, "").map_err(|why| format!("{}: {why}", done.display()))?;
    }
    Ok(home)
}

/// A virtual environment; root on Debian gets the package it needs.
fn virtual_environment(home: &Path) -> Result<(), String> {
    let make = || process::run(process::command("python3").args(["-m", "venv", "--clear"]).arg(home));
    if make().is_ok() {
        return Ok(());
    }
    process::run(process::command("apt-get").args(["install", "-y", "-qq", "python3-venv"]))
        .map_err(|why| format!("python3 cannot make a virtual environment, and {why}"))?;
    make()
}
