//! The proofs, as a program that runs natively, under our host and in other engines. `cargo xtask verify` starts it,
//! adds up what its parts say and prints the proof lines.
//!
//! `lacuna-verify [--quick] [--oracle] [--timed] [--root DIR] [--part I/N] PROOF`: one line of JSON, and exit status 1
//! after a difference. `lacuna-verify --bless DIR`: writes the baselines into DIR.
#![forbid(unsafe_code)]

#[cfg(feature = "model")]
mod decoder;
#[cfg(feature = "model")]
mod digest;
#[cfg(feature = "model")]
mod encoder;
#[cfg(feature = "model")]
mod eval;
mod functions;
mod inputs;
#[cfg(feature = "model")]
mod invariance;
mod part;
mod quantisers;
mod random;
#[cfg(feature = "reference")]
mod tokcheck;
mod variants;

use std::process::ExitCode;

use inputs::Share;
use part::Part;

struct Arguments {
    quick: bool,
    oracle: bool,
    timed: bool,
    /// Where the repository lies, as this program sees it.
    root: String,
    part: (u64, u64),
    bless: Option<String>,
    proof: Option<String>,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut parsed = Arguments {
            quick: false,
            oracle: false,
            timed: false,
            root: ".".into(),
            part: (0, 1),
            bless: None,
            proof: None,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--quick" => parsed.quick = true,
                "--oracle" => parsed.oracle = true,
                "--timed" => parsed.timed = true,
                "--root" => parsed.root = value()?,
                "--bless" => parsed.bless = Some(value()?),
                "--part" => parsed.part = part_of(&value()?)?,
                flag if flag.starts_with("--") => return Err(format!("no option {flag}")),
                _ => parsed.proof = Some(argument),
            }
        }
        Ok(parsed)
    }
}

fn part_of(text: &str) -> Result<(u64, u64), String> {
    let numbers =
        text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    match numbers {
        Some((part, parts)) if part < parts => Ok((part, parts)),
        _ => Err(format!("--part {text} is not I/N")),
    }
}

fn main() -> ExitCode {
    match Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(why) => {
            eprintln!("lacuna-verify: {why}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing differs.
fn run(arguments: &Arguments) -> Result<bool, String> {
    if let Some(directory) = &arguments.bless {
        return bless(&arguments.root, directory).map(|()| true);
    }
    let name = arguments.proof.as_deref().ok_or("which PROOF?")?;
    let part = match kernel(name, arguments) {
        Some(part) => part,
        None => pass(name, arguments)?,
    };
    println!("{}", part.to_json(name));
    Ok(!part.has_differences())
}

/// The proofs about kernels.
fn kernel(name: &str, arguments: &Arguments) -> Option<Part> {
    let Arguments { quick, oracle, part: (part, parts), .. } = *arguments;
    let share = Share { quick, part, parts };
    Some(match name {
        "geluchk" => functions::gelu(share, oracle),
        "expchk" => functions::exp(share, oracle),
        "quantchk[q8_0]" => quantisers::q8_0(share),
        "quantchk[int8]" => quantisers::int8(share),
        "variants" => variants::check(quick),
        _ => return None,
    })
}

/// The proofs about whole passes and tokenizers.
#[cfg(feature = "model")]
fn pass(name: &str, arguments: &Arguments) -> Result<Part, String> {
    let (kind, option) =
        name.split_once('[').map_or((name, ""), |(kind, option)| (kind, option.trim_end_matches(']')));
    let root = &encoder::Root::new(&arguments.root);
    let texts = (arguments.part.0 as usize, arguments.part.1 as usize);
    match (kind, encoder::scheme(option)) {
        ("eval", _) if option == "decoder" => decoder::eval(root),
        ("invariance", _) if option == "decoder" => decoder::invariance(root),
        ("eval", Some(scheme)) => eval::check(root, scheme, arguments.timed),
        ("digest", Some(scheme)) => digest::check(root, scheme, !arguments.quick, texts),
        ("invariance", _) => invariance::check(root),
        #[cfg(feature = "reference")]
        ("tokcheck", _) => tokcheck::part(option, arguments.quick, texts),
        _ => Err(format!("no proof {name:?} in this build")),
    }
}

#[cfg(feature = "model")]
fn bless(root: &str, directory: &str) -> Result<(), String> {
    let root = &encoder::Root::new(root);
    let mut baselines = vec![decoder::bless(root)?];
    for scheme in [model::Scheme::Q4_0, model::Scheme::Int8] {
        baselines.extend([eval::bless(root, scheme)?, digest::bless(root, scheme)?]);
    }
    for (name, bytes) in baselines {
        let path = std::path::Path::new(directory).join(name);
        std::fs::write(&path, bytes).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    Ok(())
}

#[cfg(not(feature = "model"))]
fn pass(name: &str, _arguments: &Arguments) -> Result<Part, String> {
    Err(format!("no proof {name:?} in this build, which holds the kernels alone"))
}

#[cfg(not(feature = "model"))]
fn bless(_root: &str, _directory: &str) -> Result<(), String> {
    Err("no baselines in this build, which holds the kernels alone".into())
}
