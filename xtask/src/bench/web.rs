//! `web`: our module against onnxruntime-web and transformers.js in one Chromium, one thread each.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::{Goal, Row, Sense, median};
use crate::{process, web};

const GOALS: [(&str, Goal); 2] = [
    ("256", Goal { name: "web-256", unit: "ms", sense: Sense::AtMost, must: Some(0.36), aim: Some(0.25) }),
    ("24", Goal { name: "web-24", unit: "ms", sense: Sense::AtMost, must: Some(0.18), aim: Some(0.12) }),
];

/// From the bytes of module and model to the first redaction.
const FIRST: Goal =
    Goal { name: "web-first", unit: "ms", sense: Sense::AtMost, must: Some(250.0), aim: None };
/// Memory of an instance over the bytes of the model.
const MEMORY: Goal =
    Goal { name: "web-memory", unit: "models", sense: Sense::AtMost, must: Some(3.0), aim: None };

const OURS: &str = "lacuna";

/// Passes of each engine over the long text, taking turns; three times as many over the short one.
const ROUNDS: u32 = 15;

/// What `npm/bench/run.js` prints.
#[derive(Deserialize)]
struct Measured {
    /// Tokens → engine → milliseconds.
    forward: HashMap<String, HashMap<String, Vec<f64>>>,
    starts: HashMap<String, Start>,
    /// Bytes fetched until the engine answered.
    download: HashMap<String, u64>,
    /// Peer → tokens with our label, of all.
    agreement: HashMap<String, (u64, u64)>,
    pool: Pool,
    build: String,
    browser: String,
    /// Engine → bytes of its Wasm memories.
    memory: HashMap<String, u64>,
    first: First,
}

/// Fresh modules over bytes that are there.
#[derive(Deserialize)]
struct First {
    times: Vec<f64>,
    /// Memory of an instance over the bytes of the model.
    memory: f64,
}

/// One long text with one worker, and with several.
#[derive(Deserialize)]
struct Pool {
    workers: u64,
    times: (Vec<f64>, Vec<f64>),
}

#[derive(Deserialize)]
struct Start {
    load: f64,
    first: f64,
}

pub fn run(arguments: &[String]) -> Result<Vec<Row>, String> {
    let rounds = match arguments {
        [] => ROUNDS,
        [name, count] if name == "--rounds" => count
            .parse()
            .ok()
            .filter(|count| (1..=1000).contains(count))
            .ok_or(format!("--rounds {count}: must be a number of 1 to 1000"))?,
        other => return Err(format!("`bench web` takes --rounds N, not {other:?}")),
    };
    match measure(rounds) {
        Ok(measured) => {
            describe(&measured);
            rows(&measured)
        }
        Err(why) => {
            let goals = GOALS.iter().map(|(_, goal)| goal).chain([&FIRST, &MEMORY]);
            Ok(goals.map(|goal| Row::cannot(goal, why.clone())).collect())
        }
    }
}

fn rows(measured: &Measured) -> Result<Vec<Row>, String> {
    let alone = [(&FIRST, measured.first.times.as_slice()), (&MEMORY, &[measured.first.memory])];
    GOALS
        .iter()
        .map(|(tokens, goal)| row(measured, tokens, goal))
        .chain(alone.map(|(goal, values)| Ok(Row::alone(goal, values))))
        .collect()
}

fn measure(rounds: u32) -> Result<Measured, String> {
    web::build()?;
    web::browsers(&["chromium"])?;
    let folder = process::root().join("npm/bench");
    web::npm_install(&folder)?;
    peer_model(&folder)?;
    let printed = process::output(process::command("node").args(["npm/bench/run.js", &rounds.to_string()]))?;
    serde_json::from_str(&printed).map_err(|why| format!("npm/bench/run.js printed no result: {why}"))
}

/// The published files that our model was made of, for the peers.
fn peer_model(folder: &Path) -> Result<(), String> {
    let model = folder.join("model");
    if model.join("onnx/model_q4.onnx").exists() {
        return Ok(());
    }
    fs::create_dir_all(&model).map_err(|why| format!("{}: {why}", model.display()))?;
    process::run(process::command("python3").args(["tools/reproduce_model.py", "--fetch"]).arg(&model))
}

fn row(measured: &Measured, tokens: &str, goal: &Goal) -> Result<Row, String> {
    let times = measured.forward.get(tokens).ok_or_else(|| format!("no times for {tokens} tokens"))?;
    let ours = times.get(OURS).ok_or("no times of ours")?;
    let (name, peer) = times
        .iter()
        .filter(|(name, _)| *name != OURS)
        .min_by(|a, b| median(a.1).total_cmp(&median(b.1)))
        .ok_or("no times of a peer")?;
    Ok(Row::against(goal, ours, name, peer))
}

/// What is compared beside the rows, on standard error.
fn describe(measured: &Measured) {
    eprintln!("Chromium {}, our build: {}", measured.browser, measured.build);
    let mut names: Vec<&String> = measured.starts.keys().collect();
    names.sort();
    for name in names {
        let Start { load, first } = &measured.starts[name];
        let bytes = measured.download.get(name).copied().unwrap_or(0);
        let memory = measured.memory.get(name).copied().unwrap_or(0);
        eprintln!(
            "{name}: load {load:.0} ms, first result {first:.0} ms, {:.1} MB fetched, {:.1} MB of memory",
            bytes as f64 / 1e6,
            memory as f64 / 1e6
        );
        for (tokens, times) in &measured.forward {
            if let Some(times) = times.get(name) {
                eprintln!("{name}: {tokens} tokens {:.1} ms (median of {})", median(times), times.len());
            }
        }
        if let Some((same, all)) = measured.agreement.get(name) {
            eprintln!("{name}: label agreement {same}/{all}");
        }
    }
    let Pool { workers, times: (one, several) } = &measured.pool;
    let (one, several) = (median(one), median(several));
    eprintln!(
        "{OURS}: a long text {one:.0} ms with one worker, {several:.0} ms with {workers}: {:.2} times as fast",
        one / several
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_is_against_the_faster_peer() {
        let measured: Measured = serde_json::from_str(
            r#"{"forward":{"24":{"lacuna":[2.0],"slow":[30.0],"fast":[20.0]}},"starts":{},"download":{},
                "agreement":{},"pool":{"workers":2,"times":[[2],[1]]},"build":"relaxed","browser":"1",
                "memory":{"lacuna":1},"first":{"times":[90.0,260.0,80.0],"memory":1.2}}"#,
        )
        .unwrap();
        let row = row(&measured, "24", &GOALS[1].1).unwrap();
        assert_eq!((row.peer_name.as_deref(), row.ratio, row.met), (Some("fast"), Some(0.1), true));
        assert!(super::row(&measured, "256", &GOALS[0].1).is_err() && rows(&measured).is_err());
    }

    #[test]
    fn what_has_no_peer_is_held_against_its_goal() {
        let first = |times: &[f64]| Row::alone(&FIRST, times).met;
        assert!(first(&[90.0, 260.0, 80.0]) && !first(&[251.0]));
        assert!(Row::alone(&MEMORY, &[1.2]).met && !Row::alone(&MEMORY, &[3.1]).met);
    }

    #[test]
    fn arguments_are_checked() {
        for wrong in [&["x"][..], &["--rounds"], &["--rounds", "0"], &["--rounds", "many"]] {
            let words: Vec<String> = wrong.iter().map(|word| word.to_string()).collect();
            assert!(run(&words).is_err(), "{wrong:?}");
        }
    }
}
