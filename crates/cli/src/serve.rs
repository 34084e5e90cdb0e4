//! `lacuna serve`: hands over to the host, which has Wasmtime; this command has not.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::Command;

use crate::{Done, Failure, Outcome};

/// Arguments of `lacuna serve`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Handed to `lacuna-host serve` as they are
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name("lacuna-host"));
    let host = beside.filter(|path| path.exists()).unwrap_or_else(|| "lacuna-host".into());
    match Command::new(&host).arg("serve").args(&arguments.arguments).status() {
        Ok(status) if status.success() => Ok(Done::Well),
        Ok(status) => Err(Failure::Work(format!("lacuna-host ended with {status}"))),
        Err(e) if e.kind() == ErrorKind::NotFound => Err(Failure::Work(
            "lacuna-host is not installed. In a clone of the repository, `cargo xtask serve` builds it with the \
             component and serves both."
                .into(),
        )),
        Err(e) => Err(Failure::Work(format!("{}: {e}", host.display()))),
    }
}
