//! Benchmarks: the list of them, and the row every one of them prints.
//!
//! A benchmark is a module beside this file with `run(&[String]) -> Result<Vec<Row>, String>` and an entry in
//! [`BENCHES`]. It measures in pairs (A B A B) within one run, and returns a row for each of its names even
//! where the row could not be measured ([`Row::cannot`]).

mod dot;
mod driven;
mod generate;
mod generate_web;
mod kernels;
mod peers;
mod programs;
mod quality;
mod serve;
mod tokens;
mod web;

use std::fs::File;
use std::io::Write;

use serde::Serialize;

struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<Vec<Row>, String>,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "tokens",
        about: "tokenizers beside the tokenizers crate, natively and in Wasmtime",
        run: tokens::run,
    },
    Bench {
        name: "generate",
        about: "text generation beside llama.cpp (PyPI), without SIMD, and in Chromium beside wllama (npm)",
        run: generate::run,
    },
    Bench { name: "serve", about: "a request's cost besides the model's work", run: serve::run },
    Bench {
        name: "kernels",
        about: "a pass over 24 and 256 tokens: Wasmtime, Node, native, against ONNX Runtime",
        run: kernels::run,
    },
    Bench {
        name: "dot",
        about: "a dot of 4,096, Q4_0 times Q8_0, against scalar Wasm and ggml's AVX2",
        run: dot::run,
    },
    Bench {
        name: "quality",
        about: "leaks, false alarms, vectors, cases and the time of detection (--skip-folds: no cross-validation)",
        run: quality::run,
    },
    Bench {
        name: "web",
        about: "forward passes in Chromium against onnxruntime-web and transformers.js (npm, PyPI)",
        run: web::run,
    },
];

/// Which side of `must` is good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    AtMost,
    AtLeast,
}

/// One result. Printed as one line of JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub name: String,
    pub unit: String,
    /// Median of ours, in `unit`.
    pub ours: Option<f64>,
    /// Median of the peer, in `unit`; none where the row has no peer.
    pub peer: Option<f64>,
    pub peer_name: Option<String>,
    /// As the row defines it, `ours / peer` unless it says otherwise; `ours` itself where there is no peer.
    pub ratio: Option<f64>,
    pub must: Option<f64>,
    pub aim: Option<f64>,
    pub sense: Sense,
    /// `ratio` on the good side of `must`. A row without a goal is met once it was measured.
    pub met: bool,
    pub runs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours_min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_min: Option<f64>,
    /// Why the row could not be measured, or what its number leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A name with its goal, before anything was measured.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    pub name: &'static str,
    pub unit: &'static str,
    pub sense: Sense,
    pub must: Option<f64>,
    pub aim: Option<f64>,
}

impl Row {
    /// `ours` against `peer`, samples of one interleaved run; the ratio is ours ÷ peer of the medians where
    /// the goal is `AtMost`, peer ÷ ours where it is `AtLeast` (a speed-up).
    pub fn against(goal: &Goal, ours: &[f64], peer_name: &str, peer: &[f64]) -> Row {
        let (a, b) = (median(ours), median(peer));
        let ratio = match goal.sense {
            Sense::AtMost => a / b,
            Sense::AtLeast => b / a,
        };
        let mut row = Row::of(goal, Some(a), Some(ratio), ours.len().min(peer.len()));
        row.peer = Some(b);
        row.peer_name = Some(peer_name.into());
        row.ours_min = Some(minimum(ours));
        row.peer_min = Some(minimum(peer));
        row
    }

    /// As [`Row::against`], but samples are rates: the ratio is ours ÷ peer of the medians, more is better.
    pub fn rates(goal: &Goal, ours: &[f64], peer_name: &str, peer: &[f64]) -> Row {
        let (a, b) = (median(ours), median(peer));
        let mut row = Row::of(goal, Some(a), Some(a / b), ours.len().min(peer.len()));
        row.peer = Some(b);
        row.peer_name = Some(peer_name.into());
        row.ours_min = Some(minimum(ours));
        row.peer_min = Some(minimum(peer));
        row
    }

    /// `ours` alone: the figure is held against the goal itself.
    pub fn alone(goal: &Goal, ours: &[f64]) -> Row {
        let a = median(ours);
        let mut row = Row::of(goal, Some(a), Some(a), ours.len());
        row.ours_min = Some(minimum(ours));
        row
    }

    /// A row that could not run, and why. Never met.
    pub fn cannot(goal: &Goal, why: impl Into<String>) -> Row {
        let mut row = Row::of(goal, None, None, 0);
        row.why = Some(why.into());
        row
    }

    fn of(goal: &Goal, ours: Option<f64>, ratio: Option<f64>, runs: usize) -> Row {
        let met = match (ratio, goal.must, goal.sense) {
            (None, ..) => false,
            (Some(ratio), None, _) => ratio.is_finite(),
            (Some(ratio), Some(must), Sense::AtMost) => ratio <= must,
            (Some(ratio), Some(must), Sense::AtLeast) => ratio >= must,
        };
        Row {
            name: goal.name.into(),
            unit: goal.unit.into(),
            ours,
            peer: None,
            peer_name: None,
            ratio,
            must: goal.must,
            aim: goal.aim,
            sense: goal.sense,
            met,
            runs,
            ours_min: None,
            peer_min: None,
            why: None,
        }
    }
}

/// The middle sample, or the mean of the two middle ones; NaN of none.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// The smallest sample; infinity of none.
pub fn minimum(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::INFINITY, f64::min)
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    let mut rest = arguments.to_vec();
    let json = match rest.iter().position(|argument| argument == "--json") {
        Some(at) if at + 1 < rest.len() => rest.drain(at..at + 2).nth(1),
        Some(_) => return Err("--json wants a FILE".into()),
        None => None,
    };
    let Some(name) = rest.first().cloned() else {
        println!("benchmarks (cargo xtask bench NAME [--json FILE]):");
        for bench in BENCHES {
            println!("  {:<10} {}", bench.name, bench.about);
        }
        return Ok(());
    };
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        return Err(format!("no benchmark {name:?}; `cargo xtask bench` lists them"));
    };
    let rows = (bench.run)(&rest[1..])?;
    let mut text = String::new();
    for row in &rows {
        text += &serde_json::to_string(row).map_err(|why| format!("row {}: {why}", row.name))?;
        text.push('\n');
    }
    print!("{text}");
    if let Some(path) = json {
        let written = File::create(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|why| format!("{path}: {why}"))?;
    }
    if rows.is_empty() {
        return Err(format!("benchmark {name} returned no row"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: Goal = Goal { name: "g", unit: "ms", sense: Sense::AtMost, must: Some(0.5), aim: None };

    #[test]
    fn the_middle_of_samples() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
        assert_eq!(minimum(&[3.0, 1.0]), 1.0);
    }

    #[test]
    fn a_goal_is_met_on_its_good_side_only() {
        assert!(Row::against(&GOAL, &[1.0], "peer", &[2.0]).met);
        assert!(!Row::against(&GOAL, &[1.1], "peer", &[2.0]).met);
        let speed_up = Goal { sense: Sense::AtLeast, must: Some(2.0), ..GOAL };
        assert!(Row::against(&speed_up, &[1.0], "start", &[2.0]).met);
        assert!(!Row::against(&speed_up, &[1.1], "start", &[2.0]).met);
        assert!(
            Row::rates(&speed_up, &[2.0], "peer", &[1.0]).met
                && !Row::rates(&speed_up, &[1.9], "peer", &[1.0]).met
        );
        assert!(!Row::alone(&GOAL, &[]).met, "no sample meets no goal");
        assert!(!Row::cannot(&GOAL, "no peer").met);
    }

    #[test]
    fn a_row_is_one_line_of_json() {
        let line = serde_json::to_string(&Row::cannot(&GOAL, "no peer")).unwrap();
        assert_eq!(
            line,
            r#"{"name":"g","unit":"ms","ours":null,"peer":null,"peer_name":null,"ratio":null,"must":0.5,"aim":null,"sense":"at_most","met":false,"runs":0,"why":"no peer"}"#
        );
    }
}
