//! A program that answers requests in turns: a line in, a line of JSON out.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::process;

/// A running program. It ends when this is dropped.
pub struct Driven {
    shown: String,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Driven {
    /// Starts it; standard error is inherited.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(mut command: Command) -> Result<Driven, String> {
        let shown = process::shown(&command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|why| format!("cannot start `{shown}`: {why}"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or("no standard output")?;
        Ok(Driven { shown, child, stdin, stdout: BufReader::new(stdout) })
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// The program ended or answered with something else than JSON.
    pub fn ask(&mut self, request: &str) -> Result<Value, String> {
        let stdin = self.stdin.as_mut().ok_or("standard input is closed")?;
        // A program that died says so below, by an empty answer.
        let asked = writeln!(stdin, "{request}").and_then(|()| stdin.flush());
        let mut line = String::new();
        let read = self.stdout.read_line(&mut line).map_err(|why| format!("`{}`: {why}", self.shown))?;
        if read == 0 {
            let why = asked.err().map_or_else(String::new, |why| format!(": {why}"));
            return Err(format!("`{}` ended without an answer{why}", self.shown));
        }
        serde_json::from_str(&line).map_err(|why| format!("`{}` answered {line:?}: {why}", self.shown))
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        // End of input ends them all; one that hangs is killed.
        drop(self.stdin.take());
        for _ in 0..40 {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(std::time::Duration::from_millis(50)),
                _ => return,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_line_by_line() {
        let mut cat = Driven::start(Command::new("cat")).unwrap();
        assert_eq!(cat.ask("[1]").unwrap(), serde_json::json!([1]));
        assert_eq!(cat.ask("{\"ms\":[2.5]}").unwrap()["ms"][0], 2.5);
        assert!(cat.ask("no json").is_err());
    }

    #[test]
    fn a_program_that_ends_is_an_error() {
        let mut gone = Driven::start(Command::new("true")).unwrap();
        assert!(gone.ask("24 1").unwrap_err().contains("`true` ended"));
    }
}
