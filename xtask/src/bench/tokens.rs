//! `bench tokens`: our tokenizers beside the tokenizers crate, natively and under our host. The program that measures
//! is `crates/tokens/examples/bench.rs`; this builds it for both, runs it and makes rows of its lines.

use std::path::PathBuf;
use std::process::Command;

use super::{Goal, Row, Sense, median, minimum};
use crate::toolchain::{SIMD128, Toolchain, WASIP1};
use crate::{process, run_wasm};

const PEER: &str = "tokenizers 0.23 (fancy-regex)";

const fn speed(name: &'static str) -> Goal {
    Goal { name, unit: "ms/MB", sense: Sense::AtLeast, must: Some(3.0), aim: Some(8.0) }
}

const fn most(name: &'static str, unit: &'static str, must: f64) -> Goal {
    Goal { name, unit, sense: Sense::AtMost, must: Some(must), aim: None }
}

/// Of one kind of tokenizer: speed natively and in Wasm, doubling natively and in Wasm.
struct Kind {
    name: &'static str,
    speed: [Goal; 2],
    doubling: [Goal; 2],
}

/// Twice the text may take this many times as long: 2 and what measuring adds.
const DOUBLE: f64 = 2.6;

macro_rules! kind {
    ($name:literal) => {
        Kind {
            name: $name,
            speed: [speed(concat!("tokens-", $name, "-native")), speed(concat!("tokens-", $name, "-wasm"))],
            doubling: [
                most(concat!("tokens-", $name, "-doubling-native"), "ratio", DOUBLE),
                most(concat!("tokens-", $name, "-doubling-wasm"), "ratio", DOUBLE),
            ],
        }
    };
}

const KINDS: [Kind; 3] = [kind!("wordpiece"), kind!("unigram"), kind!("bpe")];

const LOAD: Goal = most("tokens-load-wasm", "us", 50.0);
const GGUF: [Goal; 2] =
    [most("tokens-gguf-vocabulary-wasmtime", "ms", 150.0), most("tokens-gguf-vocabulary-node", "ms", 150.0)];

/// What makes a row of a place.
type Measure<'a> = dyn Fn(&Place) -> Result<Row, String> + 'a;

/// How a built program is started.
enum Place {
    Native(PathBuf),
    Host { host: PathBuf, module: PathBuf },
    Node(PathBuf),
}

impl Place {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = match self {
            Place::Native(program) => process::command(&program.to_string_lossy()),
            Place::Host { host, module } => {
                let mut command = process::command(&host.to_string_lossy());
                command.arg("run-wasm").arg(module);
                command
            }
            Place::Node(module) => {
                let mut command = process::command("node");
                command.args(["--no-warnings", "--input-type=module", "-e", NODE, "--"]).arg(module);
                command
            }
        };
        command.args(arguments);
        command
    }

    /// Runs the program and returns its lines in words.
    fn lines(&self, arguments: &[&str]) -> Result<Vec<Vec<String>>, String> {
        let printed = process::output(&mut self.command(arguments))?;
        Ok(printed.lines().map(|line| line.split(' ').map(String::from).collect()).collect())
    }
}

/// A wasip1 program in Node.
const NODE: &str = r#"
import { WASI } from "node:wasi"; import { readFile } from "node:fs/promises";
const [path, ...args] = process.argv.slice(1);
const wasi = new WASI({ version: "preview1", args: ["bench", ...args] });
const module = await WebAssembly.compile(await readFile(path));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
"#;

fn native() -> Result<Place, String> {
    let arguments = ["build", "--release", "-p", "lacuna-tokens", "--example", "bench"];
    process::run(process::command("cargo").args(arguments))?;
    Ok(Place::Native(process::target_directory().join("release/examples/bench")))
}

fn wasm() -> Result<PathBuf, String> {
    let example = ["-p", "lacuna-tokens", "--example", "bench"];
    let folder = Toolchain::set_up_for(&[WASIP1])?.build(SIMD128, &process::target_directory(), &example)?;
    Ok(folder.join("examples/bench.wasm"))
}

/// The program under our host, compiled: the peer's tables and automata keep the light compiler of `lacuna-host` busy
/// for a minute, once, and longer than all timings together.
fn hosted(module: PathBuf) -> Result<Place, String> {
    let place = Place::Host { host: run_wasm::host()?, module };
    eprintln!("bench tokens: compiling the program for the host, once");
    place.lines(&["load", "0", "bpe"])?;
    Ok(place)
}

pub fn run(_arguments: &[String]) -> Result<Vec<Row>, String> {
    let module = wasm();
    let places = [native(), module.clone().and_then(hosted)];
    let node = module.map(Place::Node);
    let mut rows = Vec::new();
    let mut add = |place: &Result<Place, String>, goal: &Goal, measure: &Measure| {
        eprintln!("bench tokens: {}", goal.name);
        let found = place.as_ref().map_err(Clone::clone).and_then(measure);
        rows.push(found.unwrap_or_else(|why| Row::cannot(goal, why)));
    };
    for (at, place) in places.iter().enumerate() {
        for kind in &KINDS {
            add(place, &kind.speed[at], &|place| pairs(place, kind, &kind.speed[at]));
        }
    }
    for (at, place) in places.iter().enumerate() {
        for kind in &KINDS {
            add(place, &kind.doubling[at], &|place| doubling(place, kind, &kind.doubling[at]));
        }
    }
    let [_, host] = &places;
    add(host, &LOAD, &|place| single(place, &LOAD, "load"));
    add(host, &GGUF[0], &|place| single(place, &GGUF[0], "gguf"));
    add(&node, &GGUF[1], &|place| single(place, &GGUF[1], "gguf"));
    Ok(rows)
}

/// The numbers of a line from word `first` on.
fn numbers(line: &[String], first: usize) -> Result<Vec<f64>, String> {
    line.iter()
        .skip(first)
        .map(|word| word.parse().map_err(|_| format!("{word:?} in {line:?} is not a number")))
        .collect()
}

/// Samples without the first, which warms up.
fn samples(lines: &[Vec<String>], first: usize, column: usize) -> Result<Vec<f64>, String> {
    let all: Result<Vec<f64>, String> = lines
        .iter()
        .skip(1)
        .map(|line| numbers(line, first)?.get(column).copied().ok_or_else(|| format!("{line:?} is short")))
        .collect();
    all.and_then(|all| if all.is_empty() { Err("the program printed no sample".into()) } else { Ok(all) })
}

fn pairs(place: &Place, kind: &Kind, goal: &Goal) -> Result<Row, String> {
    let lines = place.lines(&["pairs", "7", kind.name])?;
    // Of times, so the ratio is the peer's ÷ ours: of throughputs, ours ÷ the peer's.
    Ok(Row::against(goal, &samples(&lines, 1, 0)?, PEER, &samples(&lines, 1, 1)?))
}

/// The worst shape of text: how many times longer 1 MB takes than 512 KB, by the fastest of the runs.
fn doubling(place: &Place, kind: &Kind, goal: &Goal) -> Result<Row, String> {
    let lines = place.lines(&["linear", "5", kind.name])?;
    let mut worst = (0.0, String::new());
    let mut shapes = Vec::new();
    for line in &lines {
        let shape = line.get(1).ok_or_else(|| format!("{line:?} is short"))?;
        if !shapes.contains(shape) {
            shapes.push(shape.clone());
        }
    }
    for shape in shapes {
        let of_shape: Vec<Vec<String>> = lines.iter().filter(|line| line[1] == shape).cloned().collect();
        let (half, whole) = (samples(&of_shape, 2, 0)?, samples(&of_shape, 2, 1)?);
        let ratio = minimum(&whole) / minimum(&half);
        if ratio > worst.0 {
            worst =
                (ratio, format!("the worst of all shapes is `{shape}`: {:.1} ms for 1 MB", minimum(&whole)));
        }
    }
    if worst.1.is_empty() {
        return Err("the program printed no sample".into());
    }
    let mut row = Row::alone(goal, &[worst.0]);
    row.runs = 5;
    row.why = Some(worst.1);
    Ok(row)
}

fn single(place: &Place, goal: &Goal, what: &str) -> Result<Row, String> {
    let lines = place.lines(&[what, "9"])?;
    // Of several kinds the slowest counts.
    let mut worst: Option<Vec<f64>> = None;
    let mut names: Vec<&String> = lines.iter().filter_map(|line| line.first()).collect();
    names.dedup();
    for name in names {
        let of_name: Vec<Vec<String>> =
            lines.iter().filter(|line| line.first() == Some(name)).cloned().collect();
        let found = samples(&of_name, 1, 0)?;
        if worst.as_ref().is_none_or(|worst| median(&found) > median(worst)) {
            worst = Some(found);
        }
    }
    worst.map(|found| Row::alone(goal, &found)).ok_or_else(|| "the program printed no sample".into())
}
