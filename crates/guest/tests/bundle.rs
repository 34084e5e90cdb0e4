//! A bundle in Wasm says what the command says natively: the same text, ids and bits of every logit.
//!
//! Builds what it needs by `cargo xtask guest` and cargo, so it is a suite of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn run(command: &mut Command) -> String {
    let output = command.current_dir(root()).stdin(Stdio::null()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn cargo(arguments: &[&str]) {
    let mut command = Command::new("cargo");
    // What cargo set for this test is not for the builds it starts.
    for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"] {
        command.env_remove(name);
    }
    run(command.args(arguments));
}

struct Programs {
    lacuna: PathBuf,
    host: PathBuf,
    guests: [PathBuf; 3],
}

/// The bundle compiled ahead of time: without it every run compiles it again.
fn compiled(host: &Path, bundle: &Path) -> PathBuf {
    let out = bundle.with_extension("cwasm");
    run(Command::new(host).arg("compile").arg(bundle).arg("-o").arg(&out));
    out
}

fn programs() -> Programs {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    };
    cargo(&["xtask", "guest", "--scalar"]);
    cargo(&["build", "-p", "lacuna-cli"]);
    // As for `cargo xtask run-wasm`: one that is built already will do.
    let host = std::env::var_os("LACUNA_HOST").map_or_else(
        || {
            cargo(&["build", "--profile", "host", "-p", "lacuna-host"]);
            target.join("host/lacuna-host")
        },
        PathBuf::from,
    );
    Programs {
        lacuna: target.join("debug/lacuna"),
        host,
        // Reported of others: wrong results in a build without SIMD. So that build says the same here.
        guests: ["lacuna-guest.wasm", "lacuna-guest-relaxed.wasm", "lacuna-guest-scalar.wasm"]
            .map(|name| target.join(name)),
    }
}

#[test]
fn a_bundle_says_what_the_command_says() {
    let programs = programs();
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let chat = root().join("testdata/decoder/tiny/chat.gguf");
    // As the file is (Q4_0 and Q8_0), and in types that are not packed.
    let types = ["q4_1", "f16"].map(|kind| {
        let path = scratch.join(format!("chat-{kind}.gguf"));
        run(Command::new(&programs.lacuna).args(["quantize", "-t", kind, "-o"]).arg(&path).arg(&chat));
        path
    });
    let calls: [&[&str]; 4] = [
        &["Hello there", "--tokens", "200", "--ignore-end"],
        &[
            "Hello there",
            "--tokens",
            "60",
            "--raw",
            "--temperature",
            "0.9",
            "--top-p",
            "0.95",
            "--seed",
            "11",
        ],
        &["The sea", "--tokens", "40", "--repetition-penalty", "1.3", "--logprobs", "2", "--ignore-end"],
        &["The sea", "--tokens", "40", "--stop", "e", "--ignore-end", "--special"],
    ];
    let mut compared = 0;
    for model in [&chat, &types[0], &types[1]] {
        for guest in &programs.guests {
            let bundle = scratch.join("bundle.wasm");
            let arguments =
                ["bundle".as_ref(), "-m".as_ref(), model.as_os_str(), "-o".as_ref(), bundle.as_os_str()];
            run(Command::new(&programs.lacuna).args(arguments).arg("--guest").arg(guest));
            let bundle = compiled(&programs.host, &bundle);
            for call in calls {
                let native = run(Command::new(&programs.lacuna)
                    .args(["complete", "--json", "-m"])
                    .arg(model)
                    .arg("-p")
                    .args(call));
                let wasm =
                    run(Command::new(&programs.host).arg("run-wasm").arg(&bundle).args(call).arg("--json"));
                assert!(
                    native.contains("\"digest\"") && native == wasm,
                    "{call:?}\nnative {native}\nWasm   {wasm}"
                );
                if !call.contains(&"--logprobs") {
                    let text = run(Command::new(&programs.host).arg("run-wasm").arg(&bundle).args(call));
                    let value: serde_json::Value = serde_json::from_str(&wasm).unwrap();
                    assert_eq!(text, value["text"].as_str().unwrap(), "standard output is the text alone");
                }
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 36);
    // Without --guest: beside the program, or one folder up.
    let bundle = scratch.join("found.wasm");
    run(Command::new(&programs.lacuna).args(["bundle", "-m"]).arg(&chat).arg("-o").arg(&bundle));
    let said = Command::new(&programs.host)
        .arg("run-wasm")
        .arg(&bundle)
        .args(["Hi", "--tokens", "3"])
        .output()
        .unwrap();
    let bundle = compiled(&programs.host, &bundle);
    let rates = String::from_utf8(said.stderr).unwrap();
    assert!(rates.contains("text: 3 tokens in") && rates.contains("tokens/s"), "{rates}");
    // Reported of browsers: a load that never settles when memory runs out. Here every limit ends, well or with words.
    let mut starved = 0;
    let enough = (16..400).step_by(8).find(|pages| {
        let memory = format!("{}KiB", 64 * pages);
        let mut call = Command::new(&programs.host);
        call.args(["run-wasm", "--memory", &memory]).arg(&bundle);
        let output = call.args(["Hi", "--tokens", "200", "--ignore-end", "--quiet"]).output().unwrap();
        assert!(output.status.success() || !output.stderr.is_empty(), "{memory}: {output:?}");
        starved += usize::from(!output.status.success());
        output.status.success()
    });
    assert!(enough.is_some() && starved > 0, "{starved} limits were too little");
    // The guest alone says what it lacks.
    let alone =
        Command::new(&programs.host).arg("run-wasm").arg(&programs.guests[0]).arg("Hi").output().unwrap();
    assert_eq!(alone.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&alone.stderr).contains("lacuna bundle"));
}
