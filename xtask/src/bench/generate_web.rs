//! The rows of `generate` in a page: ours beside wllama in one Chromium, one thread each, taking turns.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::{Goal, Row, Sense};
use crate::{process, web};

const PROMPT: Goal = Goal {
    name: "generate-web-prompt",
    unit: "tokens/s",
    sense: Sense::AtLeast,
    must: Some(6.0),
    aim: Some(12.0),
};
const DECODE: Goal = Goal { name: "generate-web-decode", must: Some(4.0), aim: Some(8.0), ..PROMPT };

const PEER: &str = "wllama";

/// What `npm/bench/generate.js` prints.
#[derive(Deserialize)]
struct Measured {
    /// Engine → milliseconds.
    loads: HashMap<String, f64>,
    /// Engine → rates of its runs.
    rates: HashMap<String, Vec<Rates>>,
    build: String,
    browser: String,
    /// Bytes of our module's memory, in the end.
    memory: u64,
}

#[derive(Deserialize)]
struct Rates {
    prompt: f64,
    decode: f64,
}

/// Both rows, over the model that `smollm2` names; `built` measures the package that is there already.
pub fn rows(smollm2: impl FnOnce() -> Result<std::path::PathBuf, String>, built: bool) -> Vec<Row> {
    let measured = smollm2().and_then(|model| measure(&model, built)).and_then(|measured| {
        describe(&measured);
        [PROMPT, DECODE]
            .iter()
            .zip([prompt as fn(&Rates) -> f64, decode])
            .map(|(goal, of)| row(&measured, goal, of))
            .collect()
    });
    measured.unwrap_or_else(|why: String| {
        [PROMPT, DECODE].iter().map(|goal| Row::cannot(goal, why.clone())).collect()
    })
}

fn prompt(rates: &Rates) -> f64 {
    rates.prompt
}

fn decode(rates: &Rates) -> f64 {
    rates.decode
}

fn measure(model: &Path, built: bool) -> Result<Measured, String> {
    if !built {
        web::build()?;
    }
    web::browsers(&["chromium"])?;
    let folder = process::root().join("npm/bench");
    web::npm_install(&folder)?;
    let served = folder.join("model/smollm2-q4_0.gguf");
    fs::create_dir_all(folder.join("model")).map_err(|why| format!("{}: {why}", folder.display()))?;
    fs::copy(model, &served).map_err(|why| format!("{} to {}: {why}", model.display(), served.display()))?;
    let printed = process::output(process::command("node").arg("npm/bench/generate.js"))?;
    serde_json::from_str(&printed).map_err(|why| format!("npm/bench/generate.js printed no result: {why}"))
}

fn row(measured: &Measured, goal: &Goal, of: fn(&Rates) -> f64) -> Result<Row, String> {
    let rates = |name: &str| -> Result<Vec<f64>, String> {
        let rates = measured.rates.get(name).filter(|rates| !rates.is_empty());
        Ok(rates.ok_or(format!("no rates of {name}"))?.iter().map(of).collect())
    };
    Ok(Row::rates(goal, &rates("lacuna")?, "wllama 3.13.0 in Chromium, one thread", &rates(PEER)?))
}

/// What is compared beside the rows, on standard error.
fn describe(measured: &Measured) {
    let Measured { loads, build, browser, memory, .. } = measured;
    let load = |name: &str| loads.get(name).copied().unwrap_or(f64::NAN);
    eprintln!(
        "Chromium {browser}, our build: {build}; loaded in {:.0} ms, {PEER} in {:.0} ms; our memory in the end {:.0} MB",
        load("lacuna"),
        load(PEER),
        *memory as f64 / 1e6
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_ours_over_the_peers() {
        let measured: Measured = serde_json::from_str(
            r#"{"loads":{"lacuna":300,"wllama":900},"build":"relaxed","browser":"1","memory":9,
                "rates":{"lacuna":[{"prompt":300,"decode":90},{"prompt":310,"decode":92},{"prompt":290,"decode":91}],
                "wllama":[{"prompt":10,"decode":13}]}}"#,
        )
        .unwrap();
        let (read, wrote) =
            (row(&measured, &PROMPT, prompt).unwrap(), row(&measured, &DECODE, decode).unwrap());
        assert_eq!((read.ratio, read.met, wrote.ratio, wrote.met), (Some(30.0), true, Some(7.0), true));
        let without = Measured { rates: HashMap::new(), ..measured };
        assert!(row(&without, &PROMPT, prompt).is_err());
        let rows = rows(|| Err("no network".into()), true);
        assert!(
            rows.len() == 2 && rows.iter().all(|row| !row.met && row.why.as_deref() == Some("no network"))
        );
    }
}
