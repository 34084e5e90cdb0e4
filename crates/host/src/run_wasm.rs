//! `run-wasm`: one wasip1 program with the server's code generation: epoch interruption on, so that its speed is
//! the speed of production. Standard streams are inherited.

use std::fs;
use std::process::ExitCode;

use wasmtime::error::Context;
use wasmtime::{Linker, Result, Store, StoreLimits, StoreLimitsBuilder, UpdateDeadline};
use wasmtime_wasi::p1::{self, WasiP1Ctx};
use wasmtime_wasi::{FsPerms, I32Exit, WasiCtx};

use crate::arguments::{Compile, RunWasm};
use crate::{cache, engine};

struct State {
    wasi: WasiP1Ctx,
    limits: StoreLimits,
}

/// Runs the program to its end and passes its exit status on.
///
/// # Errors
/// The program does not load, or traps.
pub fn run(options: &RunWasm) -> Result<ExitCode> {
    let engine = engine::on_demand()?;
    let module = cache::module(&engine, &options.file)?.code;
    let mut linker = Linker::<State>::new(&engine);
    p1::add_to_linker_sync(&mut linker, |state| &mut state.wasi)?;

    let mut wasi = WasiCtx::builder();
    wasi.inherit_stdio().arg(options.file.display().to_string()).args(&options.arguments);
    // One program and one thread: file reads need not hop to another.
    wasi.allow_blocking_current_thread(true);
    if let Some(directory) = &options.directory {
        wasi.preopened_dir(directory, ".", FsPerms::ReadOnly)
            .with_context(|| format!("--dir {}", directory.display()))?;
    }
    let mut limits = StoreLimitsBuilder::new();
    if let Some(bytes) = options.memory {
        limits = limits.memory_size(bytes);
    }
    let mut store = Store::new(&engine, State { wasi: wasi.build_p1(), limits: limits.build() });
    store.limiter(|state| &mut state.limits);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Continue(1)));
    engine::tick(&engine);

    let instance = linker.instantiate(&mut store, &module)?;
    let start = instance.get_typed_func::<(), ()>(&mut store, "_start")?;
    match start.call(&mut store, ()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(why) => match why.downcast_ref::<I32Exit>() {
            Some(exit) => Ok(ExitCode::from(u8::try_from(exit.0).unwrap_or(1))),
            None => Err(why),
        },
    }
}

/// Writes the program's machine code to a file of its own.
///
/// # Errors
/// The file does not read, compile or write.
pub fn compile(options: &Compile) -> Result<()> {
    let engine = match &options.target {
        Some(target) => engine::foreign(target)?,
        None => engine::on_demand()?,
    };
    let bytes = fs::read(&options.file).with_context(|| format!("{}", options.file.display()))?;
    let compiled = engine.precompile_module(&bytes)?;
    fs::write(&options.out, compiled).with_context(|| format!("{}", options.out.display()))
}
