//! The API over HTTP: the real component, in both builds, under the real host.
//!
//! What a build answers is held against the routes run natively, byte for byte, so most tests here say what
//! the answer must be and `same` says it of all three.
#![forbid(unsafe_code)]

use std::sync::{Arc, Mutex, Weak};

use lacuna_host_tests::{Answer, Build, Server, component};
use lacuna_http::routes::{Call, route};
use serde_json::{Value, json};
use sha2::Digest;

/// One server for each build, for as long as a test holds it.
struct Servers {
    plain: Server,
    relaxed: Server,
}

static SERVERS: Mutex<Weak<Servers>> = Mutex::new(Weak::new());

fn servers() -> Arc<Servers> {
    let mut shared = SERVERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    shared.upgrade().unwrap_or_else(|| {
        let fresh =
            Arc::new(Servers { plain: start(Build::Plain, &[]), relaxed: start(Build::Relaxed, &[]) });
        *shared = Arc::downgrade(&fresh);
        fresh
    })
}

/// The host takes the relaxed build where it finds one, unless it is told.
fn start(build: Build, options: &[&str]) -> Server {
    let mut all = vec!["--build", if build == Build::Plain { "plain" } else { "relaxed" }];
    all.extend(options);
    Server::start(&component(build), &all)
}

impl Servers {
    /// The one answer of the native routes and both builds.
    #[track_caller]
    fn same(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let native = match route(method, path) {
            Call::Ready(answer) => answer,
            Call::WithBody(handler) => handler(body, &|| 0.0),
        };
        let plain = self.plain.connect().ask(method, path, body);
        let relaxed = self.relaxed.connect().ask(method, path, body);
        let shown = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(600)]).into_owned();
        for (answer, build) in [(&plain, "SIMD128"), (&relaxed, "relaxed SIMD")] {
            let (ours, theirs) = (shown(&answer.body), shown(&native.body));
            assert!(answer.body == native.body, "{build} and native differ:\n{ours}\n{theirs}");
        }
        assert_eq!((plain.status, relaxed.status), (native.status, native.status));
        plain
    }

    #[track_caller]
    fn redact(&self, request: &Value) -> Value {
        let answer = self.same("POST", "/redact", request.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{request}: {}", String::from_utf8_lossy(&answer.body));
        answer.json()
    }

    /// The field that a refused request is told.
    #[track_caller]
    fn field(&self, path: &str, body: impl AsRef<[u8]>) -> String {
        self.same("POST", path, body.as_ref()).field()
    }
}

#[test]
fn ping_version_and_page() {
    let servers = servers();
    let ping = servers.same("GET", "/ping", b"");
    assert_eq!((ping.status, ping.body.as_slice()), (200, b"pong\n".as_slice()));

    let model = sha2::Sha256::digest(std::fs::read("../../models/rampart/rampart-q4_0.gguf").unwrap());
    let model: String = model.iter().map(|byte| format!("{byte:02x}")).collect();
    for (server, build) in [(&servers.plain, "simd128"), (&servers.relaxed, "relaxed")] {
        let version = server.get("/version").json();
        let keys: Vec<&String> = version.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["version", "build", "model", "model_sha256", "rules_version"]);
        assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!((&version["build"], &version["model_sha256"]), (&json!(build), &json!(model)));
    }

    let page = servers.same("GET", "/", b"");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert!(String::from_utf8(page.body).unwrap().starts_with("<!doctype html>"));
}

#[test]
fn paths_and_methods() {
    let servers = servers();
    assert_eq!(servers.same("GET", "/nowhere", b"").error(404), "not_found");
    let refused = servers.same("PUT", "/redact", b"{}");
    assert_eq!((refused.error(405).as_str(), refused.header("allow")), ("method_not_allowed", Some("POST")));
    assert_eq!(servers.same("GET", "/ping?x=1", b"").status, 200);
}

#[test]
fn ranges_fit_the_text_in_all_three_countings() {
    let servers = servers();
    let text = "👋🏽 Bonjour, je m'appelle Hélène Lefèvre 🙂, 14 rue des Lilas, 69003 Lyon. \
                E-mail: helene.lefevre@example.com, carte 4111 1111 1111 1111. – Hélène";
    let answer = servers.redact(&json!({ "text": text, "map": "plain" }));
    let characters: Vec<char> = text.chars().collect();
    let units: Vec<u16> = text.encode_utf16().collect();
    let range = |value: &Value| {
        let at = |i: usize| usize::try_from(value[i].as_u64().unwrap()).unwrap();
        at(0)..at(1)
    };
    let mut redacted = String::new();
    let mut done = 0;
    for item in answer["items"].as_array().unwrap() {
        let bytes = range(&item["bytes"]);
        let value = &text[bytes.clone()];
        let (start, end) = (item["start"].as_u64().unwrap() as usize, item["end"].as_u64().unwrap() as usize);
        assert_eq!(characters[start..end].iter().collect::<String>(), value);
        assert_eq!(String::from_utf16(&units[range(&item["utf16"])]).unwrap(), value);
        let placeholder = item["placeholder"].as_str().unwrap();
        assert_eq!(answer["map"][placeholder], value);
        redacted += &text[done..bytes.start];
        redacted += placeholder;
        done = bytes.end;
    }
    redacted += &text[done..];
    assert_eq!(answer["redacted_text"], redacted);
    let redacted = answer["redacted_text"].as_str().unwrap();
    for value in ["Hélène", "Lefèvre", "helene.lefevre", "4111 1111", "69003"] {
        assert!(!redacted.contains(value), "{value} is left: {redacted}");
    }
    assert_eq!(redacted.matches("[GIVEN_NAME_1]").count(), 2, "one value, one placeholder: {redacted}");

    let restored = servers.same(
        "POST",
        "/restore",
        json!({ "text": redacted, "map": answer["map"] }).to_string().as_bytes(),
    );
    assert_eq!(restored.json()["text"], text);
    assert_eq!(restored.json()["unknown"], json!([]));
}

#[test]
fn both_builds_and_native_code_answer_alike() {
    let servers = servers();
    let texts = std::fs::read("../../testdata/eval/ort_texts.json").unwrap();
    let texts: Vec<Value> = serde_json::from_slice(&texts).unwrap();
    assert_eq!(texts.len(), 40);
    let mut items = 0;
    for text in &texts {
        let answer = servers.redact(&json!({ "text": text["text"], "explain": true }));
        items += answer["items"].as_array().unwrap().len();
    }
    assert!(items > 80, "{items} items: too few to tell a difference by");
}

#[test]
fn options_reach_the_component() {
    let servers = servers();
    let text = "I am Ana Lima, ana@example.org";
    let labels = |options: Value| -> Vec<String> {
        let mut request = json!({ "text": text });
        request.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let answer = servers.redact(&request);
        let items = answer["items"].as_array().unwrap();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(labels(json!({})), ["GIVEN_NAME", "SURNAME", "EMAIL"]);
    assert_eq!(labels(json!({ "keep": ["SURNAME"] })), ["GIVEN_NAME", "EMAIL"]);
    assert_eq!(labels(json!({ "labels": ["EMAIL"] })), ["EMAIL"]);
    assert_eq!(labels(json!({ "mode": "rules" })), ["EMAIL"]);
    assert_eq!(labels(json!({ "threshold": { "EMAIL": 1.0, "SURNAME": 1.0 } })), ["GIVEN_NAME"]);
}

#[test]
fn a_long_document_is_read_to_its_end() {
    let servers = servers();
    let mut text = "The minutes of the meeting follow, with all that was said about the budget. ".repeat(400);
    text += "Questions to Ravi Narayanan, ravi@example.com.";
    assert!(text.split(' ').count() > 5_000);
    let answer = servers.redact(&json!({ "text": text }));
    assert!(answer["windows"].as_u64().unwrap() > 10, "{}", answer["windows"]);
    let redacted = answer["redacted_text"].as_str().unwrap();
    assert!(
        redacted.ends_with("[GIVEN_NAME_1] [SURNAME_1], [EMAIL_1]."),
        "{}",
        &redacted[redacted.len() - 99..]
    );
}

#[test]
fn empty_text_is_answered() {
    let answer = servers().redact(&json!({ "text": "" }));
    assert_eq!((&answer["redacted_text"], &answer["items"]), (&json!(""), &json!([])));
}

#[test]
fn times_are_told_in_order() {
    let servers = servers();
    for server in [&servers.plain, &servers.relaxed] {
        let body = json!({ "text": "I am Ana Lima, ana@example.org" }).to_string();
        let answer = server.post("/redact", body.as_bytes());
        let header = answer.header("server-timing").expect("Server-Timing").to_owned();
        let mut times = std::collections::BTreeMap::new();
        let mut names = Vec::new();
        for part in header.split(", ") {
            let (name, rest) = part.split_once(";dur=").unwrap_or_else(|| panic!("dur is not first: {part}"));
            let (number, rest) = rest.split_once(';').unwrap_or((rest, ""));
            assert_eq!(rest, if name == "forward" { "desc=\"1 window(s)\"" } else { "" }, "{header}");
            assert_eq!(number.split('.').nth(1).map(str::len), Some(1), "one decimal: {header}");
            times.insert(name, number.parse::<f64>().unwrap());
            names.push(name);
        }
        let order = "tok_load model_load encode forward matmul attention other detect total";
        assert_eq!(names.join(" "), order);
        assert!(times["forward"] > 0.0 && times["total"] >= times["forward"], "{header}");
        let parts = times["matmul"] + times["attention"] + times["other"];
        assert!((times["forward"] - parts).abs() <= 0.3, "the parts make the whole: {header}");
    }
}

#[test]
fn bad_requests_name_the_field() {
    let servers = servers();
    let of = |value: Value| servers.field("/redact", value.to_string());
    assert_eq!(of(json!({})), "text");
    assert_eq!(of(json!({ "text": 7 })), "text");
    assert_eq!(of(json!({ "text": null })), "text");
    assert_eq!(of(json!({ "text": "a", "labels": "EMAIL" })), "labels");
    assert_eq!(of(json!({ "text": "a", "labels": ["EMAIL", "E-MAIL"] })), "labels");
    assert_eq!(of(json!({ "text": "a", "keep": [1] })), "keep");
    assert_eq!(of(json!({ "text": "a", "threshold": 2 })), "threshold");
    assert_eq!(of(json!({ "text": "a", "threshold": { "EMAIL": "x" } })), "threshold.EMAIL");
    assert_eq!(of(json!({ "text": "a", "mode": "fast" })), "mode");
    assert_eq!(of(json!({ "text": "a", "consistency": true })), "consistency");
    assert_eq!(of(json!({ "text": "a", "explain": 1 })), "explain");
    assert_eq!(of(json!({ "text": "a", "map": "open" })), "map");
    assert_eq!(of(json!({ "text": "a", "colour": "red" })), "colour");
    assert_eq!(servers.field("/redact", br#"{"text": "a \ud83d b"}"#), "text", "a lone surrogate");
    assert_eq!(servers.field("/restore", br#"{"text": "a", "map": {"[EMAIL_1]": 1}}"#), "map.[EMAIL_1]");
    assert_eq!(servers.field("/restore", br#"{"text": "a"}"#), "map");
    for path in ["/redact", "/restore"] {
        for body in [&b""[..], b"hello", b"[]", b"\"text\"", b"{\"text\": \"\xff\xfe\"}", b"{} {}"] {
            assert_eq!(servers.field(path, body), "body", "{}", String::from_utf8_lossy(body));
        }
        let deep = "[".repeat(500_000);
        assert_eq!(servers.field(path, format!("{{\"text\": {deep}")), "text", "no end of brackets");
    }
    assert_eq!(servers.same("GET", "/ping", b"").status, 200);
}

#[test]
fn bodies_over_the_limit_are_413() {
    let servers = servers();
    for server in [&servers.plain, &servers.relaxed] {
        let answer = server.post("/redact", &vec![b' '; (1 << 20) + 1]);
        assert_eq!(answer.error(413), "body_too_large");
        let error = &answer.json()["error"];
        let told = (&error["field"], &error["limit"], &error["got"]);
        assert_eq!(told, (&json!("body"), &json!(1 << 20), &json!((1 << 20) + 1)));
    }
    // To the last byte of the limit a body is read.
    assert_eq!(servers.field("/redact", vec![b' '; 1 << 20]), "body");
}

#[test]
fn the_component_takes_the_hosts_limit() {
    let server = start(Build::Plain, &["--body-limit", "2MiB"]);
    let text = "nothing to see ".repeat(100_000);
    let body = json!({ "text": text, "mode": "rules" }).to_string();
    assert!(body.len() > 1 << 20);
    let answer = server.post("/redact", body.as_bytes());
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    assert_eq!(answer.json()["redacted_text"], text);
}

#[test]
fn an_overrun_of_the_model_is_a_504_and_the_next_request_works() {
    let server = start(Build::Plain, &["--time-base", "300ms", "--time-per-kib", "0s"]);
    let long = json!({ "text": "Maria lives in Lyon. ".repeat(20_000) }).to_string();
    let answer = server.post("/redact", long.as_bytes());
    assert_eq!(answer.error(504), "time_limit");
    assert_eq!(answer.json()["error"]["limit"], 300);
    assert_eq!(server.get("/ping").status, 200);
    assert_eq!(server.post("/restore", br#"{"text": "a", "map": {}}"#).status, 200);
}

#[test]
fn too_little_memory_is_a_500_and_the_next_request_works() {
    let server = start(Build::Plain, &["--memory", "24MiB"]);
    let large = json!({ "text": "ana@example.org ".repeat(50_000), "mode": "rules" }).to_string();
    let answer = server.post("/redact", large.as_bytes());
    assert_eq!(answer.error(500), "memory_limit");
    assert_eq!(answer.json()["error"]["limit"], 24 << 20);
    let body = json!({ "text": "ana@example.org" }).to_string();
    assert_eq!(server.post("/redact", body.as_bytes()).json()["redacted_text"], "[EMAIL_1]");
}

#[test]
fn nothing_is_kept_between_requests() {
    let servers = servers();
    let mut connection = servers.plain.connect();
    let first = json!({ "text": "I am Ana Lima" }).to_string();
    let other = json!({ "text": "[GIVEN_NAME_1] is Maria" }).to_string();
    let before = connection.ask("POST", "/redact", other.as_bytes()).body;
    assert_eq!(connection.ask("POST", "/redact", first.as_bytes()).status, 200);
    assert_eq!(connection.ask("POST", "/redact", other.as_bytes()).body, before);
}
