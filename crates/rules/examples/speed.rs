//! Times `find`: 200 characters, 1 MB of prose, and texts made to be slow at one and two times their length.

use std::hint::black_box;
use std::time::Instant;

fn time(text: &str, runs: usize) -> f64 {
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
    times[runs / 2]
}

fn main() {
    let message = "Hi, this is Anna Berg from Leeds. Please call me on 0161 496 0123 or write to anna.berg@example.org about order 4711; my card 4120 3846 5771 9204 was charged twice on 12 May, from 203.0.113.45. Thanks!";
    println!("200 characters: {:.4} ms", time(message, 2001));
    let prose = message.repeat(1_000_000 / message.len());
    println!("1 MB of messages: {:.1} ms", time(&prose, 5));
    for piece in ["7.7.7.", "88-77-", "a.a.a.", "passport ", "::", "a@", "1 2 3 ", "plain prose of words "] {
        let (one, two) =
            (piece.repeat(500_000 / piece.len()) + "@", piece.repeat(1_000_000 / piece.len()) + "@");
        let (a, b) = (time(&one, 3), time(&two, 3));
        println!("{piece:?}: 0.5 MB {a:.1} ms, 1 MB {b:.1} ms, ratio {:.2}", b / a);
    }
}
