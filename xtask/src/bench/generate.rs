//! `bench generate`: SmolLM2-135M in Q4_0 beside llama.cpp on one thread, and a half-billion shape beside our own
//! scalar Wasm.
//!
//! Ours in Wasm runs as users run a bundle: `lacuna-host`, epoch interruption on, relaxed build, compiled ahead of
//! time. The peer is built by `tools/llama_cpp_peer.sh`.

use std::path::{Path, PathBuf};

use super::{Goal, Row, Sense, generate_web};
use crate::{guest, process, run_wasm};

const fn goal(name: &'static str, must: f64, aim: f64) -> Goal {
    Goal { name, unit: "tokens/s", sense: Sense::AtLeast, must: Some(must), aim: Some(aim) }
}

const WASM_PROMPT: Goal = goal("generate-wasm-prompt", 0.7, 1.0);
const WASM_DECODE: Goal = goal("generate-wasm-decode", 0.7, 1.0);
const NATIVE_PROMPT: Goal = goal("generate-native-prompt", 0.7, 1.0);
const NATIVE_DECODE: Goal = goal("generate-native-decode", 0.8, 1.0);
const HALF_BILLION: Goal = goal("generate-half-billion", 8.0, 12.0);
const START: [Goal; 2] = [
    Goal { name: "generate-start-wasm", unit: "ms", sense: Sense::AtMost, must: None, aim: None },
    Goal { name: "generate-start-cwasm", unit: "ms", sense: Sense::AtMost, must: None, aim: None },
];

/// Tokens of the prompt: one word that is one token, again and again.
const PROMPT: usize = 128;
/// Passes of one token.
const TOKENS: usize = 64;
/// Pairs.
const RUNS: usize = 5;

pub fn run(arguments: &[String]) -> Result<Vec<Row>, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (built, only_web) = match words.as_slice() {
        [] => (false, false),
        ["--built"] => (true, false),
        ["--web"] => (false, true),
        ["--built", "--web"] => (true, true),
        other => {
            return Err(format!(
                "`bench generate` takes --built (what is there already) and --web (its rows alone), not {other:?}"
            ));
        }
    };
    let command = process::target_directory().join("release/lacuna");
    if !built {
        process::run(process::command("cargo").args(["build", "--release", "-p", "lacuna-cli"]))?;
    }
    let web = || generate_web::rows(|| smollm2(&command, &scratch()?), built);
    if only_web {
        return Ok(web());
    }
    if !built {
        guest::build()?;
        guest::build_scalar()?;
    }
    let programs = Programs::built()?;
    let mut rows = match small(&programs) {
        Ok(rows) => rows,
        Err(why) => [WASM_PROMPT, WASM_DECODE, NATIVE_PROMPT, NATIVE_DECODE, START[0], START[1]]
            .iter()
            .map(|goal| Row::cannot(goal, why.clone()))
            .collect(),
    };
    rows.extend(web());
    rows.push(half_billion(&programs).unwrap_or_else(|why| Row::cannot(&HALF_BILLION, why)));
    Ok(rows)
}

/// What every row needs.
struct Programs {
    lacuna: PathBuf,
    host: PathBuf,
    relaxed: PathBuf,
    scalar: PathBuf,
    scratch: PathBuf,
}

impl Programs {
    /// What `cargo xtask guest --scalar` and `cargo build --release` made, and the host.
    fn built() -> Result<Programs, String> {
        let target = process::target_directory();
        Ok(Programs {
            lacuna: target.join("release/lacuna"),
            host: run_wasm::host()?,
            relaxed: target.join("lacuna-guest-relaxed.wasm"),
            scalar: target.join("lacuna-guest-scalar.wasm"),
            scratch: scratch()?,
        })
    }

    /// The model as a program, compiled ahead of time. The same program is not compiled again by the same host: that
    /// takes the light build of the compiler half a minute.
    fn bundle(&self, model: &Path, guest: &Path, name: &str) -> Result<PathBuf, String> {
        let [wasm, compiled, new] =
            ["wasm", "cwasm", "new.wasm"].map(|kind| self.scratch.join(format!("{name}.{kind}")));
        let mut bundle = command(&self.lacuna);
        process::output(bundle.arg("bundle").arg("-m").arg(model).arg("-g").arg(guest).arg("-o").arg(&new))?;
        let written = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
        let same = std::fs::read(&new).ok().is_some_and(|new| std::fs::read(&wasm).ok() == Some(new));
        if same && written(&compiled) > written(&self.host).max(written(&wasm)) {
            return Ok(compiled);
        }
        std::fs::rename(&new, &wasm).map_err(|why| format!("{}: {why}", wasm.display()))?;
        process::output(command(&self.host).arg("compile").arg(&wasm).arg("-o").arg(&compiled))?;
        Ok(compiled)
    }
}

fn scratch() -> Result<PathBuf, String> {
    let scratch = process::target_directory().join("bench-generate");
    std::fs::create_dir_all(&scratch).map_err(|why| format!("{}: {why}", scratch.display()))?;
    Ok(scratch)
}

/// SmolLM2-135M-Instruct in Q4_0, made by the command `lacuna`.
fn smollm2(lacuna: &Path, scratch: &Path) -> Result<PathBuf, String> {
    let fetched = process::output(&mut process::command("tools/fetch_smollm2.sh"))?;
    let model = scratch.join("smollm2-q4_0.gguf");
    let mut quantize = command(lacuna);
    process::output(quantize.args(["quantize", fetched.trim(), "-t", "q4_0", "-o"]).arg(&model))?;
    Ok(model)
}

fn command(program: &Path) -> std::process::Command {
    process::command(&program.to_string_lossy())
}

/// Rates of one run.
#[derive(Clone, Copy)]
struct Rates {
    prompt: f64,
    decode: f64,
}

/// Runs ours and reads `prompt: … tokens/s; text: … tokens/s` from standard error.
fn ours(command: &mut std::process::Command, prompt: usize) -> Result<Rates, String> {
    let shown = process::shown(command);
    let output = command.output().map_err(|why| format!("cannot start `{shown}`: {why}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("`{shown}` ended with {}: {said}", output.status));
    }
    let Some((count, rates)) = rates(&said) else {
        return Err(format!("`{shown}` told no rates: {said}"));
    };
    if count != prompt {
        return Err(format!("`{shown}` read {count} tokens, not {prompt}"));
    }
    Ok(rates)
}

/// Tokens of the prompt and both rates, from the last line: those before it tell of progress.
fn rates(said: &str) -> Option<(usize, Rates)> {
    let line = said.lines().last()?;
    let part = |name: &str| {
        let after = line.split_once(&format!("{name}: "))?.1;
        let rate = after.split_once(" ms, ")?.1.split_once(" tokens/s")?.0;
        Some((after.split(' ').next()?.parse::<usize>().ok()?, rate.parse::<f64>().ok()?))
    };
    let ((count, prompt), (_, decode)) = part("prompt").zip(part("text"))?;
    Some((count, Rates { prompt, decode }))
}

fn generation(command: &mut std::process::Command, text: &str, tokens: usize) {
    command.arg(text).args(["--raw", "--ignore-end", "--temperature", "0", "--tokens", &tokens.to_string()]);
}

fn peer(directory: &Path, libraries: Option<&str>, model: &Path, text: &str) -> Result<Rates, String> {
    let mut command = command(&directory.join("python/bin/python"));
    command.arg("tools/llama_cpp_rates.py").arg(model).arg(text).arg(TOKENS.to_string());
    if let Some(libraries) = libraries {
        command.env("LLAMA_CPP_LIB_PATH", directory.join(libraries));
    }
    let line = process::output(&mut command)?;
    let value: serde_json::Value = serde_json::from_str(&line).map_err(|why| format!("{line}: {why}"))?;
    if value["prompt_tokens"] != PROMPT {
        return Err(format!("llama.cpp read {} tokens, not {PROMPT}", value["prompt_tokens"]));
    }
    let rate = |name: &str| value[name].as_f64().ok_or_else(|| format!("llama.cpp told no {name}: {line}"));
    Ok(Rates { prompt: rate("prompt")?, decode: rate("decode")? })
}

fn small(programs: &Programs) -> Result<Vec<Row>, String> {
    let peers = PathBuf::from(process::output(&mut process::command("tools/llama_cpp_peer.sh"))?.trim());
    let model = smollm2(&programs.lacuna, &programs.scratch)?;
    let bundle = programs.bundle(&model, &programs.relaxed, "smollm2")?;
    let text = ["the"].repeat(PROMPT).join(" ");
    let (mut wasm, mut native, mut avx2, mut best) = (vec![], vec![], vec![], vec![]);
    let mut starts = [vec![], vec![]];
    for _ in 0..RUNS {
        let mut call = command(&programs.host);
        generation(call.arg("run-wasm").arg(&bundle), &text, TOKENS + 1);
        wasm.push(ours(&mut call, PROMPT)?);
        avx2.push(peer(&peers, None, &model, &text)?);
        let mut call = command(&programs.lacuna);
        generation(call.args(["complete", "--threads", "1", "-m"]).arg(&model).arg("-p"), &text, TOKENS + 1);
        native.push(ours(&mut call, PROMPT)?);
        best.push(peer(&peers, Some("best"), &model, &text)?);
        for (times, path) in starts.iter_mut().zip([bundle.with_extension("wasm"), bundle.clone()]) {
            let begin = std::time::Instant::now();
            let mut call = command(&programs.host);
            generation(call.arg("run-wasm").arg(path), "the", 1);
            ours(&mut call, 1)?;
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
    }
    let rate = |rates: &[Rates], of: fn(&Rates) -> f64| rates.iter().map(of).collect::<Vec<_>>();
    let row = |goal: &Goal, ours: &[Rates], name: &str, peer: &[Rates], of: fn(&Rates) -> f64| {
        Row::rates(goal, &rate(ours, of), name, &rate(peer, of))
    };
    let (prompt, decode): (fn(&Rates) -> f64, fn(&Rates) -> f64) =
        (|rates| rates.prompt, |rates| rates.decode);
    let (avx2_name, best_name) =
        ("llama.cpp, AVX2, one thread", "llama.cpp, best for this machine, one thread");
    Ok(vec![
        row(&WASM_PROMPT, &wasm, avx2_name, &avx2, prompt),
        row(&WASM_DECODE, &wasm, avx2_name, &avx2, decode),
        row(&NATIVE_PROMPT, &native, best_name, &best, prompt),
        row(&NATIVE_DECODE, &native, best_name, &best, decode),
        Row::alone(&START[0], &starts[0]),
        Row::alone(&START[1], &starts[1]),
    ])
}

/// Qwen2.5-0.5B's shape with random weights: ours with relaxed SIMD beside ours without any.
fn half_billion(programs: &Programs) -> Result<Row, String> {
    let peers = PathBuf::from(process::output(&mut process::command("tools/llama_cpp_peer.sh"))?.trim());
    let model = programs.scratch.join("half-billion.gguf");
    if !model.is_file() {
        let mut make = command(&peers.join("python/bin/python"));
        process::output(make.arg("tools/random_qwen.py").arg(&model))?;
    }
    let bundles = [
        programs.bundle(&model, &programs.relaxed, "half-billion")?,
        programs.bundle(&model, &programs.scalar, "half-billion-scalar")?,
    ];
    let (mut fast, mut slow) = (vec![], vec![]);
    for _ in 0..3 {
        for (rates, bundle, tokens) in [(&mut fast, &bundles[0], 33), (&mut slow, &bundles[1], 4)] {
            let mut call = command(&programs.host);
            generation(call.arg("run-wasm").arg(bundle), "a", tokens);
            rates.push(ours(&mut call, 1)?.decode);
        }
    }
    Ok(Row::rates(&HALF_BILLION, &fast, "the same guest without SIMD", &slow))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_from_the_last_line() {
        let said = "loading: 100 %\nreading the prompt: 100 %\nloaded in 2.8 ms; prompt: 128 tokens in 612.0 ms, \
                    209.2 tokens/s; text: 65 tokens in 703.1 ms, 91.0 tokens/s; ended: length\n";
        let (count, read) = rates(said).unwrap();
        assert_eq!((count, read.prompt, read.decode), (128, 209.2, 91.0));
        assert!(rates("reading the prompt: 100 %\n").is_none() && rates("").is_none());
    }
}
