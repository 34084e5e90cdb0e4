//! `bench dot`: one dot of 4,096, Q4_0 times Q8_0, a million times, on every instruction set; the second article's
//! table. Everyone multiplies eight rows of weights with one of activations, taking turns.

use super::driven::Driven;
use super::peers::ggml_dot;
use super::programs::{self, Build, in_wasmtime};
use super::{Goal, Row, Sense, median, minimum};
use crate::process;
use crate::toolchain::Toolchain;

const PACKAGE: &str = "lacuna-bench";
/// Dots a run: some 3 to 60 ms.
const COUNT: usize = 16_000;
const TURNS: usize = 25;
/// Operations of a dot: 4,096 products and as many sums.
const OPERATIONS: f64 = 8192.0;

struct Line {
    title: &'static str,
    program: Result<Driven, String>,
    /// Nanoseconds a dot.
    ns: Vec<f64>,
}

const PLAIN: Goal =
    Goal { name: "dot-plain", unit: "ns", sense: Sense::AtLeast, must: Some(8.0), aim: Some(10.0) };
const RELAXED: Goal =
    Goal { name: "dot-relaxed", unit: "ns", sense: Sense::AtLeast, must: Some(12.0), aim: Some(15.0) };
const AVX2: Goal =
    Goal { name: "dot-vs-avx2", unit: "ns", sense: Sense::AtMost, must: Some(1.5), aim: Some(1.2) };
const OUR_AVX2: Goal =
    Goal { name: "dot-our-avx2-vs-ggml", unit: "ns", sense: Sense::AtMost, must: None, aim: None };

pub fn run(arguments: &[String]) -> Result<Vec<Row>, String> {
    if !arguments.is_empty() {
        return Err("bench dot takes no arguments".into());
    }
    let mut lines = start_all();
    take_turns(&mut lines);
    print_table(&lines);
    Ok(vec![
        row(&PLAIN, &lines, "SIMD128", "scalar Wasm"),
        row(&RELAXED, &lines, "relaxed", "scalar Wasm"),
        row(&AVX2, &lines, "relaxed", "ggml, AVX2"),
        row(&OUR_AVX2, &lines, "AVX2, native", "ggml, AVX2"),
    ])
}

fn start_all() -> Vec<Line> {
    let toolchain = Toolchain::set_up();
    let wasm = |build: Build| match &toolchain {
        Ok(toolchain) => build.program(toolchain, PACKAGE),
        Err(why) => Err(why.clone()),
    };
    let (plain, relaxed) = (wasm(Build::Plain), wasm(Build::Relaxed));
    let (host, native, ggml) = (programs::host(), programs::native(PACKAGE), ggml_dot());
    let in_host = |program: &Result<std::path::PathBuf, String>, variant: &str| {
        let (host, program) =
            (host.as_ref().map_err(String::clone)?, program.as_ref().map_err(String::clone)?);
        Driven::start(in_wasmtime(host, program, &[variant]))
    };
    let natively = |variant: &str| {
        let mut command = process::command(&native.as_ref().map_err(String::clone)?.to_string_lossy());
        command.arg(variant);
        Driven::start(command)
    };
    let line = |title, program| Line { title, program, ns: Vec::new() };
    vec![
        line("scalar Wasm", in_host(&plain, "dot:scalar")),
        line("SIMD128", in_host(&plain, "dot:simd128")),
        line("SIMD128, a dot a call", in_host(&plain, "dot:one:simd128")),
        line("relaxed", in_host(&relaxed, "dot:relaxed")),
        line("relaxed, a dot a call", in_host(&relaxed, "dot:one:relaxed")),
        line("AVX2, native", natively("dot:one:avx2")),
        line("best variant, native", natively("dot:one:best")),
        line("ggml, AVX2", ggml.and_then(|ggml| Driven::start(process::command(&ggml.to_string_lossy())))),
    ]
}

fn take_turns(lines: &mut [Line]) {
    for turn in 0..=TURNS {
        for line in lines.iter_mut() {
            let Ok(driven) = &mut line.program else { continue };
            let answer = driven
                .ask(&format!("{COUNT} 1"))
                .and_then(|answer| answer["ms"][0].as_f64().ok_or_else(|| format!("no time in {answer}")));
            match answer {
                Ok(_) if turn == 0 => {}
                Ok(ms) => line.ns.push(ms * 1e6 / COUNT as f64),
                Err(why) => line.program = Err(why),
            }
        }
    }
}

fn print_table(lines: &[Line]) {
    let scalar = median(&lines[0].ns);
    println!(
        "\n{:<24} {:>14} {:>10} {:>10} {:>8} {:>9}",
        "dot of 4,096", "a million, ms", "ns a dot", "least ns", "GFLOPS", "speed-up"
    );
    for line in lines {
        match &line.program {
            Ok(_) => {
                let ns = median(&line.ns);
                println!(
                    "{:<24} {ns:>14.1} {ns:>10.1} {:>10.1} {:>8.1} {:>8.2}x",
                    line.title,
                    minimum(&line.ns),
                    OPERATIONS / ns,
                    scalar / ns
                );
            }
            Err(why) => println!("{:<24} {why}", line.title),
        }
    }
    println!();
}

fn row(goal: &Goal, lines: &[Line], ours: &str, peer: &str) -> Row {
    let find = |title: &str| lines.iter().find(|line| line.title == title).expect("a line of the table");
    let (ours, peer) = (find(ours), find(peer));
    for line in [ours, peer] {
        if let Err(why) = &line.program {
            return Row::cannot(goal, format!("{}: {why}", line.title));
        }
    }
    Row::against(goal, &ours.ns, peer.title, &peer.ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(title: &'static str, ns: &[f64]) -> Line {
        Line { title, program: Driven::start(std::process::Command::new("cat")), ns: ns.to_vec() }
    }

    #[test]
    fn a_speed_up_is_scalar_by_ours() {
        let lines = [line("scalar Wasm", &[3000.0]), line("SIMD128", &[300.0])];
        let row = row(&PLAIN, &lines, "SIMD128", "scalar Wasm");
        assert!(row.met && (row.ratio.unwrap() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn a_missing_peer_costs_its_row() {
        let mut lines = [line("relaxed", &[200.0]), line("ggml, AVX2", &[])];
        lines[1].program = Err("no compiler".into());
        let row = row(&AVX2, &lines, "relaxed", "ggml, AVX2");
        assert!(!row.met && row.why.unwrap().contains("no compiler"));
    }
}
