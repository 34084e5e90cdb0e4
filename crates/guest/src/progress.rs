//! How far loading and reading the prompt have come, on standard error.

use std::io::{IsTerminal, Write};

/// Tells a person who waits: a line that is rewritten on a terminal, a line for each quarter elsewhere.
#[derive(Debug)]
pub struct Progress {
    shown: bool,
    terminal: bool,
    last: Option<(&'static str, usize)>,
}

impl Progress {
    /// On standard error, or nowhere.
    pub fn new(shown: bool) -> Progress {
        Progress { shown, terminal: std::io::stderr().is_terminal(), last: None }
    }

    /// So many tensors are ready.
    pub fn load(&mut self, done: usize, all: usize) {
        self.show("loading", done, all);
    }

    /// So much of the prompt was read.
    pub fn prompt(&mut self, done: usize, all: usize) {
        self.show("reading the prompt", done, all);
    }

    fn show(&mut self, what: &'static str, done: usize, all: usize) {
        let steps = if self.terminal { 100 } else { 4 };
        let step = done * steps / all.max(1);
        if !self.shown || self.last == Some((what, step)) {
            return;
        }
        self.last = Some((what, step));
        let percent = 100 * done / all.max(1);
        let mut err = std::io::stderr();
        // A progress line that cannot be written is no reason to stop.
        let _ = match self.terminal {
            true if done == all => write!(err, "\r\x1b[K"),
            true => write!(err, "\r\x1b[K{what}: {percent} %"),
            false => writeln!(err, "{what}: {percent} %"),
        };
        let _ = err.flush();
    }
}
