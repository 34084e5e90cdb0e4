//! Times what the library does beside the model: rules, arbitration, repair and placeholders.
//!
//! `detect [SAMPLES]` prints one JSON object: milliseconds a sample for a message of 200 characters in full mode
//! without the model's own time (`detect_200`), the same in mode `rules` (`rules_200`), and for a megabyte of
//! mixed text and three megabytes that are meant to hurt, in mode `rules`, and for each of these (`…_doubled`) how
//! many times as long twice the text takes. It runs natively and as a wasip1 program.

use std::time::Instant;

use lacuna::{Mode, Options, Redactor};

const MESSAGE: &str = "Hello Dr. van der Heijden, please ship order ORD-7123900 to Ana Lima, 4127 Larkspur Avenue Apt 12B, \
Fairhaven, WA 98001. Call +49 30 23125 044 or mail ana.lima@example.org; IBAN NL57TEST0731940586.";

fn main() {
    let samples = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(50);
    let redactor = Redactor::embedded().expect("the embedded model");
    let begin = Instant::now();
    let clock = move || begin.elapsed().as_secs_f64() * 1e3;
    let message: String = MESSAGE.chars().take(200).collect();

    let mut full = Vec::new();
    let mut rules = Vec::new();
    for _ in 0..samples {
        let options = Options::default();
        let answer = redactor.redact_timed(&message, &options, &clock).expect("an answer");
        assert!(answer.items.len() >= 8, "{} items", answer.items.len());
        full.push(answer.timings.detect);
        let options = Options { mode: Mode::Rules, ..Options::default() };
        let answer = redactor.redact_timed(&message, &options, &clock).expect("an answer");
        rules.push(answer.timings.detect);
    }

    let repeated = |piece: &str| piece.repeat(1_000_000 / piece.len());
    let megabytes = [
        (
            "mixed_1mb",
            repeated(&format!("{MESSAGE} The quick brown fox jumps over 3.14 lazy dogs on 2026-11-30.\n")),
        ),
        ("sevens_1mb", repeated("7.")),
        ("eights_1mb", repeated("88-77-")),
        ("dots_1mb", repeated("a.") + "@"),
    ];
    let options = Options { mode: Mode::Rules, ..Options::default() };
    let mut fields = vec![shown("detect_200", &full), shown("rules_200", &rules)];
    let time = |text: &str| redactor.redact_timed(text, &options, &clock).expect("an answer").timings.detect;
    for (name, text) in &megabytes {
        // Once and twice the text in turns, so that a change of the clock's speed meets both.
        let twice = text.repeat(2);
        let (once, ratios): (Vec<f64>, Vec<f64>) = (0..5)
            .map(|_| {
                let once = time(text);
                (once, time(&twice) / once)
            })
            .unzip();
        fields.push(shown(name, &once));
        fields.push(shown(&format!("{name}_doubled"), &ratios));
    }
    println!("{{{}}}", fields.join(","));
}

fn shown(name: &str, times: &[f64]) -> String {
    let list: Vec<String> = times.iter().map(|time| format!("{time:.4}")).collect();
    format!("\"{name}\":[{}]", list.join(","))
}
