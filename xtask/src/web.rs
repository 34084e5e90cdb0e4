//! `web`: the npm package's generated part (both modules, the model laid out for them) and its tests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::toolchain::{RELAXED, SIMD128, Toolchain};
use crate::{node, process, python};

const TARGET: &str = "wasm32-unknown-unknown";
const MODEL: &str = "models/rampart/rampart-q4_0.gguf";
const TINY: &str = "testdata/decoder/tiny/chat.gguf";
const GECKODRIVER: &str = "0.37.1";
const PACKED: &str = "npm/dist/rampart-q4_0.gguf";

/// A module of each feature of crates/web, twice: same bits, other instructions.
const BUILDS: [(&str, &str, &str); 4] = [
    ("lacuna.wasm", "redact", SIMD128),
    ("lacuna-relaxed.wasm", "redact", RELAXED),
    ("complete.wasm", "complete", SIMD128),
    ("complete-relaxed.wasm", "complete", RELAXED),
];

/// What the package takes from elsewhere in the repository.
const COPIES: &[(&str, &str)] = &[
    ("LICENSE-MIT", "npm/LICENSE-MIT"),
    ("LICENSE-APACHE", "npm/LICENSE-APACHE"),
    ("NOTICE", "npm/NOTICE"),
    ("models/rampart/LICENSE", "npm/dist/rampart/LICENSE"),
    ("models/rampart/README.md", "npm/dist/rampart/README.md"),
];

/// What a page needs of the package; the demo has a copy, so that any server of files can serve it.
const FOR_PAGES: &[&str] = &["index.js", "middleware.js", "complete.js", "src", "dist"];

pub fn run(arguments: &[String]) -> Result<(), String> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => build(),
        ["test"] => {
            build()?;
            test()
        }
        ["browser"] => {
            build()?;
            browser()
        }
        other => Err(format!("no {other:?}; there are `web`, `web test` and `web browser`")),
    }
}

/// Makes `npm/dist` and `npm/demo/lacuna-redact`.
///
/// # Errors
/// A build failed, or a file could not be written.
pub fn build() -> Result<(), String> {
    let root = process::root();
    make_folder(&root.join("npm/dist/rampart"))?;
    let toolchain = Toolchain::set_up()?;
    for (name, feature, flags) in BUILDS {
        copy(&module(&toolchain, feature, flags)?, &root.join("npm/dist").join(name))?;
    }
    let printed = process::output(process::command("cargo").args([
        "run",
        "--quiet",
        "-p",
        "lacuna-web",
        "--example",
        "pack",
        "--",
        MODEL,
        PACKED,
    ]))?;
    write(&root.join("npm/dist/manifest.js"), &manifest(&printed)?)?;
    for (from, to) in COPIES {
        copy(&root.join(from), &root.join(to))?;
    }
    let demo = root.join("npm/demo/lacuna-redact");
    if demo.exists() {
        fs::remove_dir_all(&demo).map_err(|why| format!("{}: {why}", demo.display()))?;
    }
    for part in FOR_PAGES {
        copy_tree(&root.join("npm").join(part), &demo.join(part))?;
    }
    println!("npm/dist is built; npm/demo can be served by any server of files");
    Ok(())
}

/// Builds one module and returns where it is. All share a folder, and with it what runs on this machine. The crate is
/// a library as well, so nothing is optimised across crates: that took minutes, and products call kernels rarely.
fn module(toolchain: &Toolchain, feature: &str, flags: &str) -> Result<PathBuf, String> {
    let folder = process::target_directory().join("web");
    let mut command = process::command("cargo");
    command
        .args(["build", "--profile", "web", "-p", "lacuna-web", "--lib", "--no-default-features"])
        .args(["--features", feature, "--target", TARGET, "--target-dir"])
        .arg(&folder)
        .env("RUSTFLAGS", flags);
    process::run(&mut toolchain.applied(command))?;
    Ok(folder.join(TARGET).join("web/lacuna_web.wasm"))
}

/// What the loader knows of the model ahead of time. `printed` is what the example `pack` says: digest of the source,
/// digest and size of the result.
fn manifest(printed: &str) -> Result<String, String> {
    let words: Vec<&str> = printed.split_whitespace().collect();
    let [source, packed, bytes] = words.as_slice() else {
        return Err(format!("the example `pack` printed {printed:?}, not two digests and a size"));
    };
    let digest = |word: &str| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
    if !digest(source) || !digest(packed) || bytes.parse::<u64>().is_err() {
        return Err(format!("the example `pack` printed {printed:?}, not two digests and a size"));
    }
    Ok(format!(
        "// Written by `cargo xtask web`.\n\
         /** SHA-256 of the model file of this package. */\n\
         export const MODEL_SHA256 = '{packed}';\n\
         /** Its bytes. */\n\
         export const MODEL_BYTES = {bytes};\n\
         /** SHA-256 of the file it was laid out from, models/rampart in the repository. */\n\
         export const MODEL_SOURCE_SHA256 = '{source}';\n"
    ))
}

/// `node --test` over the package, with the native command to compare against.
fn test() -> Result<(), String> {
    process::run(process::command("cargo").args(["build", "--quiet", "-p", "lacuna-cli"]))?;
    node_test("npm/test", ".test.js", &[("LACUNA_LARGE_MODEL", large_model()?)])
}

/// A language model of some 60 MB, for tests of how much memory loading takes.
fn large_model() -> Result<PathBuf, String> {
    let to = process::target_directory().join("large.gguf");
    let made = ["run", "--quiet", "-p", "lacuna-web", "--example", "large", "--", TINY];
    process::run(process::command("cargo").args(made).arg(&to))?;
    Ok(to)
}

/// The package in Chromium and Firefox, the demo, what Vite bundles and TypeScript reads.
fn browser() -> Result<(), String> {
    browsers(&["chromium", "firefox-esr"])?;
    npm_install(&process::root().join("npm/test/browser"))?;
    let variables = [("LACUNA_GECKODRIVER", geckodriver()?), ("LACUNA_LARGE_MODEL", large_model()?)];
    node_test("npm/test/browser", ".browser.js", &variables)
}

/// The driver of Firefox, which Debian has no package of: built once, not optimised, and kept.
fn geckodriver() -> Result<PathBuf, String> {
    let home = python::cache().join(format!("geckodriver-{GECKODRIVER}"));
    let program = home.join("bin/geckodriver");
    if !program.exists() {
        println!("building geckodriver {GECKODRIVER}: two minutes, once");
        let build = process::target_directory().join("geckodriver");
        let mut cargo = process::command("cargo");
        cargo
            .args(["install", "--quiet", "--locked", "geckodriver", "--version", GECKODRIVER, "--root"])
            .arg(&home)
            .arg("--target-dir")
            .arg(&build)
            .envs(
                [("OPT_LEVEL", "0"), ("LTO", "off"), ("STRIP", "symbols"), ("CODEGEN_UNITS", "64")]
                    .map(|(name, value)| (format!("CARGO_PROFILE_RELEASE_{name}"), value)),
            );
        process::run(&mut cargo)?;
        fs::remove_dir_all(&build).map_err(|why| format!("{}: {why}", build.display()))?;
    }
    Ok(program)
}

fn node_test(folder: &str, suffix: &str, variables: &[(&str, PathBuf)]) -> Result<(), String> {
    node::set_up()?;
    let mut tests: Vec<PathBuf> = fs::read_dir(process::root().join(folder))
        .map_err(|why| format!("{folder}: {why}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(suffix))
        .collect();
    tests.sort();
    // One file at a time: two cores, and several of them measure memory.
    let mut command = process::command("node");
    command
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(tests)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .env("LACUNA_COMMAND", process::target_directory().join("debug/lacuna"));
    process::run(&mut command)
}

/// Installs what the lock file of `folder` says, without running anything of it.
///
/// # Errors
/// npm is missing or failed.
pub fn npm_install(folder: &Path) -> Result<(), String> {
    node::set_up()?;
    let quiet = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    process::run(process::command("npm").args(quiet).current_dir(folder).stdout(std::process::Stdio::null()))
}

/// Installs Debian's browsers, named by their packages, where they are missing.
///
/// # Errors
/// One is missing and cannot be installed here.
pub fn browsers(names: &[&str]) -> Result<(), String> {
    if names.iter().all(|name| Path::new("/usr/bin").join(name).exists()) {
        return Ok(());
    }
    let script = "export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && \
                  apt-get install -y -qq --no-install-recommends \"$@\" >&2";
    process::run(process::command("sh").args(["-c", script, "browsers"]).args(names))
        .map_err(|why| format!("{} could not be installed: {why}", names.join(" and ")))
}

fn make_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|why| format!("{}: {why}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|why| format!("{}: {why}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map_err(|why| format!("{} to {}: {why}", from.display(), to.display()))?;
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    if !from.is_dir() {
        make_folder(to.parent().unwrap_or(to))?;
        return copy(from, to);
    }
    make_folder(to)?;
    for entry in fs::read_dir(from).map_err(|why| format!("{}: {why}", from.display()))? {
        let entry = entry.map_err(|why| format!("{}: {why}", from.display()))?;
        copy_tree(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_made_of_two_digests_and_a_size_only() {
        let (a, b) = ("a".repeat(64), "b".repeat(64));
        let text = manifest(&format!("{a} {b} 13\n")).unwrap();
        assert!(text.contains(&format!("MODEL_SHA256 = '{b}'")) && text.contains("MODEL_BYTES = 13;"));
        for wrong in ["", "x y 13", &format!("{a} {b}"), &format!("{a} {b} many"), &format!("{a} {b} 1 2")] {
            assert!(manifest(wrong).is_err(), "{wrong:?}");
        }
    }
}
