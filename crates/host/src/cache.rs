//! Compiled components and programs on disk: `NAME-<key>.cwasm` beside `NAME.wasm`.
//!
//! The key is a hash of the Wasm bytes and of everything the engine's machine code depends on, so a changed
//! component, an upgraded host or another processor compiles anew. This is the one file of the host with
//! `unsafe`: reading machine code back.

use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::component::Component;
use wasmtime::error::Context;
use wasmtime::{Engine, Module, Result, bail};

/// What was loaded, and whether it had to be compiled.
pub struct Loaded<T> {
    pub code: T,
    pub compiled: bool,
}

/// # Errors
/// The file cannot be read, or is not a component this engine takes.
pub fn component(engine: &Engine, file: &Path) -> Result<Loaded<Component>> {
    let bytes = read(file)?;
    let cached = cached_path(engine, file, &bytes);
    if ours(&cached) {
        // SAFETY: `ours` holds, so only this user could have written the file; this module wrote it whole
        // (rename) under a name that hashes the input and the engine, and Wasmtime checks its version again.
        if let Ok(code) = unsafe { Component::deserialize_file(engine, &cached) } {
            return Ok(Loaded { code, compiled: false });
        }
    }
    let compiled = engine.precompile_component(&bytes).with_context(|| format!("{}", file.display()))?;
    keep(file, &cached, &compiled);
    // SAFETY: the bytes come from this engine, one line up.
    let code = unsafe { Component::deserialize(engine, &compiled) }?;
    Ok(Loaded { code, compiled: true })
}

/// A core module, or a `.cwasm` that `lacuna-host compile` wrote and the user trusts as they trust a program.
///
/// # Errors
/// As [`component`].
pub fn module(engine: &Engine, file: &Path) -> Result<Loaded<Module>> {
    if file.extension().is_some_and(|extension| extension == "cwasm") {
        if !ours(file) {
            bail!(
                "{}: a .cwasm is machine code; it must belong to you, writable by nobody else",
                file.display()
            );
        }
        // SAFETY: the user names this file to be run, as they would name a native program, and `ours` holds.
        let code = unsafe { Module::deserialize_file(engine, file) }?;
        return Ok(Loaded { code, compiled: false });
    }
    let bytes = read(file)?;
    let cached = cached_path(engine, file, &bytes);
    if ours(&cached) {
        // SAFETY: as in `component`.
        if let Ok(code) = unsafe { Module::deserialize_file(engine, &cached) } {
            return Ok(Loaded { code, compiled: false });
        }
    }
    let compiled = engine.precompile_module(&bytes).with_context(|| format!("{}", file.display()))?;
    keep(file, &cached, &compiled);
    // SAFETY: the bytes come from this engine, one line up.
    let code = unsafe { Module::deserialize(engine, &compiled) }?;
    Ok(Loaded { code, compiled: true })
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("{}", file.display()))
}

fn cached_path(engine: &Engine, file: &Path, bytes: &[u8]) -> PathBuf {
    let mut hasher = KeyHasher(Sha256::new_with_prefix(bytes));
    engine.precompile_compatibility_hash().hash(&mut hasher);
    let key: String = hasher.0.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}-{key}.cwasm"))
}

struct KeyHasher(Sha256);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|i| self.0.clone().finalize()[i]))
    }
}

/// Whether only this user can have written the file.
#[cfg(unix)]
fn ours(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let mine = fs::metadata("/proc/self").map(|own| own.uid());
    match (fs::symlink_metadata(file), mine) {
        (Ok(found), Ok(mine)) => found.is_file() && found.mode() & 0o022 == 0 && found.uid() == mine,
        (Ok(found), Err(_)) => found.is_file() && found.mode() & 0o022 == 0,
        (Err(_), _) => false,
    }
}

#[cfg(not(unix))]
fn ours(file: &Path) -> bool {
    file.is_file()
}

/// Writes the compiled code whole or not at all, and removes what older builds of the same file left. A cache
/// that cannot be written costs time at the next start and nothing else, so it only warns.
fn keep(file: &Path, cached: &Path, compiled: &[u8]) {
    let temporary = cached.with_extension(format!("{}.tmp", std::process::id()));
    if let Err(why) = fs::write(&temporary, compiled).and_then(|()| fs::rename(&temporary, cached)) {
        let _ = fs::remove_file(&temporary);
        eprintln!("lacuna-host: {} is not cached: {why}", cached.display());
        return;
    }
    let stem = format!("{}-", file.file_stem().unwrap_or_default().to_string_lossy());
    let siblings = cached.parent().and_then(|folder| fs::read_dir(folder).ok());
    for entry in siblings.into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let key = name.strip_prefix(&stem).and_then(|rest| rest.strip_suffix(".cwasm"));
        let is_key = key.is_some_and(|key| key.len() == 16 && key.bytes().all(|b| b.is_ascii_hexdigit()));
        if is_key && entry.path() != cached {
            let _ = fs::remove_file(entry.path());
        }
    }
}
