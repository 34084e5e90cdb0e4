//! What the host does with guests that fail: a clean answer, and the next request works.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use lacuna_host_tests::{Server, scratch};

/// The guest of `guest.wat`, in a directory of its own.
fn guest(name: &str) -> PathBuf {
    let file = scratch(name).join("guest.wasm");
    let wasm = wat::parse_file(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/guest.wat")).expect("valid text");
    std::fs::write(&file, wasm).unwrap();
    file
}

fn serve(name: &str, options: &[&str]) -> Server {
    Server::start(&guest(name), options)
}

#[test]
fn a_trap_is_a_500_and_the_next_request_works() {
    let server = serve("trap", &[]);
    let mut connection = server.connect();
    for _ in 0..20 {
        let answer = connection.ask("GET", "/trap", b"");
        assert_eq!(answer.error(500), "guest_failed");
        assert_eq!(connection.ask("GET", "/ok", b"").status, 200, "on the same connection");
    }
}

#[test]
fn a_trap_after_the_answer_began_is_a_500_too() {
    let server = serve("late", &[]);
    assert_eq!(server.get("/late").error(500), "guest_failed");
    assert_eq!(server.get("/ok").status, 200);
}

#[test]
fn a_guest_without_an_answer_is_a_500() {
    let server = serve("mute", &[]);
    assert_eq!(server.get("/mute").error(500), "guest_failed");
    assert_eq!(server.get("/ok").status, 200);
}

#[test]
fn an_overrun_is_a_504_and_others_are_served_meanwhile() {
    let server = serve("spin", &["--time-base", "700ms", "--time-per-kib", "0s", "--active", "2"]);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let spinning = scope.spawn(|| server.get("/spin"));
        let mut connection = server.connect();
        for _ in 0..10 {
            assert_eq!(connection.ask("GET", "/ok", b"").status, 200);
        }
        let answer = spinning.join().unwrap();
        assert_eq!(answer.error(504), "time_limit");
        assert_eq!(answer.json()["error"]["limit"], 700);
    });
    assert!(begun.elapsed() >= Duration::from_millis(700), "stopped before its time");
    assert_eq!(server.get("/ok").status, 200);
}

#[test]
fn memory_over_the_limit_is_a_500() {
    let server = serve("hoard", &["--memory", "32MiB"]);
    let answer = server.get("/hoard");
    assert_eq!(answer.error(500), "memory_limit");
    assert_eq!(answer.json()["error"]["limit"], 32 << 20);
    assert!(answer.json()["error"]["got"].as_u64().unwrap() > 32 << 20);
    assert_eq!(server.get("/ok").status, 200);
}

#[test]
fn nothing_is_left_from_one_request_to_the_next() {
    let server = serve("count", &[]);
    let mut connection = server.connect();
    for _ in 0..200 {
        assert_eq!(connection.ask("GET", "/count", b"").status, 200);
    }
}

#[test]
fn guests_at_once_and_waiting_are_bounded() {
    let options = ["--active", "1", "--waiting", "2", "--time-base", "1500ms", "--time-per-kib", "0s"];
    let server = serve("bounded", &options);
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..6)
            .map(|_| {
                std::thread::sleep(Duration::from_millis(30));
                scope.spawn(|| server.get("/spin").status)
            })
            .collect();
        asking.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let of = |status| answers.iter().filter(|found| **found == status).count();
    assert_eq!((of(504), of(503)), (3, 3), "one runs, two wait, three are told: {answers:?}");
    assert_eq!(server.get("/ok").status, 200);
}

#[test]
fn a_busy_answer_says_when_to_come_back() {
    let options = ["--active", "1", "--waiting", "0", "--time-base", "1s", "--time-per-kib", "0s"];
    let server = serve("busy", &options);
    std::thread::scope(|scope| {
        let spinning = scope.spawn(|| server.get("/spin"));
        std::thread::sleep(Duration::from_millis(300));
        let answer = server.get("/ok");
        assert_eq!(answer.error(503), "busy");
        assert_eq!(answer.header("retry-after"), Some("1"));
        spinning.join().unwrap();
    });
}

#[test]
fn bodies_over_the_limit_are_413_however_they_arrive() {
    let server = serve("body", &["--body-limit", "1KiB"]);
    assert_eq!(server.post("/ok", &[b'x'; 1024]).status, 200);
    let answer = server.post("/ok", &[b'x'; 1025]);
    assert_eq!(answer.error(413), "body_too_large");
    let error = &answer.json()["error"];
    assert_eq!(
        (&error["field"], &error["limit"], &error["got"]),
        (&"body".into(), &1024.into(), &1025.into())
    );
    assert_eq!(server.post("/ok", &vec![b'x'; 3 << 20]).error(413), "body_too_large");

    let mut connection = server.connect();
    connection.send(b"POST /ok HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
    for _ in 0..5 {
        connection.send(format!("100\r\n{}\r\n", "x".repeat(256)).as_bytes());
    }
    connection.send(b"0\r\n\r\n");
    assert_eq!(connection.answer().error(413), "body_too_large");
    assert_eq!(server.get("/ok").status, 200);
}

#[test]
fn garbage_on_the_wire_does_not_stop_the_server() {
    let server = serve("garbage", &[]);
    for bytes in
        [&b"\0\0\0\0\r\n\r\n"[..], b"GET /\xff HTTP/1.1\r\n\r\n", b"GET /ok HTTP/9.9\r\n\r\n", b"\r\n"]
    {
        let mut connection = server.connect();
        connection.send(bytes);
        drop(connection);
    }
    let mut connection = server.connect();
    connection.send(b"GET /ok HTTP/1.1\r\n\r\n");
    assert_eq!(connection.answer().error(400), "no_host");
    assert_eq!(server.get("/ok").status, 200);
}

#[test]
fn a_component_that_wants_out_does_not_start() {
    let interfaces = [
        "wasi:http/outgoing-handler@0.2.0",
        "wasi:sockets/tcp@0.2.0",
        "wasi:filesystem/types@0.2.0",
        "wasi:cli/environment@0.2.0",
    ];
    for (at, interface) in interfaces.into_iter().enumerate() {
        let text = format!(r#"(component (import "{interface}" (instance (export "x" (func)))))"#);
        let file = scratch(&format!("outside-{at}")).join("outside.wasm");
        std::fs::write(&file, wat::parse_str(text).unwrap()).unwrap();
        let output = host(&["serve", file.to_str().unwrap(), "--port", "0"]);
        assert!(!output.status.success(), "{interface}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(interface), "{interface}: {said}");
    }
}

#[test]
fn the_second_start_takes_the_compiled_code_from_beside_the_component() {
    let file = guest("cache");
    let cached = || {
        let names = std::fs::read_dir(file.parent().unwrap()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().path()).collect();
        names.retain(|path| path.extension().is_some_and(|extension| extension == "cwasm"));
        names
    };
    assert_eq!(Server::start(&file, &[]).get("/ok").status, 200);
    let first = cached();
    assert_eq!(first.len(), 1);
    let written = first[0].metadata().unwrap().modified().unwrap();
    assert_eq!(Server::start(&file, &[]).get("/ok").status, 200);
    assert_eq!(cached()[0].metadata().unwrap().modified().unwrap(), written, "not compiled again");

    // Another component under the same name is compiled anew, and the old code is removed.
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend_from_slice(b"\0\x05\x04note");
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(Server::start(&file, &[]).get("/ok").status, 200);
    let second = cached();
    assert_eq!(second.len(), 1);
    assert_ne!(first, second);

    // A damaged cache is compiled over.
    std::fs::write(&second[0], b"not machine code").unwrap();
    assert_eq!(Server::start(&file, &[]).get("/ok").status, 200);
    assert!(second[0].metadata().unwrap().len() > 1000);
}

#[cfg(unix)]
#[test]
fn ctrl_c_lets_open_requests_end() {
    let mut server = serve("stop", &["--time-base", "1s", "--time-per-kib", "0s"]);
    let mut connection = server.connect();
    connection.send(b"GET /spin HTTP/1.1\r\nHost: test\r\n\r\n");
    std::thread::sleep(Duration::from_millis(300));
    let killed = Command::new("kill").args(["-INT", &server.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(connection.answer().error(504), "time_limit", "the open request got its answer");
    assert!(server.wait().success());
}

#[test]
fn wasip1_programs_run_and_pass_their_status_on() {
    let directory = scratch("program");
    let program = |name: &str, body: &str| {
        let text = format!(
            r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
               (memory (export "memory") 1) (func (export "_start") {body}))"#
        );
        let file = directory.join(name);
        std::fs::write(&file, wat::parse_str(text).unwrap()).unwrap();
        file.to_str().unwrap().to_owned()
    };
    assert_eq!(host(&["run-wasm", &program("ends.wasm", "")]).status.code(), Some(0));
    let exits = program("exits.wasm", "(call $exit (i32.const 7))");
    assert_eq!(host(&["run-wasm", &exits]).status.code(), Some(7));
    let traps = host(&["run-wasm", &program("traps.wasm", "unreachable")]);
    assert_eq!(traps.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&traps.stderr).contains("unreachable"));

    let compiled = directory.join("exits.cwasm");
    assert!(host(&["compile", &exits, "-o", compiled.to_str().unwrap()]).status.success());
    assert_eq!(host(&["run-wasm", compiled.to_str().unwrap()]).status.code(), Some(7));
    let other = ["--target", "s390x-unknown-linux-gnu", &exits, "-o", compiled.to_str().unwrap()];
    let refused = host(&[&["compile"], &other[..]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--target s390x-unknown-linux-gnu"));
    assert_eq!(host(&["run-wasm", "no-such-file.wasm"]).status.code(), Some(1));
    assert_eq!(host(&["run-wasm"]).status.code(), Some(2));
}

fn host(arguments: &[&str]) -> Output {
    Command::new(lacuna_host_tests::host()).args(arguments).output().expect("the host runs")
}
