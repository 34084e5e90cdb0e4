//! `bench kernels`: a pass over exactly 24 and 256 tokens of the embedded model, everywhere it runs, against ONNX
//! Runtime. One thread; every program is started once and asked in turns, so that all of them see the same clock
//! and the same neighbours.

use std::process::Command;

use serde_json::Value;

use super::driven::Driven;
use super::peers::{OnnxRuntime, onnx_runtime_web};
use super::programs::{self, Build, in_node, in_wasmtime};
use super::{Goal, Row, Sense, median, minimum};
use crate::toolchain::Toolchain;

const PACKAGE: &str = "lacuna-bench";

/// Turns, and passes a turn: 256 tokens take long enough to be measured one by one.
const TURNS: usize = 15;
const LENGTHS: [(usize, usize); 2] = [(24, 12), (256, 2)];

/// Everything that takes turns, in order; ours first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    Relaxed,
    Plain,
    Int8,
    Native,
    NativeAvx2,
    Start,
    Node,
    NodePlain,
    Ort,
    OrtWeb,
}

const EVERYONE: [Who; 10] = [
    Who::Relaxed,
    Who::Ort,
    Who::Plain,
    Who::Native,
    Who::NativeAvx2,
    Who::Int8,
    Who::Start,
    Who::Node,
    Who::OrtWeb,
    Who::NodePlain,
];

impl Who {
    fn title(self) -> &'static str {
        match self {
            Who::Relaxed => "ours, Wasmtime, relaxed, q4_0",
            Who::Plain => "ours, Wasmtime, plain, q4_0",
            Who::Int8 => "ours, Wasmtime, plain, int8",
            Who::Native => "ours, native, q4_0",
            Who::NativeAvx2 => "ours, native, AVX2 at most, q4_0",
            Who::Start => "the article's start, Wasmtime, int8",
            Who::Node => "ours, Node, relaxed, q4_0",
            Who::NodePlain => "ours, Node, plain, q4_0",
            Who::Ort => "ONNX Runtime, native, q4",
            Who::OrtWeb => "onnxruntime-web, Node, q4",
        }
    }

    fn is_peer(self) -> bool {
        matches!(self, Who::Ort | Who::OrtWeb)
    }
}

/// A row: who, how many tokens, against whom.
struct Entry {
    goal: Goal,
    ours: Who,
    tokens: usize,
    peer: Who,
}

const fn entry(
    name: &'static str,
    (ours, tokens, peer): (Who, usize, Who),
    sense: Sense,
    (must, aim): (f64, f64),
) -> Entry {
    Entry { goal: Goal { name, unit: "ms", sense, must: Some(must), aim: Some(aim) }, ours, tokens, peer }
}

const ENTRIES: [Entry; 12] = [
    entry("wasm-relaxed-256", (Who::Relaxed, 256, Who::Ort), Sense::AtMost, (1.4, 1.0)),
    entry("wasm-relaxed-24", (Who::Relaxed, 24, Who::Ort), Sense::AtMost, (0.95, 0.75)),
    entry("wasm-plain-256", (Who::Plain, 256, Who::Ort), Sense::AtMost, (1.9, 1.4)),
    entry("wasm-plain-24", (Who::Plain, 24, Who::Ort), Sense::AtMost, (1.35, 1.1)),
    entry("v8-256", (Who::Node, 256, Who::OrtWeb), Sense::AtMost, (0.36, 0.25)),
    entry("v8-24", (Who::Node, 24, Who::OrtWeb), Sense::AtMost, (0.18, 0.12)),
    entry("native-256", (Who::Native, 256, Who::Ort), Sense::AtMost, (0.55, 0.35)),
    entry("native-24", (Who::Native, 24, Who::Ort), Sense::AtMost, (0.5, 0.35)),
    entry("native-avx2-256", (Who::NativeAvx2, 256, Who::Ort), Sense::AtMost, (0.9, 0.7)),
    entry("int8-wasm-256", (Who::Int8, 256, Who::Ort), Sense::AtMost, (1.9, 1.3)),
    entry("start-int8-256", (Who::Int8, 256, Who::Start), Sense::AtLeast, (6.0, 8.0)),
    entry("start-q4-256", (Who::Relaxed, 256, Who::Start), Sense::AtLeast, (8.0, 11.0)),
];

/// The samples of one program.
#[derive(Default)]
struct Samples {
    ms: Vec<f64>,
    /// The fastest run's matmul, attention, other; ours alone have them.
    phases: Option<[f64; 3]>,
    least: f64,
}

/// A program, or why there is none.
type Program = Result<Driven, String>;

pub fn run(arguments: &[String]) -> Result<Vec<Row>, String> {
    if !arguments.is_empty() {
        return Err("bench kernels takes no arguments".into());
    }
    let mut programs = start_all();
    let mut samples = Vec::new();
    for (tokens, runs) in LENGTHS {
        let ids = programs.iter_mut().find_map(|(who, program)| match program {
            Ok(program) if !who.is_peer() => Some(program.ask(&format!("{tokens} logits"))),
            _ => None,
        });
        let ids = ids.unwrap_or_else(|| Err("none of our programs runs".into()))?["ids"].clone();
        samples.push(take_turns(&mut programs, tokens, runs, &list(&ids)?));
    }
    check_bits(&mut programs)?;
    println!(
        "\n{:<38} {:>6} {:>9} {:>9} {:>8} {:>9} {:>7}",
        "", "tokens", "median", "least", "products", "attention", "other"
    );
    for ((tokens, _), samples) in LENGTHS.iter().zip(&samples) {
        for ((who, _), sample) in programs.iter().zip(samples) {
            print_line(*who, *tokens, sample);
        }
    }
    for (who, program) in &programs {
        if let Err(why) = program {
            println!("{:<38} {why}", who.title());
        }
    }
    println!();
    Ok(ENTRIES.iter().map(|entry| row(entry, &programs, &samples)).collect())
}

fn print_line(who: Who, tokens: usize, sample: &Samples) {
    if sample.ms.is_empty() {
        return;
    }
    print!("{:<38} {tokens:>6} {:>9.2} {:>9.2}", who.title(), median(&sample.ms), minimum(&sample.ms));
    match sample.phases {
        Some([matmul, attention, other]) => println!(" {matmul:>8.2} {attention:>9.2} {other:>7.2}"),
        None => println!(),
    }
}

fn row(entry: &Entry, programs: &[(Who, Program)], samples: &[Vec<Samples>]) -> Row {
    let length = LENGTHS.iter().position(|(tokens, _)| *tokens == entry.tokens).expect("a length we time");
    let find = |who: Who| programs.iter().position(|(one, _)| *one == who).expect("everyone is in the list");
    let (ours, peer) = (find(entry.ours), find(entry.peer));
    for at in [ours, peer] {
        if let (who, Err(why)) = &programs[at] {
            return Row::cannot(&entry.goal, format!("{}: {why}", who.title()));
        }
    }
    Row::against(&entry.goal, &samples[length][ours].ms, entry.peer.title(), &samples[length][peer].ms)
}

/// One warming pass each, then turn by turn. A program that fails is out, with its reason.
fn take_turns(programs: &mut [(Who, Program)], tokens: usize, runs: usize, ids: &str) -> Vec<Samples> {
    let mut samples: Vec<Samples> = programs.iter().map(|_| Samples::default()).collect();
    for turn in 0..=TURNS {
        for ((who, program), samples) in programs.iter_mut().zip(&mut samples) {
            let Ok(driven) = program else { continue };
            let runs = if *who == Who::Start { 1 } else { runs };
            let request =
                if who.is_peer() { format!("{tokens} {runs} {ids}") } else { format!("{tokens} {runs}") };
            match driven.ask(&request).and_then(|answer| take(&answer)) {
                Ok(_) if turn == 0 => {}
                Ok((ms, phases)) => {
                    let least = minimum(&ms);
                    if samples.ms.is_empty() || least < samples.least {
                        (samples.least, samples.phases) = (least, phases);
                    }
                    samples.ms.extend(ms);
                }
                Err(why) => *program = Err(why),
            }
        }
    }
    samples
}

fn take(answer: &Value) -> Result<(Vec<f64>, Option<[f64; 3]>), String> {
    let ms: Option<Vec<f64>> = answer["ms"].as_array().and_then(|ms| ms.iter().map(Value::as_f64).collect());
    let ms = ms.filter(|ms| !ms.is_empty()).ok_or_else(|| format!("no times in {answer}"))?;
    let phase = |name: &str| answer[name].as_f64();
    let phases = phase("matmul").zip(phase("attention")).zip(phase("other"));
    Ok((ms, phases.map(|((matmul, attention), other)| [matmul, attention, other])))
}

/// What is timed is one and the same pass: the logits of every q4_0 program are equal.
fn check_bits(programs: &mut [(Who, Program)]) -> Result<(), String> {
    let mut first: Option<(Who, Value)> = None;
    for (who, program) in programs {
        let same = [Who::Relaxed, Who::Plain, Who::Native, Who::NativeAvx2, Who::Node, Who::NodePlain];
        let (true, Ok(program)) = (same.contains(who), program) else { continue };
        let logits = program.ask("256 logits")?["logits"].clone();
        match &first {
            None => first = Some((*who, logits)),
            Some((_, other)) if *other == logits => {}
            Some((other, _)) => return Err(format!("{} and {} differ", other.title(), who.title())),
        }
    }
    Ok(())
}

fn list(ids: &Value) -> Result<String, String> {
    let ids = ids.as_array().ok_or("no ids")?;
    Ok(ids.iter().map(Value::to_string).collect::<Vec<_>>().join(","))
}

fn start_all() -> Vec<(Who, Program)> {
    let toolchain = Toolchain::set_up();
    let wasm = |build: Build| match &toolchain {
        Ok(toolchain) => build.program(toolchain, PACKAGE),
        Err(why) => Err(why.clone()),
    };
    let (plain, relaxed) = (wasm(Build::Plain), wasm(Build::Relaxed));
    let (host, native) = (programs::host(), programs::native(PACKAGE));
    let (ort, web) = (OnnxRuntime::set_up(), onnx_runtime_web());
    let command = |who: Who| -> Result<Command, String> {
        let native = |pass: &str| {
            let mut command =
                crate::process::command(&native.as_ref().map_err(String::clone)?.to_string_lossy());
            command.arg(pass);
            Ok::<Command, String>(command)
        };
        let both = |program: &Result<std::path::PathBuf, String>, pass: &str| {
            Ok(in_wasmtime(
                host.as_ref().map_err(String::clone)?,
                program.as_ref().map_err(String::clone)?,
                &[pass],
            ))
        };
        let node = |program: &Result<std::path::PathBuf, String>| {
            Ok(in_node(program.as_ref().map_err(String::clone)?, &["q4_0"]))
        };
        match who {
            Who::Relaxed => both(&relaxed, "q4_0"),
            Who::Plain => both(&plain, "q4_0"),
            Who::Int8 => both(&plain, "int8"),
            Who::Start => both(&plain, "start"),
            Who::Native => native("q4_0"),
            Who::NativeAvx2 => native("q4_0:avx2"),
            Who::Node => node(&relaxed),
            Who::NodePlain => node(&plain),
            Who::Ort => ort.as_ref().map(OnnxRuntime::command).map_err(String::clone),
            Who::OrtWeb => {
                let (web, ort) = (web.as_ref().map_err(String::clone)?, ort.as_ref().map_err(String::clone)?);
                let mut command = crate::process::command("node");
                command.arg("bench/peers/ort_web.mjs").arg(web).arg(&ort.model);
                Ok(command)
            }
        }
    };
    EVERYONE.map(|who| (who, command(who).and_then(Driven::start))).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_programs_and_lengths() {
        for entry in &ENTRIES {
            assert!(EVERYONE.contains(&entry.ours) && EVERYONE.contains(&entry.peer), "{}", entry.goal.name);
            assert!(LENGTHS.iter().any(|(tokens, _)| *tokens == entry.tokens), "{}", entry.goal.name);
        }
    }

    #[test]
    fn a_program_that_is_missing_costs_its_rows_alone() {
        let programs: Vec<(Who, Program)> = EVERYONE.map(|who| (who, Err("no network".into()))).into();
        let samples: Vec<Vec<Samples>> =
            LENGTHS.iter().map(|_| EVERYONE.map(|_| Samples::default()).into()).collect();
        let row = row(&ENTRIES[0], &programs, &samples);
        assert!(!row.met && row.why.unwrap().ends_with("no network"));
    }

    #[test]
    fn answers_without_times_are_errors() {
        assert!(take(&serde_json::json!({"ms": []})).is_err());
        assert!(take(&serde_json::json!({"error": 1})).is_err());
        let (ms, phases) =
            take(&serde_json::json!({"ms": [1.5], "matmul": 1.0, "attention": 0.3, "other": 0.2})).unwrap();
        assert_eq!((ms, phases), (vec![1.5], Some([1.0, 0.3, 0.2])));
    }
}
