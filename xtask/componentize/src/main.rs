//! `lacuna-componentize CORE.wasm OUT.wasm`: a core module for wasm32-wasip1, with the wasi:http types its
//! bindings carry, becomes a component of the `proxy` world.
//!
//! A program of its own, so that `cargo xtask test` does not wait for its build.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::{env, fs};

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME as ADAPTER, WASI_SNAPSHOT_PREVIEW1_PROXY_ADAPTER as PROXY,
};
use wit_component::ComponentEncoder;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [core, out] = arguments.as_slice() else {
        eprintln!("usage: lacuna-componentize CORE.wasm OUT.wasm");
        return ExitCode::from(2);
    };
    match component(core, out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("lacuna-componentize: {why}");
            ExitCode::FAILURE
        }
    }
}

fn component(core: &str, out: &str) -> Result<(), String> {
    let module = fs::read(core).map_err(|why| format!("{core}: {why}"))?;
    let component = ComponentEncoder::default()
        .module(&module)
        .and_then(|encoder| encoder.adapter(ADAPTER, PROXY))
        .and_then(|encoder| encoder.validate(true).encode())
        .map_err(|why| format!("{core}: {why:#}"))?;
    // Whole or not at all: a server may be starting from the old one.
    let temporary = format!("{out}.tmp");
    let written = fs::write(&temporary, component).and_then(|()| fs::rename(&temporary, out));
    written.map_err(|why| format!("{out}: {why}"))
}
