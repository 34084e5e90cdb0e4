//! A model file mapped into memory: the one place of this crate with unsafe code.
#![allow(unsafe_code)]

use std::{fs::File, io, ops::Deref, path::Path};

/// A file's bytes, mapped read-only; pages are read when touched.
///
/// The file must not be cut short while it is mapped: touching a page that is gone ends the process.
#[derive(Debug)]
pub struct Mapped(memmap2::Mmap);

impl Mapped {
    /// Maps the file at `path`.
    ///
    /// **Errors**: those of opening and mapping, with the path in the message.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Mapped> {
        let path = path.as_ref();
        let name = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let file = File::open(path).map_err(name)?;
        // SAFETY: the mapping is private and read-only and lives in `Mapped`; like every user of
        // model files we rely on no other process cutting the file short meanwhile (see above).
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(name)?;
        Ok(Mapped(map))
    }

    /// Gives the pages that were read back to the system; touched again, they are read again. Called while a model is
    /// repacked, so that it is not held twice.
    pub fn release(&self) {
        // SAFETY: a private, read-only mapping of a file has nothing that is not in the file.
        #[cfg(unix)]
        let _ = unsafe { self.0.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
    }
}

/// Maps a model that may be split: all its parts in order when `path` names one of them, else the one file.
///
/// **Errors**: those of [`Mapped::open`], for a missing part too.
pub fn open_parts(path: impl AsRef<Path>) -> io::Result<Vec<Mapped>> {
    let path = path.as_ref();
    let parts = path.file_name().and_then(|name| name.to_str()).and_then(crate::part_names);
    match parts {
        None => Ok(vec![Mapped::open(path)?]),
        Some(names) => names.iter().map(|name| Mapped::open(path.with_file_name(name))).collect(),
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
