//! `mutate`: source edits that a proof or a test must notice.
//!
//! All edits are made in a copy of the tree with a target directory of its own, one at a time. First every proof and
//! test named must pass there without an edit; then each must fail with its edit. An edit that no longer applies, a
//! build that breaks and a program that crashes are failures of this command, not catches.

mod edits;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::toolchain::{RELAXED, Toolchain, WASIP1};
use crate::verify::Extent;
use edits::{Check, EDITS, Edit};

/// An edited kernel is compiled with little else: how much is built depends on the proof.
const BUILD: [&str; 3] = ["build", "-p", "lacuna-verify"];

/// Runs the edits whose file or check holds one of `arguments`, or all.
///
/// # Errors
/// An edit that was not caught, or could not be tried.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let wanted = |edit: &&Edit| {
        let check = edit.caught_by.to_string();
        arguments.is_empty() || arguments.iter().any(|word| edit.file.contains(word) || check.contains(word))
    };
    let edits: Vec<&Edit> = EDITS.iter().filter(wanted).collect();
    if edits.is_empty() {
        return Err(format!(
            "no edit of {} has {} in its file or check",
            EDITS.len(),
            arguments.join(" or ")
        ));
    }
    let copy = Copy::make()?;
    let checks: BTreeSet<Check> = edits.iter().map(|edit| edit.caught_by).collect();
    for check in checks {
        match copy.outcome(check)? {
            Outcome::Passed => println!("without an edit: {check} passes"),
            other => return Err(format!("without an edit, {check}: {other:?}")),
        }
    }
    let mut wrong = 0;
    for (number, edit) in edits.iter().enumerate() {
        let result = copy.tried(edit);
        let verdict = match result {
            Ok(Outcome::Failed) => format!("caught by {}", edit.caught_by),
            Ok(Outcome::Passed) => format!("NOT CAUGHT by {}", edit.caught_by),
            Ok(Outcome::Broken(why)) | Err(why) => format!("COULD NOT BE TRIED: {why}"),
        };
        wrong += usize::from(!verdict.starts_with("caught"));
        let from = edit.from.lines().next().unwrap_or_default();
        println!("{}/{} {}: {from}\n  {verdict}", number + 1, edits.len(), edit.file);
    }
    println!("mutate: {} edits, {} caught, {wrong} not", edits.len(), edits.len() - wrong);
    if wrong > 0 { Err(format!("{wrong} of {} edits were not caught", edits.len())) } else { Ok(()) }
}

impl std::fmt::Display for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Check::Proof(name) => write!(f, "the proof {name}"),
            Check::Wasm(name) => write!(f, "the proof {name} in Wasm"),
            Check::Test { package, name } => write!(f, "the test {name} of {package}"),
        }
    }
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Passed,
    Failed,
    Broken(String),
}

/// The copy of the tree.
struct Copy {
    tree: PathBuf,
    target: PathBuf,
}

impl Copy {
    /// Copies what git knows or would know, and removes what it does not; files that are the same are left alone, so
    /// that what was built for them stays good.
    fn make() -> Result<Copy, String> {
        let directory = process::target_directory().join("mutate");
        let copy = Copy { tree: directory.join("tree"), target: directory.join("target") };
        let listed =
            process::output(process::command("git").args(["ls-files", "-z", "-co", "--exclude-standard"]))?;
        let files: BTreeSet<&str> = listed.split('\0').filter(|name| !name.is_empty()).collect();
        let root = process::root();
        for name in files.iter().filter(|name| root.join(name).is_file()) {
            let bytes = std::fs::read(root.join(name)).map_err(|why| format!("{name}: {why}"))?;
            let to = copy.tree.join(name);
            if std::fs::read(&to).ok().as_ref() != Some(&bytes) {
                std::fs::create_dir_all(to.parent().unwrap_or(&copy.tree))
                    .and_then(|()| std::fs::write(&to, bytes))
                    .map_err(|why| format!("{}: {why}", to.display()))?;
            }
        }
        copy.remove_others(&copy.tree, &files)?;
        Ok(copy)
    }

    fn remove_others(&self, directory: &Path, files: &BTreeSet<&str>) -> Result<(), String> {
        let told = |why: std::io::Error| format!("{}: {why}", directory.display());
        for entry in std::fs::read_dir(directory).map_err(told)? {
            let path = entry.map_err(told)?.path();
            if path.is_dir() {
                self.remove_others(&path, files)?;
            } else if let Ok(name) = path.strip_prefix(&self.tree)
                && !files.contains(&*name.to_string_lossy())
            {
                std::fs::remove_file(&path).map_err(|why| format!("{}: {why}", path.display()))?;
            }
        }
        Ok(())
    }

    /// The outcome of an edit's check with the edit made, and unmade afterwards.
    fn tried(&self, edit: &Edit) -> Result<Outcome, String> {
        let path = self.tree.join(edit.file);
        let before = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", edit.file))?;
        let edited = applied(&before, edit)?;
        let write = |text: &str| std::fs::write(&path, text).map_err(|why| format!("{}: {why}", edit.file));
        write(&edited)?;
        let outcome = self.outcome(edit.caught_by);
        write(&before)?;
        outcome
    }

    fn outcome(&self, check: Check) -> Result<Outcome, String> {
        let mut command = process::command("cargo");
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target);
        match check {
            Check::Proof(name) => {
                // `verify` calls the native run of all variants by what it runs in.
                let program = if name.starts_with("variants") { "variants" } else { name };
                if let Some(broken) =
                    broken_build(command.args(BUILD).args(Extent::of(program).features()), &["-q"])?
                {
                    return Ok(broken);
                }
                let program_path = self.target.join("debug/lacuna-verify");
                let mut command = process::command(&program_path.to_string_lossy());
                command.current_dir(&self.tree).args(["--quick", "--oracle", program]);
                proof_outcome(&mut command)
            }
            Check::Wasm(name) => {
                command
                    .args(BUILD)
                    .args(Extent::of(name).features())
                    .args(["--target", WASIP1])
                    .env("RUSTFLAGS", RELAXED);
                let mut command = Toolchain::set_up_for(&[WASIP1])?.applied(command);
                if let Some(broken) = broken_build(&mut command, &["-q"])? {
                    return Ok(broken);
                }
                let mut command = process::command("node");
                command.current_dir(&self.tree).args(["--no-warnings", "--experimental-wasm-relaxed-simd"]);
                command.arg("verify/run.mjs").arg(self.target.join("wasm32-wasip1/debug/lacuna-verify.wasm"));
                proof_outcome(command.args(["--quick", name]))
            }
            Check::Test { package, name } => {
                if let Some(broken) = broken_build(&mut command, &["test", "-q", "--no-run", "-p", package])?
                {
                    return Ok(broken);
                }
                let mut command = process::command("cargo");
                command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target);
                command.args(["test", "--no-fail-fast", "-p", package, "--", "--exact", name]);
                test_outcome(&mut command, name)
            }
        }
    }
}

/// The file with the edit made.
fn applied(text: &str, edit: &Edit) -> Result<String, String> {
    match text.matches(edit.from).count() {
        1 => Ok(text.replacen(edit.from, edit.to, 1)),
        times => Err(format!("{:?} is {times} times in {}, not once", edit.from, edit.file)),
    }
}

fn broken_build(command: &mut Command, arguments: &[&str]) -> Result<Option<Outcome>, String> {
    let output = command.args(arguments).output().map_err(|why| format!("cannot start cargo: {why}"))?;
    if output.status.success() {
        return Ok(None);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = errors.lines().filter(|line| line.starts_with("error")).take(2).collect();
    Ok(Some(Outcome::Broken(format!("the build broke: {}", first.join("; ")))))
}

/// A proof fails when it tells of differences: exit status 1 and a JSON line with `differ` above zero.
fn proof_outcome(command: &mut Command) -> Result<Outcome, String> {
    let output = command.output().map_err(|why| format!("{}: {why}", process::shown(command)))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let differ = text
        .lines()
        .last()
        .and_then(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .and_then(|value| value["differ"].as_u64());
    Ok(match (output.status.code(), differ) {
        (Some(0), Some(0)) => Outcome::Passed,
        (Some(1), Some(1..)) => Outcome::Failed,
        _ => Outcome::Broken(format!("it ended with {}", output.status)),
    })
}

/// A test fails when its own line says so.
fn test_outcome(command: &mut Command, name: &str) -> Result<Outcome, String> {
    let output = command.output().map_err(|why| format!("{}: {why}", process::shown(command)))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let says = |word: &str| text.lines().any(|line| line == format!("test {name} ... {word}"));
    Ok(match (output.status.success(), says("ok"), says("FAILED")) {
        (true, true, false) => Outcome::Passed,
        (false, _, true) => Outcome::Failed,
        _ => Outcome::Broken(format!("no result of {name}; it ended with {}", output.status)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edit_applies_once_and_changes_something() {
        for edit in EDITS {
            let text = std::fs::read_to_string(process::root().join(edit.file)).expect(edit.file);
            assert_ne!(applied(&text, edit).expect("it applies"), text);
        }
    }

    /// A renamed test would be missed when all edits are tried, twenty minutes later.
    #[test]
    fn every_test_named_is_there() {
        for edit in EDITS {
            let Check::Test { package, name } = edit.caught_by else { continue };
            let package = process::root().join("crates").join(package.trim_start_matches("lacuna-"));
            // `file::module::test` of a source, or the name alone of a file of tests.
            let mut parts = name.rsplitn(3, "::");
            let test = format!("fn {}()", parts.next().expect(name));
            let parent = parts.next().unwrap_or_default();
            let mut files: Vec<PathBuf> = match parts.next() {
                Some(file) => {
                    let path = package.join("src").join(file.replace("::", "/"));
                    let beside = path.join(parent).with_extension("rs");
                    vec![path.with_extension("rs"), beside]
                }
                None => {
                    let tests = std::fs::read_dir(package.join("tests")).expect(name);
                    tests.map(|entry| entry.expect(name).path()).collect()
                }
            };
            files.retain(|file| {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                let inside = parent.is_empty() || file.ends_with(format!("{parent}.rs"));
                text.contains(&test) && (inside || text.contains(&format!("mod {parent} {{")))
            });
            assert_eq!(files.len(), 1, "{name}");
        }
    }

    #[test]
    fn an_edit_that_is_not_unique_is_refused() {
        let edit = |from| Edit { file: "f", from, to: "x", caught_by: Check::Proof("p") };
        assert!(applied("a a b", &edit("a")).is_err());
        assert!(applied("a a b", &edit("c")).is_err());
        assert_eq!(applied("a a b", &edit("b")).unwrap(), "a a x");
    }

    #[test]
    fn crashes_are_no_catches() {
        let sh = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let proof = |script: &str| proof_outcome(&mut sh(script)).unwrap();
        assert_eq!(proof(r#"echo '{"differ":0}'"#), Outcome::Passed);
        assert_eq!(proof(r#"echo '{"differ":3}'; exit 1"#), Outcome::Failed);
        assert!(matches!(proof("exit 101"), Outcome::Broken(_)));
        assert!(matches!(proof("exit 1"), Outcome::Broken(_)));
        let test = |script: &str| test_outcome(&mut sh(script), "a::b").unwrap();
        assert_eq!(test("echo 'test a::b ... ok'"), Outcome::Passed);
        assert_eq!(test("echo 'test a::b ... FAILED'; exit 101"), Outcome::Failed);
        assert!(matches!(test("echo 'test a::c ... FAILED'; exit 101"), Outcome::Broken(_)));
        assert!(matches!(test("true"), Outcome::Broken(_)), "no test of that name ran");
    }
}
