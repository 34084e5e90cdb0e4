//! The program of the proofs, built for each place it runs in.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::toolchain::{RELAXED, SIMD128, Toolchain, WASIP1};
use crate::{node, process, run_wasm};

/// A build and the engine that runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Build {
    Native,
    /// SIMD128 under our host.
    Plain,
    /// Relaxed SIMD under our host.
    Relaxed,
    /// SIMD128 in Node.
    V8Plain,
    /// Relaxed SIMD in Node.
    V8Relaxed,
    /// aarch64 under qemu.
    Qemu,
}

impl Build {
    pub fn name(self) -> &'static str {
        match self {
            Build::Native => "native",
            Build::Plain => "wasm plain",
            Build::Relaxed => "wasm relaxed",
            Build::V8Plain => "v8 plain",
            Build::V8Relaxed => "v8 relaxed",
            Build::Qemu => "qemu-aarch64",
        }
    }
}

/// The programs, and what starts them.
#[derive(Debug, Default)]
pub struct Programs {
    native: Option<PathBuf>,
    plain: Option<PathBuf>,
    relaxed: Option<PathBuf>,
    host: Option<PathBuf>,
    qemu: Option<PathBuf>,
}

const PACKAGE: [&str; 3] = ["build", "-p", "lacuna-verify"];
/// How much of the program is built: as much as its proofs need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Kernels.
    Kernels,
    /// Whole passes, too.
    Model,
    /// And tokcheck's reference, which takes longest to build.
    Reference,
}

impl Extent {
    /// What the proof that `lacuna-verify` calls `program` needs.
    pub fn of(program: &str) -> Extent {
        match program.split('[').next() {
            Some("tokcheck") => Extent::Reference,
            Some("eval" | "digest" | "invariance") => Extent::Model,
            _ => Extent::Kernels,
        }
    }

    /// Cargo's options.
    pub fn features(self) -> &'static [&'static str] {
        match self {
            Extent::Kernels => &["--no-default-features"],
            Extent::Model => &["--no-default-features", "--features=model"],
            Extent::Reference => &[],
        }
    }
}

impl Programs {
    /// Builds what `builds` need. The reference is in the plain build alone: tokenizers hold no vectors.
    ///
    /// # Errors
    /// A build that fails, or an engine that is not there: a proof that cannot run is a failure.
    pub fn build(builds: &[Build], extent: Extent) -> Result<Programs, String> {
        let any = |wanted: &[Build]| builds.iter().any(|build| wanted.contains(build));
        let mut programs = Programs::default();
        let passes = extent.min(Extent::Model);
        if any(&[Build::Native]) {
            programs.native = Some(native(passes)?);
        }
        if any(&[Build::Plain, Build::Relaxed, Build::V8Plain, Build::V8Relaxed]) {
            let toolchain = Toolchain::set_up_for(&[WASIP1])?;
            if any(&[Build::Plain, Build::V8Plain]) {
                programs.plain = Some(wasm(&toolchain, false, extent)?);
            }
            if any(&[Build::Relaxed, Build::V8Relaxed]) {
                programs.relaxed = Some(wasm(&toolchain, true, passes)?);
            }
        }
        if any(&[Build::Plain, Build::Relaxed]) {
            programs.host = Some(run_wasm::host()?);
        }
        if any(&[Build::V8Plain, Build::V8Relaxed]) {
            node::set_up().map_err(|why| format!("the proofs in V8: {why}"))?;
        }
        if any(&[Build::Qemu]) {
            programs.qemu = Some(aarch64(passes)?);
        }
        Ok(programs)
    }

    /// A command that runs `build` in the root of the repository.
    pub fn command(&self, build: Build) -> Command {
        let path = |program: &Option<PathBuf>| program.as_deref().map(shown).expect("it was built");
        match build {
            Build::Native => process::command(&path(&self.native)),
            Build::Plain | Build::Relaxed => {
                let program = if build == Build::Plain { &self.plain } else { &self.relaxed };
                let mut command = process::command(&path(&self.host));
                command.arg("run-wasm").arg(format!("--dir={}", shown(&process::root()))).arg(path(program));
                command
            }
            Build::V8Plain | Build::V8Relaxed => {
                let mut command = process::command("node");
                command.arg("--no-warnings");
                if build == Build::V8Relaxed {
                    command.arg("--experimental-wasm-relaxed-simd");
                }
                let program = if build == Build::V8Plain { &self.plain } else { &self.relaxed };
                command.arg("verify/run.mjs").arg(path(program));
                command
            }
            Build::Qemu => {
                let mut command = process::command("qemu-aarch64");
                command.args(["-L", "/usr/aarch64-linux-gnu"]).arg(path(&self.qemu));
                command
            }
        }
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The native program.
///
/// # Errors
/// The build failed.
pub fn native(extent: Extent) -> Result<PathBuf, String> {
    process::run(process::command("cargo").args(PACKAGE).arg("--release").args(extent.features()))?;
    Ok(process::target_directory().join("release/lacuna-verify"))
}

fn wasm(toolchain: &Toolchain, relaxed: bool, extent: Extent) -> Result<PathBuf, String> {
    let target = process::target_directory();
    // A directory each: both programs are run afterwards.
    let (flags, directory) = if relaxed { (RELAXED, target.join("relaxed")) } else { (SIMD128, target) };
    let what: Vec<&str> = ["-p", "lacuna-verify"].iter().chain(extent.features()).copied().collect();
    Ok(toolchain.build(flags, &directory, &what)?.join("lacuna-verify.wasm"))
}

fn aarch64(extent: Extent) -> Result<PathBuf, String> {
    let directory = process::target_directory().join("aarch64");
    process::run(
        process::command("tools/aarch64-cargo.sh")
            .args(PACKAGE)
            .args(["--release", "--target-dir"])
            .arg(&directory)
            .args(extent.features()),
    )?;
    Ok(directory.join("aarch64-unknown-linux-gnu/release/lacuna-verify"))
}
