//! Tasks of this workspace. One module a verb; this file only dispatches.
//!
//! A module offers `run(&[String]) -> Result<(), String>` and a row in [`VERBS`]; an `Err` is printed and
//! becomes a non-zero exit.
#![forbid(unsafe_code)]

#[allow(dead_code)]
mod bench;
mod component;
mod guest;
mod mutate;
mod node;
mod process;
mod python;
mod run_wasm;
mod serve;
mod test;
mod toolchain;
mod verify;
mod web;

use std::process::ExitCode;

struct Verb {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "serve",
        usage: "[--port 3000] [OPTIONS]",
        about: "build component and host, set up what that needs, and serve on 127.0.0.1",
        run: serve::run,
    },
    Verb {
        name: "test",
        usage: "[--offline] [SUITE]...",
        about: "every test, or the suites named; the last line is `N passed, N failed`",
        run: test::run,
    },
    Verb {
        name: "verify",
        usage: "[--quick] [--bless] [NAME]...",
        about: "the proofs, natively and in Wasm; --bless alone writes baselines",
        run: verify::run,
    },
    Verb {
        name: "mutate",
        usage: "[WORD]...",
        about: "source edits in a copy, each of which a proof or a test must notice",
        run: mutate::run,
    },
    Verb {
        name: "bench",
        usage: "[NAME] [--json FILE]",
        about: "a benchmark, one JSON row a line; no name lists them",
        run: bench::run,
    },
    Verb {
        name: "guest",
        usage: "",
        about: "build the text-generation guest, plain and relaxed, that `lacuna bundle` gives a model to",
        run: guest::run,
    },
    Verb {
        name: "component",
        usage: "",
        about: "build target/lacuna.wasm and target/lacuna-relaxed.wasm",
        run: component::run,
    },
    Verb {
        name: "run-wasm",
        usage: "FILE [ARGS]...",
        about: "run a wasip1 program under our host, epoch interruption on",
        run: run_wasm::run,
    },
    Verb {
        name: "web",
        usage: "[test|browser]",
        about: "build the npm package's modules and model into npm/dist, and test it in Node or in browsers",
        run: web::run,
    },
    Verb {
        name: "toolchain",
        usage: "",
        about: "set up Rust for Wasm, if it is missing, and print the environment it needs",
        run: toolchain::run,
    },
];

fn help() -> String {
    let mut text = String::from("cargo xtask VERB\n\n");
    for verb in VERBS {
        let call = format!("{} {}", verb.name, verb.usage);
        text += &format!("  {call:<34} {}\n", verb.about);
    }
    text
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(name) = arguments.first() else {
        eprint!("{}", help());
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", help());
        return ExitCode::SUCCESS;
    }
    let Some(verb) = VERBS.iter().find(|verb| verb.name == name) else {
        eprint!("xtask: no verb {name:?}\n\n{}", help());
        return ExitCode::from(2);
    };
    match (verb.run)(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask {name}: {why}");
            ExitCode::FAILURE
        }
    }
}
