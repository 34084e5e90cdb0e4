//! Times `find`: a message of 200 characters, and 1 MB of mixed text (the texts of a JSON-lines file given as the
//! first argument, else this crate's own), smallest and median in milliseconds. A second argument is the number of
//! runs. Builds for `wasm32-wasip1`, too.

use std::hint::black_box;
use std::time::Instant;

const MESSAGE: &str = "Hi, this is Anna Berg from Leeds. Please call me on 0161 496 0123 or write to anna.berg@example.org about order 4711; my card 4120 3846 5771 9204 was charged twice on 12 May, from 203.0.113.45. Thanks!";

/// Prose of several languages, a log, JSON, code and a form, for where no file is at hand.
const MIXED: &str = include_str!("mixed.txt");

fn time(name: &str, text: &str, runs: usize) {
    let mut found = Vec::new();
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            found.clear();
            let start = Instant::now();
            lacuna_rules::find(black_box(text), &mut found);
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (bytes, n) = (text.len(), found.len());
    println!("{name}: min {:.4} ms, median {:.4} ms ({bytes} bytes, {n} found)", times[0], times[runs / 2]);
}

/// `text` over and over, up to a million bytes.
fn million(text: &str) -> String {
    let mut long = text.repeat(1_000_000 / text.len() + 1);
    long.truncate(long.floor_char_boundary(1_000_000));
    long
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file =
        arguments.next().map(|path| std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")));
    let runs = arguments.next().map_or(9, |n| n.parse().expect("a number of runs"));
    let mixed = match &file {
        Some(lines) => lines.lines().filter_map(text_of).collect::<Vec<_>>().join("\n"),
        None => MIXED.to_string(),
    };
    time("200 characters", MESSAGE, runs * 100 + 1);
    time("1 MB mixed", &million(&mixed), runs);
    for piece in [
        "7.7.7.",
        "88-77-",
        "a.a.a.",
        "1:1:1:",
        "((((",
        "%25%25",
        "&#38;&#38;",
        "1 2 3 ",
        "a-a-a-",
        "a@",
        "::",
        "passport ",
        "password: x1y2z3 ",
        "http://",
        "http://a.de)",
        "born 1.1.",
        "\u{200b}a",
        "٠٩-٧٦٢",
        "Привет мир ",
    ] {
        let (half, whole) = (million(piece), million(piece) + &million(piece));
        let name = format!("{piece:?}");
        time(&name, &half, 3);
        time(&format!("{name} twice as long"), &whole, 3);
    }
}

/// The value of `"text"` in a line of JSON, escapes undone.
fn text_of(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value["text"].as_str()?.to_string())
}
