//! What `cargo xtask bench` times, native and as a wasip1 program.
//!
//! `lacuna-bench PASS` loads the embedded model once and then serves standard input: a line `TOKENS RUNS` runs the
//! pass over exactly that many tokens and answers with one line of JSON, `{"ms":[one a run],"matmul":…,"attention":…,
//! "other":…}`, the phases those of the fastest run. A line `TOKENS logits` answers with the ids and the logits. So
//! one driver can take turns between several programs without paying their starts.
//!
//! PASS is `q4_0` or `int8`, optionally `q4_0:avx2` (no variant above AVX2) or `q4_0:scalar` (definitions alone), or
//! `start`: see start.rs. `dot:VARIANT` and `dot:one:VARIANT` are no passes: their requests are `COUNT RUNS`, a run is
//! COUNT dots of 4,096 (dot.rs).
#![forbid(unsafe_code)]

mod dot;
mod ids;
mod start;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

use kernels::variant::{self, Needs};
use model::{Encoder, Phases, Scheme, Workspace};
use weights::Gguf;

static MODEL: &[u8] = include_bytes!("../../models/rampart/rampart-q4_0.gguf");

enum Pass {
    Encoder(Box<Encoder<'static>>, Workspace),
    Start(Box<start::Start>),
}

impl Pass {
    fn new(name: &str) -> Result<Pass, String> {
        let file = Gguf::parse(MODEL).map_err(|why| why.to_string())?;
        let (name, needs) = name.split_once(':').unwrap_or((name, ""));
        match needs {
            "" => {}
            "avx2" => variant::restrict(&[Needs::Avx2]),
            "scalar" => variant::restrict(&[]),
            _ => return Err(format!("{needs:?} is neither avx2 nor scalar")),
        }
        let scheme = match name {
            "q4_0" => Scheme::Q4_0,
            "int8" => Scheme::Int8,
            "start" => return start::Start::new(&file).map(|start| Pass::Start(Box::new(start))),
            _ => return Err(format!("{name:?} is none of q4_0, int8, start")),
        };
        let encoder = Encoder::from_gguf(&file, Some(scheme)).map_err(|why| why.to_string())?;
        Ok(Pass::Encoder(Box::new(encoder), Workspace::new()))
    }

    fn run(&mut self, ids: &[u32], clock: &dyn Fn() -> f64) -> Result<(Vec<f32>, Phases), String> {
        match self {
            Pass::Encoder(encoder, workspace) => {
                let (logits, phases) =
                    encoder.forward_timed(ids, workspace, clock).map_err(|why| why.to_string())?;
                Ok((logits.to_vec(), phases))
            }
            Pass::Start(start) => Ok(start.forward(ids, clock)),
        }
    }
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("lacuna-bench: {why}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), String> {
    let name = std::env::args().nth(1).ok_or("which PASS? q4_0, int8, start or dot:VARIANT")?;
    let mut work = match name.strip_prefix("dot:") {
        Some(variant) => Work::Dots(dot::Dot::new(variant)?),
        None => Work::Pass(Pass::new(&name)?),
    };
    let begin = Instant::now();
    let clock = || begin.elapsed().as_secs_f64() * 1e3;
    let mut stdout = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|why| why.to_string())?;
        let answer = work.answer(&line, &clock)?;
        writeln!(stdout, "{answer}").and_then(|()| stdout.flush()).map_err(|why| why.to_string())?;
    }
    Ok(())
}

enum Work {
    Pass(Pass),
    Dots(dot::Dot),
}

impl Work {
    fn answer(&mut self, request: &str, clock: &dyn Fn() -> f64) -> Result<String, String> {
        let (size, runs) = request.split_once(' ').ok_or("a request is two words")?;
        let size: usize = size.parse().map_err(|_| format!("{size:?} is no number"))?;
        if let (Work::Pass(pass), "logits") = (&mut *self, runs) {
            let ids = ids::cut(size);
            let (logits, _) = pass.run(&ids, clock)?;
            return Ok(format!("{{\"ids\":{ids:?},\"logits\":{logits:?}}}"));
        }
        let runs: usize = runs.parse().map_err(|_| format!("{runs:?} is no number of runs"))?;
        match self {
            Work::Pass(pass) => time(pass, &ids::cut(size), runs, clock),
            Work::Dots(dots) => {
                let mut times = Vec::new();
                for _ in 0..runs {
                    let at = clock();
                    std::hint::black_box(dots.run(size));
                    times.push(clock() - at);
                }
                Ok(format!("{{\"ms\":{times:?}}}"))
            }
        }
    }
}

fn time(pass: &mut Pass, ids: &[u32], runs: usize, clock: &dyn Fn() -> f64) -> Result<String, String> {
    let mut times = Vec::new();
    let (mut least, mut best) = (f64::INFINITY, Phases::default());
    for _ in 0..runs {
        let at = clock();
        let (_, phases) = pass.run(ids, clock)?;
        let ms = clock() - at;
        times.push(ms);
        if ms < least {
            (least, best) = (ms, phases);
        }
    }
    let Phases { matmul, attention, other } = best;
    Ok(format!(
        "{{\"ms\":{times:?},\"matmul\":{matmul:.4},\"attention\":{attention:.4},\"other\":{other:.4}}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(logits: &[f32], labels: usize) -> Vec<usize> {
        logits
            .chunks_exact(labels)
            .map(|row| (0..labels).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap())
            .collect()
    }

    #[test]
    fn the_start_is_the_same_model() {
        let ids = ids::cut(40);
        let run = |name| Pass::new(name).unwrap().run(&ids, &|| 0.0).unwrap().0;
        let (start, ours) = (run("start"), run("int8"));
        assert_eq!(start.len(), 40 * 35);
        let widest = start.iter().zip(&ours).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(widest < 1.0, "logits are {widest} apart");
        assert_eq!(best(&start, 35), best(&ours, 35));
    }

    #[test]
    fn restricted_passes_keep_the_bits() {
        let ids = ids::cut(24);
        let run = |name| Pass::new(name).unwrap().run(&ids, &|| 0.0).unwrap().0;
        let free = run("q4_0");
        let scalar = run("q4_0:scalar");
        variant::unrestrict();
        assert_eq!(free, scalar);
        assert!(Pass::new("q8").is_err() && Pass::new("q4_0:sse").is_err());
    }

    #[test]
    fn a_text_of_any_length_is_whole() {
        for tokens in [1, 2, 24, 256, 300, 512] {
            let ids = ids::cut(tokens);
            assert_eq!((ids.len(), *ids.last().unwrap()), (tokens, 3));
        }
        assert_eq!(ids::cut(24)[0], 2);
    }
}
