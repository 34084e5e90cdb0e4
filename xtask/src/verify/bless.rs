//! `verify --bless`: the only way baselines are written.
//!
//! A blessing needs a reason: the last line under the heading below in EXACTNESS.md. The reason of the last blessing
//! is kept beside the baselines, so that the same line cannot bless twice.

use std::path::PathBuf;

use super::builds::{self, Extent};
use crate::process;

const HEADING: &str = "## Blessed baselines";
const DIRECTORY: &str = "testdata/verify";
const REASON: &str = "reason.txt";
const BASELINES: [&str; 5] =
    ["eval-q4_0.f32", "eval-int8.f32", "eval-decoder.f32", "digest-q4_0.txt", "digest-int8.txt"];

fn directory() -> PathBuf {
    process::root().join(DIRECTORY)
}

fn read(path: PathBuf) -> Result<String, String> {
    std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))
}

/// The last item of the list under the heading.
fn last_reason(exactness: &str) -> Option<&str> {
    let (_, section) = exactness.split_once(HEADING)?;
    let section = section.split("\n## ").next()?;
    section.lines().filter_map(|line| line.strip_prefix("- ")).next_back()
}

/// The baselines were blessed with the reason that EXACTNESS.md gives last.
///
/// # Errors
/// They were not: one of the two was changed by hand.
pub fn check_reason() -> Result<(), String> {
    let exactness = read(process::root().join("EXACTNESS.md"))?;
    let known = read(directory().join(REASON))?;
    match last_reason(&exactness) {
        Some(reason) if reason == known.trim_end() => Ok(()),
        other => Err(format!(
            "the last line under {HEADING:?} of EXACTNESS.md is {other:?}, the baselines were blessed for {:?}",
            known.trim_end()
        )),
    }
}

/// Writes baselines that changed.
///
/// # Errors
/// Under continuous integration, or when they changed and EXACTNESS.md has no new reason.
pub fn run() -> Result<(), String> {
    if std::env::var_os("CI").is_some() {
        return Err("baselines are never blessed under CI".into());
    }
    let scratch = process::target_directory().join("bless");
    std::fs::create_dir_all(&scratch).map_err(|why| format!("{}: {why}", scratch.display()))?;
    let program = builds::native(Extent::Model)?;
    process::run(process::command(&program.to_string_lossy()).arg("--bless").arg(&scratch))?;
    let mut changed = Vec::new();
    for name in BASELINES {
        let new = std::fs::read(scratch.join(name)).map_err(|why| format!("{name}: {why}"))?;
        if std::fs::read(directory().join(name)).ok().as_ref() != Some(&new) {
            changed.push((name, new));
        }
    }
    if changed.is_empty() {
        println!("all baselines are what the definitions return; nothing to bless");
        return Ok(());
    }
    let exactness = read(process::root().join("EXACTNESS.md"))?;
    let reason = last_reason(&exactness).unwrap_or_default();
    let known = read(directory().join(REASON)).unwrap_or_default();
    let names: Vec<_> = changed.iter().map(|(name, _)| *name).collect();
    if reason == known.trim_end() {
        return Err(format!(
            "{} changed: say why in a new last line under {HEADING:?} of EXACTNESS.md, then bless again",
            names.join(", ")
        ));
    }
    for (name, new) in &changed {
        write(name, new)?;
    }
    write(REASON, format!("{reason}\n").as_bytes())?;
    println!("blessed {}: {reason}", names.join(", "));
    Ok(())
}

fn write(name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = directory().join(name);
    std::fs::write(&path, bytes).map_err(|why| format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_its_section_is_the_reason() {
        let text = "# E\n- no\n## Blessed baselines\nText.\n\n- first\n- second\n\n## Next\n- no\n";
        assert_eq!(last_reason(text), Some("second"));
        assert_eq!(last_reason("# E\n- no\n"), None);
    }

    #[test]
    fn the_baselines_have_the_reason_exactness_gives() {
        check_reason().unwrap();
    }
}
