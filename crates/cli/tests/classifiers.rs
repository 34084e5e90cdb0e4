//! docs/models.md as one types it: the small classifiers of both styles are converted, asked for their logits and
//! put to work by the built command.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const TESTDATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/classifiers");

fn lacuna(arguments: &[&str], input: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lacuna"));
    command.args(arguments).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.unwrap_or_default().to_string();
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, input.as_bytes()));
    let output = child.wait_with_output().expect("the command ends");
    // A command that reads nothing closes the pipe.
    let _ = writer.join().expect("no panic");
    output
}

fn well(arguments: &[&str], input: Option<&str>) -> String {
    let output = lacuna(arguments, input);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "lacuna {arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// FNV-1a over the bits, as `digests.txt` has it.
fn fnv(digest: u64, logit: f32) -> u64 {
    let bits = if logit.is_nan() { 0x7fc0_0000 } else { logit.to_bits() };
    bits.to_le_bytes()
        .iter()
        .fold(digest, |digest, &byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn texts(style: &str) -> Vec<(String, Vec<u64>)> {
    let file = std::fs::read(format!("{TESTDATA}/{style}/expected.json")).unwrap();
    let expected: Value = serde_json::from_slice(&file).unwrap();
    let cases = expected["cases"].as_array().unwrap().iter();
    cases
        .map(|case| {
            let ids = case["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
            (case["text"].as_str().unwrap().to_string(), ids)
        })
        .collect()
}

#[test]
fn converted_models_answer_with_the_committed_bits() {
    let mut lines = String::new();
    for style in ["bert", "xlmr"] {
        for scheme in ["q4_0", "int8"] {
            let file = scratch(&format!("{style}-{scheme}.gguf"));
            let file = file.to_str().unwrap();
            let said =
                well(&["convert", &format!("{TESTDATA}/{style}"), "-o", file, "--scheme", scheme], None);
            assert!(said.contains(scheme) && said.contains("bytes"), "{said}");
            assert!(well(&["inspect", file], None).contains("lacuna.labels"));
            let texts = texts(style);
            let input: String =
                texts.iter().map(|(text, _)| format!("{}\n", serde_json::json!({ "text": text }))).collect();
            let answers = well(&["logits", "--model", file, "--ndjson"], Some(&input));
            assert_eq!(answers.lines().count(), texts.len());
            let mut digest = 0xcbf2_9ce4_8422_2325;
            for (line, (text, ids)) in answers.lines().zip(&texts) {
                let answer: Value = serde_json::from_str(line).unwrap();
                let found: Vec<u64> =
                    answer["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
                assert_eq!(&found, ids, "{style}: {text:?}");
                for row in answer["logits"].as_array().unwrap() {
                    for logit in row.as_array().unwrap() {
                        digest = fnv(digest, logit.as_f64().unwrap() as f32);
                    }
                }
            }
            lines += &format!("{style} {scheme} {digest:016x}\n");
        }
    }
    assert_eq!(lines, std::fs::read_to_string(format!("{TESTDATA}/digests.txt")).unwrap());
}

#[test]
fn a_model_of_ones_own_redacts() {
    let file = scratch("redacts.gguf");
    let file = file.to_str().unwrap();
    well(&["convert", &format!("{TESTDATA}/xlmr"), "-o", file], None);
    let redacted = well(&["redact", "--model", file, "Write to ana@example.org"], None);
    assert!(redacted.contains("[EMAIL_1]") && !redacted.contains("ana@example.org"), "{redacted}");
}

#[test]
fn attended_padding_is_an_option() {
    let file = scratch("attended.gguf");
    let file = file.to_str().unwrap();
    well(&["convert", &format!("{TESTDATA}/bert"), "-o", file, "--attended", "16"], None);
    let shown = well(&["inspect", file], None);
    let line = |key: &str| shown.lines().find(|line| line.contains(key)).unwrap_or_default();
    assert!(line("lacuna.padding").contains("attended"), "{shown}");
    assert!(line("lacuna.window").contains("16"), "{shown}");
    let answer: Value = serde_json::from_str(&well(&["logits", "--model", file, "call ana"], None)).unwrap();
    let plain = scratch("plain.gguf");
    let plain = plain.to_str().unwrap();
    well(&["convert", &format!("{TESTDATA}/bert"), "-o", plain], None);
    let other: Value = serde_json::from_str(&well(&["logits", "--model", plain, "call ana"], None)).unwrap();
    assert_eq!(answer["ids"], other["ids"]);
    assert_ne!(answer["logits"], other["logits"], "padding that is attended to changes answers");
}

#[test]
fn what_does_not_fit_is_named() {
    let nowhere = lacuna(&["convert", "/nonexistent/model", "-o", "/dev/null"], None);
    assert_eq!(nowhere.status.code(), Some(1));
    let message = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert!(message.contains("/nonexistent/model") && message.contains("model.safetensors"), "{message}");
    let folder = scratch("broken");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["config.json", "model.safetensors"] {
        std::fs::copy(format!("{TESTDATA}/bert/{name}"), folder.join(name)).unwrap();
    }
    std::fs::write(
        folder.join("tokenizer.json"),
        "{\"version\": \"1.0\", \"model\": {\"type\": \"WordLevel\"}}",
    )
    .unwrap();
    let file = scratch("broken.gguf");
    let file = file.to_str().unwrap();
    let _ = std::fs::remove_file(file);
    let refused = lacuna(&["convert", folder.to_str().unwrap(), "-o", file], None);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("model.type") && message.contains("WordLevel"), "{message}");
    assert!(!Path::new(file).exists(), "nothing is written for a model that cannot run");
}
