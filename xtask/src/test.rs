//! `test`: runs the suites below, counts what each of them printed, and closes with one line.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::toolchain::Toolchain;
use crate::{component, process, run_wasm};

/// What a suite needs from outside.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    /// Package registries: `--offline` leaves the suite out and counts it as skipped.
    Network,
    /// The toolchain for Wasm, which `xtask` sets up first.
    Wasm,
    /// Host and both components, which `xtask` builds first; the suite itself is native.
    Served,
}

struct Suite {
    name: &'static str,
    needs: &'static [Need],
    command: &'static [&'static str],
    count: Count,
}

/// How the tests of a suite are counted in what it prints.
#[derive(Clone, Copy, PartialEq)]
enum Count {
    /// `test result: ok. 3 passed; 0 failed; 1 ignored; …`
    Cargo,
    /// The whole command is one test: its exit status is the result.
    Whole,
    /// The closing lines of `node --test`: `# pass 3`, `# fail 0`, `# skipped 0`.
    Node,
    /// Proof lines, `NAME: N inputs, 0 differ` or `NAME: label agreement N/N (100.00%), …`: one test each.
    Proofs,
}

/// A suite that counts no test has failed: an empty run proves nothing.
const SUITES: &[Suite] = &[
    Suite { name: "xtask", needs: &[], command: &["cargo", "test", "-p", "xtask"], count: Count::Cargo },
    Suite {
        name: "weights",
        needs: &[],
        command: &["cargo", "test", "-p", "lacuna-weights", "-p", "lacuna-convert"],
        count: Count::Cargo,
    },
    Suite {
        name: "redact",
        needs: &[],
        command: &[
            "cargo",
            "test",
            "-p",
            "lacuna-kernels",
            "-p",
            "lacuna-model",
            "-p",
            "lacuna-tokens",
            "-p",
            "lacuna-tokens-build",
            "-p",
            "lacuna-rules",
            "-p",
            "lacuna",
            "-p",
            "lacuna-cli",
            "-p",
            "lacuna-bench",
            "-p",
            "lacuna-http",
            "-p",
            "lacuna-web",
            "--features",
            "lacuna-web/complete",
        ],
        count: Count::Cargo,
    },
    Suite {
        name: "guest",
        needs: &[Need::Wasm],
        command: &["cargo", "test", "-p", "lacuna-guest", "--features", "wasm-tests"],
        count: Count::Cargo,
    },
    Suite { name: "smollm2", needs: &[Need::Network], command: &["tools/smollm2.sh"], count: Count::Whole },
    Suite {
        name: "host",
        needs: &[],
        command: &["cargo", "test", "--profile", "host", "-p", "lacuna-host"],
        count: Count::Cargo,
    },
    Suite {
        name: "served",
        needs: &[Need::Served],
        command: &["cargo", "test", "-p", "lacuna-host-tests"],
        count: Count::Cargo,
    },
    Suite {
        name: "verify",
        needs: &[],
        command: &["cargo", "xtask", "verify", "--quick"],
        count: Count::Proofs,
    },
    Suite {
        name: "classifiers",
        needs: &[],
        command: &["tools/classifiers_in_wasm.sh"],
        count: Count::Whole,
    },
    Suite {
        name: "model",
        needs: &[Need::Network],
        command: &["python3", "tools/reproduce_model.py"],
        count: Count::Whole,
    },
    Suite { name: "web", needs: &[], command: &["cargo", "xtask", "web", "test"], count: Count::Node },
    Suite {
        name: "browser",
        needs: &[Need::Network],
        command: &["cargo", "xtask", "web", "browser"],
        count: Count::Node,
    },
    Suite { name: "fuzz", needs: &[], command: &["fuzz/run.sh", "all", "30"], count: Count::Cargo },
    Suite { name: "format", needs: &[], command: &["cargo", "fmt", "--all", "--check"], count: Count::Whole },
];

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl Count {
    /// What one line of output adds.
    fn of(self, line: &str) -> Option<Counts> {
        let mut counts = Counts::default();
        match self {
            Count::Whole => return None,
            Count::Cargo => {
                let parts = line.strip_prefix("test result: ")?;
                counts.passed = number_before(parts, " passed")?;
                counts.failed = number_before(parts, " failed")?;
                counts.skipped = number_before(parts, " ignored")?;
            }
            Count::Node => {
                let (what, number) = line.strip_prefix("# ").or(line.strip_prefix("ℹ "))?.split_once(' ')?;
                match what {
                    "pass" => counts.passed = number.parse().ok()?,
                    "fail" | "cancelled" => counts.failed = number.parse().ok()?,
                    "skipped" | "todo" => counts.skipped = number.parse().ok()?,
                    _ => return None,
                }
            }
            Count::Proofs => {
                let (_, result) = line.split_once(": ")?;
                let proved = match result.strip_prefix("label agreement ") {
                    Some(agreement) => agrees(agreement)?,
                    None => {
                        let differ = number_before(result, " differ")?;
                        let done = result.split(' ').next()?.parse::<u64>().ok()?;
                        differ == 0 && done > 0
                    }
                };
                counts.passed = u64::from(proved);
                counts.failed = u64::from(!proved);
            }
        }
        Some(counts)
    }
}

/// `N/N (100.00%), max |dlogit| 0.00e0, mean |dlogit| 0.00e0`: all labels, and no distance at all.
fn agrees(agreement: &str) -> Option<bool> {
    let (agree, rest) = agreement.split_once('/')?;
    let all = rest.split(' ').next()?;
    let distance = |name: &str| -> Option<f64> {
        let (_, after) = rest.split_once(name)?;
        after.split(',').next()?.trim().parse().ok()
    };
    let distances = [distance("max |dlogit| ")?, distance("mean |dlogit| ")?];
    let all_agree = agree.parse::<u64>().ok()? == all.parse::<u64>().ok()? && agree != "0";
    Some(all_agree && distances == [0.0, 0.0])
}

fn number_before(text: &str, word: &str) -> Option<u64> {
    let before = &text[..text.find(word)?];
    let digits = before.rfind(|c: char| !c.is_ascii_digit()).map_or(before, |at| &before[at + 1..]);
    digits.parse().ok()
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    let offline = arguments.iter().any(|argument| argument == "--offline");
    let names: Vec<&String> = arguments.iter().filter(|argument| *argument != "--offline").collect();
    if let Some(unknown) = names.iter().find(|name| !SUITES.iter().any(|suite| suite.name == **name)) {
        let known: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
        return Err(format!("no suite {unknown:?}; there are {}", known.join(", ")));
    }
    let mut total = Counts::default();
    let mut troubled = Vec::new();
    for suite in
        SUITES.iter().filter(|suite| names.is_empty() || names.iter().any(|name| *name == suite.name))
    {
        println!("== {}", suite.name);
        let counts = if offline && suite.needs.contains(&Need::Network) {
            println!("left out: it needs the network");
            Counts { skipped: 1, ..Counts::default() }
        } else {
            run_suite(suite)
        };
        if counts.failed > 0 {
            troubled.push(suite.name);
        }
        total.add(counts);
    }
    if !troubled.is_empty() {
        println!("failed: {}", troubled.join(", "));
    }
    let skipped = if total.skipped > 0 { format!(", {} skipped", total.skipped) } else { String::new() };
    println!("{} passed, {} failed{skipped}", total.passed, total.failed);
    // The count must stay the last line, so the exit status says the rest.
    std::process::exit(if total.failed > 0 { 1 } else { 0 })
}

fn run_suite(suite: &Suite) -> Counts {
    match watched(suite) {
        Ok(counts) => counts,
        Err(why) => {
            println!("{}: {why}", suite.name);
            Counts { failed: 1, ..Counts::default() }
        }
    }
}

/// Passes the suite's output on and counts along the way.
fn watched(suite: &Suite) -> Result<Counts, String> {
    let mut command = command(suite)?;
    let shown = process::shown(&command);
    command.stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|why| format!("cannot start `{shown}`: {why}"))?;
    let mut counts = Counts::default();
    let output = child.stdout.take().ok_or("no output to read")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = line.map_err(|why| format!("`{shown}`: {why}"))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        if let Some(more) = suite.count.of(&line) {
            counts.add(more);
        }
    }
    let status = child.wait().map_err(|why| format!("`{shown}`: {why}"))?;
    judged(counts, status.success(), suite.count == Count::Whole)
        .map_err(|why| format!("`{shown}` {why} ({status})"))
}

/// Holds what was counted against how the command ended.
fn judged(mut counts: Counts, success: bool, is_one_test: bool) -> Result<Counts, String> {
    match (success, is_one_test) {
        (true, true) => counts.passed = 1,
        (true, false) if counts.passed + counts.failed == 0 => return Err("counted no test".into()),
        (false, _) if counts.failed == 0 => counts.failed = 1,
        _ => {}
    }
    Ok(counts)
}

fn command(suite: &Suite) -> Result<Command, String> {
    let mut command = process::command(suite.command[0]);
    command.args(&suite.command[1..]);
    // All failures of a suite in one run.
    if suite.command.starts_with(&["cargo", "test"]) && !suite.command.contains(&"--no-fail-fast") {
        command = process::command("cargo");
        command.args(["test", "--no-fail-fast"]).args(&suite.command[2..]);
    }
    if suite.needs.contains(&Need::Served) {
        run_wasm::host()?;
        component::both()?;
    }
    if suite.needs.contains(&Need::Wasm) {
        command = Toolchain::set_up()?.applied(command);
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted() {
        let counts = |passed, failed, skipped| Some(Counts { passed, failed, skipped });
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out";
        assert_eq!(Count::Cargo.of(line), counts(12, 3, 1));
        assert_eq!(Count::Cargo.of("test a ... ok"), None);
        assert_eq!(Count::Node.of("# pass 31"), counts(31, 0, 0));
        assert_eq!(Count::Node.of("ℹ fail 2"), counts(0, 2, 0));
        assert_eq!(Count::Node.of("# tests 33"), None);
        assert_eq!(Count::Proofs.of("geluchk: 4294967296 inputs, 0 differ"), counts(1, 0, 0));
        assert_eq!(Count::Proofs.of("geluchk: 4294967296 inputs, 3 differ"), counts(0, 1, 0));
        assert_eq!(Count::Proofs.of("geluchk: 0 inputs, 0 differ"), counts(0, 1, 0), "nothing compared");
        assert_eq!(Count::Proofs.of("median: 3 ms"), None);
        let eval = |agreement: &str, max: &str| {
            Count::Proofs.of(&format!(
                "eval[int8]: label agreement {agreement}, max |dlogit| {max}, mean |dlogit| {max}"
            ))
        };
        assert_eq!(eval("412/412 (100.00%)", "0.00e0"), counts(1, 0, 0));
        assert_eq!(eval("411/412 (99.76%)", "0.00e0"), counts(0, 1, 0));
        assert_eq!(eval("412/412 (100.00%)", "1.19e-7"), counts(0, 1, 0));
        assert_eq!(eval("412/412 (100.00%)", "inf"), counts(0, 1, 0));
        assert_eq!(eval("0/0 (NaN%)", "0.00e0"), counts(0, 1, 0), "nothing compared");
    }

    #[test]
    fn an_empty_or_broken_run_is_a_failure() {
        let none = Counts::default();
        let some = Counts { passed: 2, ..none };
        assert!(judged(none, true, false).is_err());
        assert_eq!(judged(none, false, false).unwrap().failed, 1, "a build that broke");
        assert_eq!(judged(some, false, false).unwrap().failed, 1, "a crash after the last count");
        assert_eq!(judged(some, true, false), Ok(some));
        assert_eq!(judged(none, true, true).unwrap().passed, 1);
        assert_eq!(judged(none, false, true).unwrap().failed, 1);
    }
}
