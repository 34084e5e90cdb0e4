//! Tokenizer files with one thing changed, beside the tokenizers crate: what it refuses is refused here, what both
//! take gives the same tokens, and what is refused here alone is named as unsupported.

extern crate lacuna_tokens as tokens;

mod reference;

use reference::files::{self, Verdict, verdict};
use serde_json::{Value, json};

/// A changed file and what was changed.
type Variant = (String, Value);

/// Every place of a file, of long lists and maps the first and last few, taken out and put to other values.
fn changed(file: &Value) -> Vec<Variant> {
    let mut paths = Vec::new();
    places(file, String::new(), &mut paths);
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(5_000_000_000u64),
        json!(""),
        json!("a"),
        json!("\u{2581}"),
        json!([]),
        json!({}),
        json!(["a", "b"]),
    ];
    let mut variants = Vec::new();
    for path in paths {
        let mut without = file.clone();
        let (parent, name) = path.rsplit_once('/').unwrap();
        match without.pointer_mut(parent).unwrap() {
            Value::Object(map) => drop(map.remove(&name.replace("~1", "/").replace("~0", "~"))),
            Value::Array(list) => drop(list.remove(name.parse().unwrap())),
            _ => unreachable!(),
        }
        variants.push((format!("{path} taken out"), without));
        for value in &values {
            let mut other = file.clone();
            *other.pointer_mut(&path).unwrap() = value.clone();
            variants.push((format!("{path} = {value}"), other));
        }
    }
    variants
}

fn places(value: &Value, path: String, paths: &mut Vec<String>) {
    let few = |count: usize| (0..count).filter(move |at| count <= 12 || *at < 3 || at + 2 > count);
    match value {
        Value::Object(map) => {
            let names: Vec<&String> = map.keys().collect();
            for at in few(names.len()) {
                let path = format!("{path}/{}", names[at].replace('~', "~0").replace('/', "~1"));
                paths.push(path.clone());
                places(&map[names[at]], path, paths);
            }
        }
        Value::Array(list) => {
            for at in few(list.len()) {
                paths.push(format!("{path}/{at}"));
                places(&list[at], format!("{path}/{at}"), paths);
            }
        }
        _ => {}
    }
}

/// Changes every place of `file` whose path starts with `under`.
fn check(name: &str, file: &Value, under: &str) {
    assert!(matches!(verdict(file, 200), Verdict::Same), "{name}: {:?}", verdict(file, 200));
    let (mut same, mut refused) = (0, 0);
    for (what, changed) in changed(file).into_iter().filter(|(what, _)| what.starts_with(under)) {
        match verdict(&changed, 0) {
            Verdict::Same => same += 1,
            Verdict::BothRefuse(message) | Verdict::Refused(message) => {
                let says_where =
                    message.starts_with("tokenizer field ") || message.starts_with("tokenizer: ");
                assert!(says_where, "{name}{what}: {message}");
                refused += 1;
            }
            other => panic!("{name}{what}: {other:?}"),
        }
    }
    println!("{name}{under}: {same} the same, {refused} refused");
    assert!(same > 5 && refused > 30, "{name}{under}: {same} the same, {refused} refused");
}

fn without_normalizer(mut file: Value) -> Value {
    file["normalizer"] = Value::Null;
    file
}

#[test]
fn byte_level_files() {
    check("gpt2", &files::gpt2(), "");
    check("llama3", &files::llama3(), "");
    check("smollm", &files::smollm(), "");
}

#[test]
fn sentencepiece_files() {
    check("sentencepiece", &files::sentencepiece(), "");
}

#[test]
fn wordpiece_files() {
    check("bert", &without_normalizer(files::bert()), "");
    check("bert", &files::bert(), "/normalizer");
}

#[test]
fn unigram_files() {
    check("strips", &files::unigram(files::strips()), "");
    let mut xlmr: Value =
        serde_json::from_slice(&reference::read("classifiers/xlmr/tokenizer.json")).unwrap();
    check("xlmr", &xlmr, "/normalizer");
    xlmr["pre_tokenizer"] =
        json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "first", "split": false});
    check("metaspace", &without_normalizer(xlmr), "/pre_tokenizer");
}
