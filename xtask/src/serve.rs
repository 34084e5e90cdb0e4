//! `serve`: from a clone to a server that answers.

use std::process::Command;
use std::thread;

use crate::component::{self, Build};
use crate::{process, run_wasm};

pub fn run(arguments: &[String]) -> Result<(), String> {
    if arguments.iter().any(|argument| !argument.starts_with('-') && argument.ends_with(".wasm")) {
        return Err("the component is ours; `lacuna-host serve FILE` serves another".into());
    }
    // Side by side: neither build keeps two cores busy to its end. Relaxed SIMD is what Wasmtime runs fastest;
    // the other build is left to `cargo xtask component`.
    let (component, host) = thread::scope(|scope| {
        let host = scope.spawn(run_wasm::host);
        (component::one(Build::Relaxed), host.join())
    });
    let host = host.map_err(|_| "the build of the host broke off")??;
    let mut host = process::command(&host.to_string_lossy());
    host.arg("serve").arg(component?).args(arguments);
    replace_by(&mut host)
}

/// On Unix the server takes our place, so that Ctrl-C and signals reach it and nothing else.
#[cfg(unix)]
fn replace_by(command: &mut Command) -> Result<(), String> {
    use std::os::unix::process::CommandExt;
    let why = command.exec();
    Err(format!("cannot start `{}`: {why}", process::shown(command)))
}

#[cfg(not(unix))]
fn replace_by(command: &mut Command) -> Result<(), String> {
    process::run(command)
}
