//! `lacuna complete`, `quantize` and `bundle` as a person calls them, on the tiny models.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use weights::{Gguf, Kind};

fn testdata(name: &str) -> String {
    format!("{}/../../testdata/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn chat() -> String {
    testdata("decoder/tiny/chat.gguf")
}

/// A path of this process's own.
fn scratch(name: &str) -> PathBuf {
    let directory =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("complete-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    directory.join(name)
}

fn lacuna(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lacuna")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn complete(arguments: &[&str]) -> Output {
    lacuna(&[&["complete", "-m", &chat(), "-p", "Hello there"], arguments].concat())
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&complete(&[&["--json"], arguments].concat()))).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn text_alone_goes_to_standard_output() {
    let output = complete(&["--tokens", "40", "--ignore-end"]);
    let value = json(&["--tokens", "40", "--ignore-end"]);
    assert_eq!(stdout(&output), value["text"].as_str().unwrap());
    assert_eq!((value["ids"].as_array().unwrap().len(), value["end"].as_str()), (40, Some("length")));
    let said = stderr(&output);
    for part in
        ["loading: 100 %", "reading the prompt: 100 %", "text: 40 tokens in", "tokens/s", "ended: length"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let quiet = complete(&["--tokens", "4", "--quiet"]);
    assert_eq!((quiet.status.code(), stderr(&quiet).as_str()), (Some(0), ""));
}

#[test]
fn the_same_seed_gives_the_same_text() {
    let drawn = |seed: &str| json(&["--temperature", "1", "--seed", seed, "--ignore-end", "--tokens", "30"]);
    assert_eq!(drawn("7"), drawn("7"));
    assert_ne!(drawn("7")["ids"], drawn("8")["ids"]);
    let greedy = json(&["--ignore-end", "--tokens", "30"]);
    assert_eq!(
        json(&["--temperature", "1", "--top-k", "1", "--ignore-end", "--tokens", "30"])["ids"],
        greedy["ids"]
    );
    assert_eq!(
        json(&["--temperature", "1", "--min-p", "1", "--ignore-end", "--tokens", "30"])["ids"],
        greedy["ids"]
    );
    assert_eq!(
        json(&["--temperature", "1", "--top-p", "0", "--ignore-end", "--tokens", "30"])["ids"],
        greedy["ids"]
    );
    let punished = json(&["--presence-penalty", "100", "--ignore-end", "--tokens", "30"]);
    let mut ids: Vec<u64> = punished["ids"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 30, "no token twice");
}

#[test]
fn threads_change_no_bit() {
    let with =
        |threads: &str| json(&["--threads", threads, "--ignore-end", "--tokens", "20", "--system", "Speak."]);
    assert_eq!(with("1"), with("2"));
    assert_eq!(with("1"), with("5"));
}

#[test]
fn biases_stops_and_log_probabilities() {
    let plain = json(&["--ignore-end", "--tokens", "12", "--logprobs", "3"]);
    let first = plain["ids"][0].as_u64().unwrap();
    let token = &plain["logprobs"][0];
    assert_eq!(token["id"], plain["ids"][0]);
    assert_eq!(
        (token["top"][0]["id"].as_u64(), &token["top"][0]["logprob"]),
        (Some(first), &token["logprob"])
    );
    assert!(token["logprob"].as_f64().unwrap() <= 0.0 && token["top"].as_array().unwrap().len() == 3);
    let banned = json(&["--ignore-end", "--tokens", "12", "--logit-bias", &format!("{first}=-inf")]);
    assert!(!banned["ids"].as_array().unwrap().contains(&plain["ids"][0]));
    let forced = json(&["--tokens", "12", "--logit-bias", "2=1000"]);
    assert_eq!((forced["end"].as_str(), forced["text"].as_str()), (Some("end"), Some("")));
    // Two characters that stand together stop the text before the first of them.
    let text = plain["text"].as_str().unwrap();
    let stop: String = text.chars().skip(2).take(2).collect();
    let stopped = json(&["--ignore-end", "--tokens", "12", "--stop", &stop]);
    let want = &text[..text.find(&stop).unwrap()];
    assert_eq!((stopped["end"].as_str(), stopped["text"].as_str()), (Some("stop"), Some(want)));
    let special =
        json(&["--ignore-end", "--tokens", "12", "--logit-bias", "263=1000", "--stop", "<|unused|>"]);
    assert_eq!((special["end"].as_str(), special["text"].as_str()), (Some("stop"), Some("")));
    let shown = json(&["--special", "--ignore-end", "--tokens", "2", "--logit-bias", "263=1000"]);
    assert_eq!(shown["text"], "<|unused|><|unused|>");
}

#[test]
fn raw_prompts_and_templates_differ() {
    let (raw, turn) = (json(&["--raw", "--tokens", "1"]), json(&["--tokens", "1"]));
    assert!(raw["prompt_tokens"].as_u64() < turn["prompt_tokens"].as_u64());
    let told = json(&["--system", "Be brief.", "--tokens", "1"]);
    assert!(turn["prompt_tokens"].as_u64() < told["prompt_tokens"].as_u64());
    let prompt = scratch("prompt.txt");
    std::fs::write(&prompt, "Hello there").unwrap();
    let from_file =
        lacuna(&["complete", "-m", &chat(), "-f", prompt.to_str().unwrap(), "--tokens", "1", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&stdout(&from_file)).unwrap(), turn);
}

#[test]
fn texts_may_start_with_a_hyphen() {
    let said = |prompt: &str| {
        let calls =
            ["complete", "-m", &chat(), "--json", "--tokens", "3", "--system", "- brief", "-p", prompt];
        serde_json::from_str::<Value>(&stdout(&lacuna(&calls))).unwrap()
    };
    assert_ne!(said("- milk")["digest"], said("* milk")["digest"]);
    assert_eq!(said("--tokens")["ids"].as_array().unwrap().len(), 3);
}

#[test]
fn mistakes_say_what_and_where() {
    let failed = |arguments: &[&str], code: i32, part: &str| {
        let output = lacuna(arguments);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(part) && output.stdout.is_empty(), "{part}: {said}");
    };
    failed(&["complete", "-m", "/no/such.gguf", "-p", "a"], 1, "/no/such.gguf");
    failed(&["complete", "-m", &testdata("gguf/quantize.gguf"), "-p", "a"], 1, "architecture fixture");
    let bare = testdata("decoder/tiny/llama.gguf");
    failed(&["complete", "-m", &bare, "-p", "a"], 1, "tokenizer.ggml.tokens");
    failed(&["complete", "-m", &chat(), "-p", "a", "--top-p", "2"], 1, "top_p: 2 is not in 0..=1");
    failed(&["complete", "-m", &chat(), "-p", "a", "--min-p", "-1"], 1, "min_p: -1 is not in 0..=1");
    failed(&["complete", "-m", &chat(), "-p", "a", "--logit-bias", "x"], 2, "wants ID=X");
    failed(&["complete", "-m", &chat(), "-p", "a", "--logprobs", "2"], 2, "--json");
    failed(&["complete", "-m", &chat(), "-p", &"a".repeat(300)], 1, "positions are over the model's 256");
    failed(&["complete", "-m", &chat(), "--raw", "-p", ""], 1, "at least one id");
    // A file cut short is refused before anything is generated.
    let whole = std::fs::read(chat()).unwrap();
    let cut = scratch("cut.gguf");
    std::fs::write(&cut, &whole[..whole.len() - 5000]).unwrap();
    failed(&["complete", "-m", cut.to_str().unwrap(), "-p", "a"], 1, "cut.gguf: tensor ");
}

/// The chat model with room for a long text.
#[cfg(unix)]
fn long_chat() -> PathBuf {
    let bytes = std::fs::read(chat()).unwrap();
    let file = Gguf::parse(&bytes).unwrap();
    let mut writer = weights::quantize_file(&file, Kind::F32).unwrap();
    writer.set("llama.context_length", 1_000_000u32);
    let path = scratch("long.gguf");
    std::fs::write(&path, writer.to_vec()).unwrap();
    path
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_the_text_cleanly() {
    let model = long_chat();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["complete", "-p", "a", "--raw", "--ignore-end", "--tokens", "1000000", "-m"])
        .arg(&model)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut byte = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(stderr(&output).contains("ended: broken"), "{}", stderr(&output));
}

#[test]
#[cfg(unix)]
fn a_reader_that_leaves_is_no_failure() {
    let model = long_chat();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["complete", "-p", "a", "--raw", "--ignore-end", "--tokens", "1000000", "-m"])
        .arg(&model)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut byte = [0];
    child.stdout.take().unwrap().read_exact(&mut byte).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn quantize_writes_ggmls_blocks() {
    let source = testdata("decoder/tiny/llama.gguf");
    let bytes = std::fs::read(&source).unwrap();
    let file = Gguf::parse(&bytes).unwrap();
    for (name, kind) in [
        ("f32", Kind::F32),
        ("f16", Kind::F16),
        ("q8_0", Kind::Q8_0),
        ("q4_0", Kind::Q4_0),
        ("q4_1", Kind::Q4_1),
    ] {
        let path = scratch(&format!("{name}.gguf"));
        let said = stdout(&lacuna(&["quantize", &source, "-t", name, "-o", path.to_str().unwrap()]));
        let made = std::fs::read(&path).unwrap();
        assert!(said.ends_with(&format!("{} bytes, {name}\n", made.len())), "{said}");
        let made = Gguf::parse(&made).unwrap();
        let mut matrices = 0;
        for tensor in file.tensors() {
            let new = made.tensor(tensor.name).unwrap();
            let whole = tensor.rows() > 1 && tensor.columns().is_multiple_of(kind.block_size());
            let want = if whole {
                weights::quantize(kind, &tensor.f32s().unwrap()).unwrap()
            } else {
                tensor.bytes.into()
            };
            assert_eq!(
                (new.kind, new.bytes),
                (if whole { kind } else { Kind::F32 }, &want[..]),
                "{}",
                tensor.name
            );
            matrices += usize::from(whole);
        }
        assert!(matrices >= 12, "{matrices}");
        // The input may be the output.
        let path = path.to_str().unwrap();
        stdout(&lacuna(&["quantize", path, "-t", "f32", "-o", path]));
        assert_eq!(
            Gguf::parse(&std::fs::read(path).unwrap()).unwrap().tensors().count(),
            file.tensors().count()
        );
    }
    let output = lacuna(&["quantize", &source, "-t", "q4_0", "-o", "/no/such/folder/x.gguf"]);
    assert!(stderr(&output).contains("/no/such/folder/x.gguf"), "{}", stderr(&output));
    assert_eq!(lacuna(&["quantize", &source, "-t", "q9", "-o", "x"]).status.code(), Some(2));
}

#[test]
fn bundle_names_what_is_missing() {
    let out = scratch("model.wasm");
    let out = out.to_str().unwrap();
    let output = lacuna(&["bundle", "-m", &chat(), "-g", &chat(), "-o", out]);
    assert!(stderr(&output).contains("not a WebAssembly module"), "{}", stderr(&output));
    // The program in a folder of its own has no guest beside it. A link, since a copy may still be open for writing in
    // what another test just started, and then cannot run.
    let alone = scratch("alone/folder/lacuna");
    std::fs::create_dir_all(alone.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(&alone);
    std::fs::hard_link(env!("CARGO_BIN_EXE_lacuna"), &alone).unwrap();
    let output = Command::new(&alone).args(["bundle", "-m", &chat(), "-o", out]).output().unwrap();
    let said = stderr(&output);
    assert!(said.contains("cargo xtask guest") && said.contains("lacuna-guest.wasm"), "{said}");
    assert_eq!(output.status.code(), Some(1));
}
