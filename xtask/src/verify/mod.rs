//! `verify`: the proofs, natively and in WebAssembly under our host with epoch interruption.
//!
//! `lacuna-verify` does the work and says what it found as JSON; here it is built for every engine, run in parts on
//! all processors, and its answers become the proof lines.

mod bless;
mod builds;
mod proofs;
mod result;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub use builds::Extent;
use builds::{Build, Programs};
use proofs::{PROOFS, Proof};
use result::{Part, Parts, judge};

struct Options<'a> {
    quick: bool,
    bless: bool,
    names: Vec<&'a str>,
}

/// Runs the proofs named, or all.
///
/// # Errors
/// A proof that fails or cannot run; all others run nevertheless.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let options = options(arguments)?;
    if options.bless {
        return bless::run();
    }
    bless::check_reason()?;
    let chosen: Vec<&Proof> = PROOFS.iter().filter(|proof| chosen(proof, &options)).collect();
    let mut builds: Vec<Build> = chosen.iter().flat_map(|proof| proof.builds).copied().collect();
    builds.sort();
    builds.dedup();
    let extent = chosen.iter().map(|proof| Extent::of(proof.program)).max().unwrap_or(Extent::Kernels);
    let programs = Programs::build(&builds, extent)?;
    let mut runner = Runner { programs, quick: options.quick, done: BTreeMap::new() };
    let mut failed = Vec::new();
    for proof in chosen {
        let start = Instant::now();
        match runner.prove(proof) {
            Ok(verdict) => {
                println!("{}", verdict.line);
                verdict.notes.iter().for_each(|note| println!("  {note}"));
                if !verdict.wrong.is_empty() {
                    println!("  WRONG: {}", verdict.wrong.join("; "));
                    failed.push(proof.name);
                }
            }
            Err(why) => {
                // Counted as a proof that does not hold.
                println!("{}: 0 comparisons, 0 differ\n  CANNOT RUN: {why}", proof.name);
                failed.push(proof.name);
            }
        }
        println!("  {:.0} s", start.elapsed().as_secs_f64());
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

fn options(arguments: &[String]) -> Result<Options<'_>, String> {
    let mut options = Options { quick: false, bless: false, names: Vec::new() };
    for argument in arguments {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--bless" => options.bless = true,
            flag if flag.starts_with("--") => return Err(format!("no option {flag}")),
            name if PROOFS.iter().any(|proof| is_called(proof, name)) => options.names.push(name),
            name => {
                let known: Vec<_> = PROOFS.iter().map(|proof| proof.name).collect();
                return Err(format!("no proof {name:?}; there are {}", known.join(", ")));
            }
        }
    }
    Ok(options)
}

/// By its whole name, or the part before the bracket.
fn is_called(proof: &Proof, name: &str) -> bool {
    proof.name == name || proof.name.split('[').next() == Some(name)
}

fn chosen(proof: &Proof, options: &Options<'_>) -> bool {
    match options.names.is_empty() {
        true => !(options.quick && proof.slow),
        false => options.names.iter().any(|name| is_called(proof, name)),
    }
}

struct Runner {
    programs: Programs,
    quick: bool,
    /// What has run, since several proofs have one reference.
    done: BTreeMap<(Build, &'static str), Parts>,
}

impl Runner {
    fn prove(&mut self, proof: &'static Proof) -> Result<result::Verdict, String> {
        let parts = if self.quick { proof.parts.0 } else { proof.parts.1 };
        let jobs: Vec<(Build, u64)> = proof
            .builds
            .iter()
            .filter(|build| !self.done.contains_key(&(**build, proof.program)))
            .flat_map(|build| (0..parts).map(|part| (*build, part)))
            .collect();
        let commands = jobs.iter().map(|(build, part)| self.command(proof, *build, *part, parts)).collect();
        let alone = proof.timed && !self.quick;
        for ((build, _), part) in jobs.iter().zip(on_all_processors(commands, alone)) {
            self.done.entry((*build, proof.program)).or_default().push(part?);
        }
        let parts_of = |build: &Build| (*build, self.done[&(*build, proof.program)].clone());
        Ok(judge(proof, &proof.builds.iter().map(parts_of).collect::<Vec<_>>()))
    }

    fn command(&self, proof: &Proof, build: Build, part: u64, parts: u64) -> Command {
        let mut command = self.programs.command(build);
        command.arg(proof.program).arg("--part").arg(format!("{part}/{parts}"));
        // The definitions take long in Wasm: there they run as in a quick run.
        let definitions = proof.program.starts_with("digest") && build != Build::Native;
        if self.quick || definitions {
            command.arg("--quick");
        }
        if proof.oracle && build == Build::Native {
            command.arg("--oracle");
        }
        if proof.timed && !self.quick {
            command.arg("--timed");
        }
        command
    }
}

/// A command that is yet to run, and what it found.
type Slot = (Option<Command>, Result<Part, String>);

/// Runs commands, as many at once as there are processors, and returns what they found in their order.
fn on_all_processors(commands: Vec<Command>, alone: bool) -> Vec<Result<Part, String>> {
    let workers = if alone { 1 } else { std::thread::available_parallelism().map_or(1, usize::from) };
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Slot>> =
        commands.into_iter().map(|command| Mutex::new((Some(command), Err("did not run".into())))).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(slot) = slots.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut slot = slot.lock().expect("no worker panics");
                    if let Some(command) = slot.0.take() {
                        slot.1 = part(command);
                    }
                }
            });
        }
    });
    slots.into_iter().map(|slot| slot.into_inner().expect("no worker panics").1).collect()
}

/// Status 1 tells of differences, which the JSON tells as well; any other is a program that broke.
fn part(mut command: Command) -> Result<Part, String> {
    let shown = crate::process::shown(&command);
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|why| format!("cannot start `{shown}`: {why}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let part: Part = match (output.status.code(), text.lines().last()) {
        (Some(0 | 1), Some(line)) => {
            serde_json::from_str(line).map_err(|why| format!("`{shown}` printed {line:?}: {why}"))?
        }
        _ => return Err(format!("`{shown}` ended with {}", output.status)),
    };
    if (part.differ > 0) != (output.status.code() == Some(1)) {
        return Err(format!("`{shown}` found {} differences and ended with {}", part.differ, output.status));
    }
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Vec<&'static str> {
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string()).collect();
        let options = options(&arguments).expect("options");
        PROOFS.iter().filter(|proof| chosen(proof, &options)).map(|proof| proof.name).collect()
    }

    #[test]
    fn proofs_are_chosen_by_name() {
        assert_eq!(names(&[]).len(), PROOFS.len());
        assert!(!names(&["--quick"]).contains(&"variants[v8]"));
        assert_eq!(names(&["--quick", "variants[v8]"]), ["variants[v8]"]);
        assert_eq!(names(&["eval"]), ["eval[q4_0]", "eval[int8]", "eval[decoder]"]);
        assert!(options(&["nonsense".into()]).is_err());
    }

    #[test]
    fn a_program_that_breaks_is_an_error() {
        let sh = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            part(command)
        };
        let json =
            r#"{"counts":{},"differ":DIFFER,"hashes":{},"variants":{},"worst":{},"line":null,"notes":[]}"#;
        let says = |differ: &str, status: u8| {
            sh(&format!("echo '{}'; exit {status}", json.replace("DIFFER", differ)))
        };
        assert!(says("0", 0).is_ok() && says("2", 1).is_ok());
        assert!(says("0", 1).is_err() && says("2", 0).is_err() && says("0", 101).is_err());
        assert!(sh("true").is_err());
    }
}
