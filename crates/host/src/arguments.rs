//! The command line.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use crate::limits::{KIB, Limits, MIB};

pub const HELP: &str = "\
lacuna-host serve COMPONENT [OPTIONS]    serve a wasi:http component
  --port N              port, 0 for any free one              [3000]
  --address A           address to listen on                  [127.0.0.1]
  --build relaxed|plain use NAME-relaxed.wasm, if it lies beside NAME.wasm [relaxed]
  --body-limit SIZE     largest request body; more is 413     [1MiB]
  --time-base TIME      time a request may run ...            [5s]
  --time-per-kib TIME   ... and what each KiB of body adds    [1s]
  --memory SIZE         memory of one guest                   [256MiB]
  --active N            guests at once                        [the processors]
  --waiting N           requests that may wait; more is 503   [256]
  --connections N       open connections                      [512]
  --guest-stderr        show what the guest writes to stderr; it may hold text
lacuna-host run-wasm [--dir[=PATH]] [--memory SIZE] FILE [ARGS]...
                        run a wasip1 program, epoch interruption on; --dir lets it read PATH
                        (the current directory) and nothing else
lacuna-host compile [--target TRIPLE] FILE -o OUT.cwasm
                        compile ahead of time, for `run-wasm OUT.cwasm` on this or that kind of machine

SIZE is bytes, or a number with KiB or MiB; TIME a number with ms or s.
";

#[derive(Debug, PartialEq)]
pub enum Call {
    Help(&'static str),
    Serve(Serve),
    RunWasm(RunWasm),
    Compile(Compile),
}

#[derive(Debug, PartialEq)]
pub struct Serve {
    pub component: PathBuf,
    pub address: IpAddr,
    pub port: u16,
    pub relaxed: bool,
    pub guest_stderr: bool,
    pub limits: Limits,
}

#[derive(Debug, PartialEq)]
pub struct RunWasm {
    pub file: PathBuf,
    pub arguments: Vec<String>,
    /// The one directory the program may read.
    pub directory: Option<PathBuf>,
    pub memory: Option<usize>,
}

#[derive(Debug, PartialEq)]
pub struct Compile {
    /// What the code is for, if not this machine: `aarch64-unknown-linux-gnu`.
    pub target: Option<String>,
    pub file: PathBuf,
    pub out: PathBuf,
}

/// # Errors
/// What is wrong with the command line, in words.
pub fn parse(arguments: &[String]) -> Result<Call, String> {
    let (verb, rest) = arguments.split_first().ok_or("what should I do?")?;
    match verb.as_str() {
        "help" | "--help" | "-h" => Ok(Call::Help(HELP)),
        _ if rest.first().is_some_and(|first| first == "--help" || first == "-h") => Ok(Call::Help(HELP)),
        "serve" => serve(rest).map(Call::Serve),
        "run-wasm" => run_wasm(rest).map(Call::RunWasm),
        "compile" => compile(rest).map(Call::Compile),
        other => Err(format!("no command {other:?}")),
    }
}

fn serve(arguments: &[String]) -> Result<Serve, String> {
    let mut component = None;
    let mut serve = Serve {
        component: PathBuf::new(),
        address: Ipv4Addr::LOCALHOST.into(),
        port: 3000,
        relaxed: true,
        guest_stderr: false,
        limits: Limits::default(),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if !argument.starts_with('-') {
            if component.replace(PathBuf::from(argument)).is_some() {
                return Err(format!("one COMPONENT only, and {argument:?} is a second"));
            }
            continue;
        }
        let (name, given) = split(argument);
        if name == "--guest-stderr" {
            serve.guest_stderr = true;
            continue;
        }
        let value = match given {
            Some(value) => value,
            None => rest.next().ok_or_else(|| format!("{name} wants a value"))?.clone(),
        };
        let limits = &mut serve.limits;
        match name {
            "--port" => serve.port = number(name, &value)?,
            "--address" => serve.address = number(name, &value)?,
            "--build" => {
                serve.relaxed = match value.as_str() {
                    "relaxed" => true,
                    "plain" => false,
                    _ => return Err(format!("--build is relaxed or plain, not {value:?}")),
                }
            }
            "--body-limit" => limits.body = size(name, &value)?,
            "--time-base" => limits.time_base = time(name, &value)?,
            "--time-per-kib" => limits.time_per_kib = time(name, &value)?,
            "--memory" => limits.memory = size(name, &value)?,
            "--active" => limits.active = at_least_one(name, &value)?,
            "--waiting" => limits.waiting = number(name, &value)?,
            "--connections" => limits.connections = at_least_one(name, &value)?,
            _ => return Err(format!("no option {name:?}")),
        }
    }
    serve.component = component.ok_or("serve wants a COMPONENT")?;
    Ok(serve)
}

fn run_wasm(arguments: &[String]) -> Result<RunWasm, String> {
    let mut directory = None;
    let mut memory = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match split(argument) {
            ("--dir", path) => directory = Some(PathBuf::from(path.unwrap_or(".".into()))),
            ("--memory", Some(value)) => memory = Some(size("--memory", &value)?),
            ("--memory", None) => {
                memory = Some(size("--memory", rest.next().ok_or("--memory wants a SIZE")?)?)
            }
            _ if argument.starts_with('-') => return Err(format!("no option {argument:?}")),
            _ => {
                return Ok(RunWasm {
                    file: PathBuf::from(argument),
                    arguments: rest.cloned().collect(),
                    directory,
                    memory,
                });
            }
        }
    }
    Err("run-wasm wants a FILE".into())
}

fn compile(arguments: &[String]) -> Result<Compile, String> {
    match arguments {
        [file, flag, out] if flag == "-o" => Ok(Compile { target: None, file: file.into(), out: out.into() }),
        [flag, target, rest @ ..] if flag == "--target" && rest.len() == 3 => {
            Ok(Compile { target: Some(target.clone()), ..compile(rest)? })
        }
        _ => Err("compile wants [--target TRIPLE] FILE -o OUT.cwasm".into()),
    }
}

fn split(argument: &str) -> (&str, Option<String>) {
    match argument.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (argument, None),
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{name}: {value:?} is out of range or not of this kind"))
}

fn at_least_one(name: &str, value: &str) -> Result<usize, String> {
    match number(name, value)? {
        0 => Err(format!("{name}: 0 would serve nobody")),
        n => Ok(n),
    }
}

fn size(name: &str, value: &str) -> Result<usize, String> {
    let (digits, unit) = match value {
        _ if value.ends_with("KiB") => (value.trim_end_matches("KiB"), KIB),
        _ if value.ends_with("MiB") => (value.trim_end_matches("MiB"), MIB),
        _ => (value, 1),
    };
    let count: usize = number(name, digits.trim())?;
    count.checked_mul(unit).ok_or_else(|| format!("{name}: {value:?} is too large"))
}

fn time(name: &str, value: &str) -> Result<Duration, String> {
    if let Some(digits) = value.strip_suffix("ms") {
        Ok(Duration::from_millis(number(name, digits)?))
    } else if let Some(digits) = value.strip_suffix('s') {
        Ok(Duration::from_secs(number(name, digits)?))
    } else {
        Err(format!("{name}: {value:?} wants a unit, ms or s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Call, String> {
        parse(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn limits_are_options() {
        let line = "serve a.wasm --port=0 --body-limit 2KiB --time-base 250ms --time-per-kib 0s --memory 64MiB --active 3";
        let Ok(Call::Serve(serve)) = parsed(line) else { panic!("{:?}", parsed(line)) };
        assert_eq!((serve.port, serve.limits.body), (0, 2048));
        assert_eq!(serve.limits.time(1 << 20), Duration::from_millis(250));
        assert_eq!((serve.limits.memory, serve.limits.active), (64 << 20, 3));
        assert!(serve.relaxed && serve.address.is_loopback());
    }

    #[test]
    fn a_program_keeps_its_own_options() {
        let Ok(Call::RunWasm(run)) = parsed("run-wasm --dir a.wasm --dir x") else { panic!() };
        assert_eq!(run.directory, Some(".".into()));
        assert_eq!(run.arguments, ["--dir", "x"]);
    }

    #[test]
    fn code_is_for_this_machine_or_the_one_named() {
        let target = |line| match parsed(line) {
            Ok(Call::Compile(Compile { target, .. })) => target,
            other => panic!("{other:?}"),
        };
        assert_eq!(target("compile a.wasm -o a.cwasm"), None);
        assert_eq!(target("compile --target aarch64-x a.wasm -o a.cwasm").as_deref(), Some("aarch64-x"));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, word) in [
            ("serve", "COMPONENT"),
            ("serve a.wasm b.wasm", "second"),
            ("serve a.wasm --port 70000", "--port"),
            ("serve a.wasm --time-base 5", "unit"),
            ("serve a.wasm --active 0", "nobody"),
            ("serve a.wasm --colour red", "--colour"),
            ("serve a.wasm --memory", "value"),
            ("serve a.wasm --memory 99999999999999MiB", "too large"),
            ("run-wasm --dir", "FILE"),
            ("compile a.wasm", "-o"),
            ("compile --target a.wasm -o a.cwasm", "--target TRIPLE"),
            ("dance", "dance"),
        ] {
            let why = parsed(line).expect_err(line);
            assert!(why.contains(word), "{line}: {why}");
        }
    }
}
