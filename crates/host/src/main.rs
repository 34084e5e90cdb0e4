//! `lacuna-host`: serves the redaction component, and runs wasip1 programs, with the settings of production.
//!
//! What is absent: outbound requests, sockets, a filesystem and environment variables for served components.
//! They are not linked, so a component that wants them does not start.
#![deny(unsafe_code)]

mod answer;
mod arguments;
#[allow(unsafe_code)]
mod cache;
mod engine;
mod guest;
mod limits;
mod run_wasm;
mod server;

use std::process::ExitCode;

use arguments::Call;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments::parse(&arguments) {
        Ok(Call::Help(text)) => {
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Ok(Call::Serve(options)) => server::serve(&options).map(|()| ExitCode::SUCCESS),
        Ok(Call::RunWasm(options)) => run_wasm::run(&options),
        Ok(Call::Compile(options)) => run_wasm::compile(&options).map(|()| ExitCode::SUCCESS),
        Err(why) => {
            eprintln!("lacuna-host: {why}\n\n{}", arguments::HELP);
            return ExitCode::from(2);
        }
    };
    outcome.unwrap_or_else(|why| {
        eprintln!("lacuna-host: {why:#}");
        ExitCode::FAILURE
    })
}
