//! `bench serve`: what a request costs besides the model's work, seen by a client on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::{Goal, Row, Sense};
use crate::component::{self, Build};
use crate::{process, run_wasm};

const OVERHEAD: Goal =
    Goal { name: "request-overhead-ms", unit: "ms", sense: Sense::AtMost, must: Some(1.5), aim: Some(0.7) };

/// Without a goal: a fresh instance and nothing else.
const PING: Goal = Goal { name: "ping-ms", unit: "ms", sense: Sense::AtMost, must: None, aim: None };

/// Eighteen tokens and the two at the ends.
const TEXT: &str = "Hi, I am Maria Gonzalez from Lyon, call me at noon tomorrow.";

/// Requests before the count begins, and counted ones.
const WARM_UP: usize = 50;
const RUNS: usize = 400;

pub fn run(_arguments: &[String]) -> Result<Vec<Row>, String> {
    Ok(measured().unwrap_or_else(|why| vec![Row::cannot(&OVERHEAD, &why), Row::cannot(&PING, &why)]))
}

fn measured() -> Result<Vec<Row>, String> {
    component::both()?;
    let host = run_wasm::host()?;
    let mut server = Server::start(&host.to_string_lossy(), Build::Relaxed)?;
    let body = serde_json::json!({ "text": TEXT }).to_string();
    let request =
        format!("POST /redact HTTP/1.1\r\nHost: bench\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let (mut overhead, mut ping) = (Vec::new(), Vec::new());
    for run in 0..WARM_UP + RUNS {
        let (redact_ms, answer) = server.ask(&request)?;
        let (ping_ms, _) = server.ask("GET /ping HTTP/1.1\r\nHost: bench\r\n\r\n")?;
        if run >= WARM_UP {
            overhead.push(redact_ms - forward_ms(&answer)?);
            ping.push(ping_ms);
        }
    }
    let mut row = Row::alone(&OVERHEAD, &overhead);
    row.why = Some("Server-Timing tells the forward in steps of 0.1 ms".into());
    Ok(vec![row, Row::alone(&PING, &ping)])
}

/// The forward's time from the head of an answer.
fn forward_ms(head: &str) -> Result<f64, String> {
    let times = head.lines().find_map(|line| line.strip_prefix("server-timing: "));
    let forward =
        times.and_then(|times| times.split(", ").find_map(|part| part.strip_prefix("forward;dur=")));
    let number = forward.and_then(|rest| rest.split(';').next()?.parse().ok());
    number.ok_or_else(|| format!("no forward in the Server-Timing of {head:?}"))
}

/// A host of our own and one connection to it; it ends with this value.
struct Server {
    child: Child,
    connection: BufReader<TcpStream>,
}

impl Server {
    fn start(host: &str, build: Build) -> Result<Server, String> {
        let mut command = process::command(host);
        command.arg("serve").arg(build.file()).args(["--port", "0"]).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|why| format!("cannot start `{host}`: {why}"))?;
        match connected(&mut child) {
            Ok(connection) => Ok(Server { child, connection }),
            Err(why) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(format!("`{}`: {why}", process::shown(&command)))
            }
        }
    }

    /// Milliseconds from the first byte sent to the last received, and the head of the answer.
    fn ask(&mut self, request: &str) -> Result<(f64, String), String> {
        let begin = Instant::now();
        let head = exchange(&mut self.connection, request).map_err(|why| format!("loopback: {why}"))?;
        let ms = begin.elapsed().as_secs_f64() * 1e3;
        if !head.starts_with("HTTP/1.1 200 ") {
            return Err(format!("the server answered {head:?}"));
        }
        Ok((ms, head))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn connected(child: &mut Child) -> Result<BufReader<TcpStream>, String> {
    let lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    let address = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("listening on http://").map(str::to_owned))
        .ok_or("the server does not say where it listens")?;
    let stream = TcpStream::connect(&address).map_err(|why| format!("{address}: {why}"))?;
    stream
        .set_nodelay(true)
        .and_then(|()| stream.set_read_timeout(Some(Duration::from_secs(30))))
        .map_err(|why| why.to_string())?;
    Ok(BufReader::new(stream))
}

fn exchange(connection: &mut BufReader<TcpStream>, request: &str) -> std::io::Result<String> {
    connection.get_mut().write_all(request.as_bytes())?;
    let mut head = String::new();
    let mut length = 0;
    loop {
        let start = head.len();
        if connection.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = head[start..].trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(|_| std::io::ErrorKind::InvalidData)?;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forward_is_read_from_the_header() {
        let head = "HTTP/1.1 200 OK\r\nserver-timing: encode;dur=0.1, forward;dur=8.1;desc=\"1 window(s)\", matmul;dur=5.0\r\n\r\n";
        assert_eq!(forward_ms(head), Ok(8.1));
        assert!(forward_ms("HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
