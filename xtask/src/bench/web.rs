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

const OURS: &str = "lacuna";

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
    memory: u64,
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
    if let Some(unknown) = arguments.first() {
        return Err(format!("`bench web` takes no {unknown:?}"));
    }
    match measure() {
        Ok(measured) => {
            describe(&measured);
            GOALS.iter().map(|(tokens, goal)| row(&measured, tokens, goal)).collect()
        }
        Err(why) => Ok(GOALS.iter().map(|(_, goal)| Row::cannot(goal, why.clone())).collect()),
    }
}

fn measure() -> Result<Measured, String> {
    web::build()?;
    web::browsers(&["chromium"])?;
    let folder = process::root().join("npm/bench");
    web::npm_install(&folder)?;
    peer_model(&folder)?;
    let printed = process::output(process::command("node").arg("npm/bench/run.js"))?;
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
        eprintln!(
            "{name}: load {load:.0} ms, first result {first:.0} ms, {:.1} MB fetched",
            bytes as f64 / 1e6
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
    eprintln!("{OURS}: memory of the instance {:.1} MB", measured.memory as f64 / 1e6);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_is_against_the_faster_peer() {
        let measured: Measured = serde_json::from_str(
            r#"{"forward":{"24":{"lacuna":[2.0],"slow":[30.0],"fast":[20.0]}},"starts":{},"download":{},
                "agreement":{},"pool":{"workers":2,"times":[[2],[1]]},"build":"relaxed","browser":"1","memory":1}"#,
        )
        .unwrap();
        let row = row(&measured, "24", &GOALS[1].1).unwrap();
        assert_eq!((row.peer_name.as_deref(), row.ratio, row.met), (Some("fast"), Some(0.1), true));
        assert!(super::row(&measured, "256", &GOALS[0].1).is_err());
    }
}
