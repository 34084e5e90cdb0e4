//! The engine on the tiny chat model, as JavaScript drives it.

use super::*;

const ENOUGH: Memory = Memory { can_have: |_| true, make_room: |_| {} };

fn file() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/decoder/tiny/chat.gguf")).unwrap()
}

fn value(outcome: Outcome) -> Value {
    serde_json::from_slice(&outcome.unwrap()).unwrap()
}

fn engine() -> Engine {
    let mut engine = Engine::new(None, ENOUGH);
    file().chunks(1000).for_each(|piece| assert!(engine.take(piece).unwrap().is_empty()));
    let told = value(engine.finish());
    assert_eq!((told["architecture"].as_str(), told["template"].as_bool()), (Some("llama"), Some(true)));
    engine
}

/// The text, and the result.
fn written(engine: &mut Engine, request: &str) -> (String, Value) {
    value(engine.begin(request.as_bytes()));
    let mut text = String::new();
    loop {
        let mut step = value(engine.step());
        text += step["text"].as_str().unwrap();
        if step["over"] == true {
            return (text, step["result"].take());
        }
    }
}

const HELLO: &str =
    r#"{"messages":[{"role":"user","content":"Hello there"}],"max_tokens":30,"ignore_end":true"#;

#[test]
fn a_text_is_that_of_the_library() {
    let mut engine = engine();
    let (text, result) = written(&mut engine, &format!("{HELLO},\"digest\":true}}"));
    let bytes = file();
    let model = Model::from_gguf(&weights::Gguf::parse(&bytes).unwrap()).unwrap();
    let prompt = model.chat(&[lacuna::complete::Message::user("Hello there")]).unwrap();
    let options = lacuna::complete::Options { max_tokens: 30, ignore_end: true, ..Default::default() };
    let (mut want, mut digest) = (String::new(), DIGEST_START);
    let generated = Session::new(&model)
        .generate(&prompt, &options, &mut |event| {
            match event {
                Event::Text(more) => want += more,
                Event::Logits(logits) => digest = super::digest(digest, logits),
                _ => {}
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((text, &result["ids"]), (want, &json!(generated.ids)));
    assert_eq!(result["digest"], format!("{digest:016x}"));
    assert_eq!((&result["end"], &result["prompt_tokens"]), (&json!("length"), &json!(prompt.len())));
}

#[test]
fn a_text_may_be_stopped_anywhere_and_the_next_is_whole() {
    let mut engine = engine();
    let request = format!("{HELLO}}}");
    let want = written(&mut engine, &request).0;
    for steps in [0, 1, 2, 7] {
        value(engine.begin(br#"{"prompt":"Another text of some length, for the cache","ignore_end":true}"#));
        (0..steps).for_each(|_| assert_eq!(value(engine.step())["over"], false));
        let result = value(engine.stop());
        assert_eq!(result["end"], "stopped");
        assert_eq!(engine.step().unwrap_err().code, "nothing_begun");
        assert_eq!(value(engine.stop()), Value::Null);
        assert_eq!(written(&mut engine, &request).0, want, "after {steps} steps");
    }
}

#[test]
fn a_prompt_is_read_in_pieces() {
    let mut engine = engine();
    let prompt = "word ".repeat(30);
    let begun = value(engine.begin(json!({ "prompt": prompt }).to_string().as_bytes()));
    let all = begun["prompt_tokens"].as_u64().unwrap();
    assert!(all > 2 * PIECE as u64);
    for step in 1..=all.div_ceil(PIECE as u64) {
        let read = (step * PIECE as u64).min(all);
        let answer = value(engine.step());
        assert_eq!((answer["read"].as_u64(), answer.get("token").is_some()), (Some(read), read == all));
    }
    assert!(value(engine.step()).get("read").is_none());
}

/// Reported of such modules: they end where memory does.
#[test]
fn no_memory_for_a_step_ends_that_text_alone() {
    let mut engine = engine();
    let request = format!("{HELLO}}}");
    let want = written(&mut engine, &request).0;
    engine.memory.can_have = |_| false;
    assert_eq!(engine.begin(request.as_bytes()).unwrap_err().code, "out_of_memory");
    engine.memory.can_have = |bytes| bytes > BEGIN_BYTES;
    value(engine.begin(request.as_bytes()));
    let error = engine.step().unwrap_err();
    assert!(error.code == "out_of_memory" && error.got.unwrap().as_u64() > Some(1000), "{}", error.message);
    engine.memory = ENOUGH;
    assert_eq!(engine.step().unwrap_err().code, "nothing_begun");
    assert_eq!(written(&mut engine, &request).0, want);
}

#[test]
fn mistakes_are_named() {
    let mut engine = engine();
    let mut said = |request: &str| {
        let error = engine.begin(request.as_bytes()).unwrap_err();
        format!("{} {}: {}", error.code, error.field.unwrap_or_default(), error.message)
    };
    for (request, want) in [
        ("[]", "invalid_json"),
        ("{}", "invalid_field prompt: is missing"),
        (r#"{"prompt":"a","ids":[1]}"#, "invalid_field ids: one of"),
        (r#"{"prompt":7}"#, "invalid_field prompt: must be a string"),
        (r#"{"ids":[]}"#, "invalid_field prompt: has no token"),
        (r#"{"ids":[999999]}"#, "invalid_field ids: id 999999 at 0"),
        (r#"{"prompt":"a","colour":1}"#, "unknown_field colour"),
        (r#"{"prompt":"a","temperature":-1}"#, "invalid_field temperature: -1 is not in 0..=100"),
        (r#"{"prompt":"a","seed":-1}"#, "invalid_field seed: must be a whole number"),
        (r#"{"prompt":"a","stop":"x"}"#, "invalid_field stop: must be a list"),
        (r#"{"prompt":"a","logit_bias":[[1]]}"#, "invalid_field logit_bias: must hold pairs"),
        (r#"{"messages":[{"role":"user"}]}"#, "invalid_field messages: a turn needs"),
        (r#"{"messages":[{"role":"user","content":"","name":""}]}"#, "invalid_field messages.name: is not"),
    ] {
        assert!(said(request).starts_with(want), "{request}: {}", said(request));
    }
    let long = json!({ "ids": vec![1; 300] }).to_string();
    assert_eq!(said(&long), "prompt_too_long prompt: has 300 tokens, the model takes 256");
    assert_eq!(engine.take(b"x").unwrap_err().code, "loaded");
    let mut empty = Engine::new(None, ENOUGH);
    assert_eq!(empty.begin(b"{}").unwrap_err().code, "not_loaded");
    let error = Engine::new(None, ENOUGH).take(b"<html> and so on, and so on").unwrap_err();
    assert_eq!((error.code, error.field.as_deref()), ("invalid_model", Some("model")));
    empty.take(&file()[..60_000]).unwrap();
    let error = empty.finish().unwrap_err();
    assert!(error.code == "invalid_model" && error.message.contains("at offset"), "{}", error.message);
}

#[test]
fn options_reach_the_sampler() {
    let mut engine = engine();
    let mut with = |more: &str| written(&mut engine, &format!("{HELLO}{more}}}"));
    let plain = with("").1["ids"].clone();
    let drawn = with(r#","temperature":1,"seed":"18446744073709551615""#).1["ids"].clone();
    assert_eq!(drawn, with(r#","temperature":1.0,"seed":"18446744073709551615""#).1["ids"]);
    assert_ne!(drawn, with(r#","temperature":1,"seed":3"#).1["ids"]);
    assert_eq!(plain, with(r#","temperature":1,"seed":3.0,"top_k":1"#).1["ids"]);
    assert_eq!(plain, with(r#","temperature":1,"min_p":1"#).1["ids"]);
    let first = &plain[0];
    assert!(
        !with(&format!(r#","logit_bias":[[{first},"-inf"]]"#)).1["ids"].as_array().unwrap().contains(first)
    );
    let (text, _) = with("");
    let stop: String = text.chars().skip(2).take(2).collect();
    let (stopped, result) = with(&format!(r#","stop":[{}]"#, json!(stop)));
    assert_eq!((stopped.as_str(), &result["end"]), (&text[..text.find(&stop).unwrap()], &json!("stop")));
}

#[test]
fn log_probabilities_come_with_tokens() {
    let mut engine = engine();
    value(engine.begin(format!("{HELLO},\"logprobs\":2}}").as_bytes()));
    let tokens: Vec<Value> = (0..3).map(|_| value(engine.step())["token"].take()).collect();
    let token = tokens.iter().find(|token| token.is_object()).unwrap();
    assert_eq!(token["top"][0]["logprob"], token["logprob"]);
    assert_eq!(token["top"].as_array().unwrap().len(), 2);
}
