//! What the recognisers' tests share: what a text yields once overlaps are settled.

use crate::{Found, find};

fn found(text: &str) -> Vec<Found> {
    let mut out = Vec::new();
    find(text, &mut out);
    out.retain(|f| f.confidence >= 0.5);
    out
}

/// Labels and texts of the candidates that no better candidate overlaps.
pub fn labels(text: &str) -> Vec<(&'static str, String)> {
    let all = found(text);
    let beaten = |f: &Found| {
        all.iter().any(|g| g.start < f.end && f.start < g.end && (g.end - g.start) > (f.end - f.start))
    };
    all.iter().filter(|f| !beaten(f)).map(|f| (f.label, text[f.start..f.end].to_string())).collect()
}

/// `text` yields exactly this one item.
#[track_caller]
pub fn only(text: &str, label: &str, value: &str) {
    assert_eq!(labels(text), [(leak(label), value.to_string())], "in {text:?}");
}

/// `text` yields nothing.
#[track_caller]
pub fn none(text: &str) {
    assert_eq!(labels(text), [], "in {text:?}");
}

fn leak(label: &str) -> &'static str {
    Box::leak(label.to_string().into_boxed_str())
}
