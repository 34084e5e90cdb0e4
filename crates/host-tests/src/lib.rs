//! A server to test and a client to test it with. Ports are the system's choice, on 127.0.0.1 only.
//!
//! What is tested was built before: `cargo xtask test host` builds host and components and runs these tests.
#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running `lacuna-host serve`, stopped when it is dropped.
pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    pub fn start(component: &Path, options: &[&str]) -> Server {
        let mut command = Command::new(host());
        command.arg("serve").arg(component).args(["--port", "0"]).args(options);
        Server::of(command, |line| line.strip_prefix("listening on http://").map(str::to_owned))
    }

    /// Any server that says where it listens on one of its first lines.
    pub fn of(mut command: Command, address: fn(&str) -> Option<String>) -> Server {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let found = lines.map_while(Result::ok).take(20).find_map(|line| address(&line));
        Server { child, address: found.expect("the server says where it listens") }
    }

    pub fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&self.address).expect("the server accepts");
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream.set_nodelay(true).unwrap();
        Connection { stream: BufReader::new(stream) }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.connect().ask("GET", path, b"")
    }

    pub fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.connect().ask("POST", path, body)
    }

    /// The process, for signals.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().expect("the server ends")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Connection {
    stream: BufReader<TcpStream>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Connection {
    pub fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Answer {
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\r\n");
        self.send(head.as_bytes());
        self.send(body);
        self.answer()
    }

    /// Raw bytes; a server that closes early is seen in the answer.
    pub fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.get_mut().write_all(bytes);
    }

    pub fn answer(&mut self) -> Answer {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("a status line");
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status in {line:?}"));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("a header");
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        if answer.header("transfer-encoding") == Some("chunked") {
            self.chunks(&mut answer.body);
        } else {
            let length = answer.header("content-length").and_then(|value| value.parse().ok());
            answer.body = vec![0; length.unwrap_or(0)];
            self.stream.read_exact(&mut answer.body).expect("the whole body");
        }
        answer
    }

    fn chunks(&mut self, body: &mut Vec<u8>) {
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("a chunk");
            let length = usize::from_str_radix(line.trim(), 16).expect("a chunk length");
            let start = body.len();
            body.resize(start + length, 0);
            self.stream.read_exact(&mut body[start..]).expect("a whole chunk");
            self.stream.read_line(&mut String::new()).expect("the end of a chunk");
            if length == 0 {
                return;
            }
        }
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// `error.code`, after checking the form of the error.
    #[track_caller]
    pub fn error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        let json = self.json();
        let error = json["error"].as_object().expect("an error object");
        assert_eq!(json.as_object().unwrap().len(), 1, "{json}");
        assert!(!error["message"].as_str().expect("a message").is_empty());
        for name in error.keys() {
            assert!(["code", "message", "field", "limit", "got"].contains(&name.as_str()), "{json}");
        }
        error["code"].as_str().expect("a code").to_owned()
    }

    /// `error.field`, with the status 400.
    #[track_caller]
    pub fn field(&self) -> String {
        self.error(400);
        self.json()["error"]["field"].as_str().unwrap_or_default().to_owned()
    }
}

/// A directory for one test, in the build directory.
pub fn scratch(name: &str) -> PathBuf {
    let directory = target().join("tmp/host-tests").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a scratch directory");
    directory
}

/// The two builds of the component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Build {
    Plain,
    Relaxed,
}

/// The component that `cargo xtask component` built.
pub fn component(build: Build) -> PathBuf {
    built(if build == Build::Plain { "lacuna.wasm" } else { "lacuna-relaxed.wasm" })
}

/// The program of crates/host.
pub fn host() -> PathBuf {
    built(if cfg!(windows) { "host/lacuna-host.exe" } else { "host/lacuna-host" })
}

fn built(name: &str) -> PathBuf {
    let file = target().join(name);
    assert!(file.is_file(), "{} is not there: `cargo xtask test host` builds it", file.display());
    file
}

/// Where cargo builds, seen from a test program in `DIRECTORY/PROFILE/deps`.
fn target() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    program.ancestors().nth(3).expect("a test program lies in the build directory").to_path_buf()
}
