//! A candidate before the rules settle among themselves.

use crate::Found;
use crate::context::Spoken;
use std::collections::BTreeMap;

/// What a rule claims.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub start: usize,
    pub end: usize,
    pub label: &'static str,
    pub subtype: Option<&'static str>,
    pub rule: &'static str,
    pub check: Option<&'static str>,
    pub spoken: Option<Spoken>,
    pub confidence: f32,
    /// Among equals the smaller wins.
    pub order: usize,
}

/// Rules outside the shapes come before them among equals.
pub const FIRST: usize = 0;

impl Candidate {
    /// A candidate without check and context.
    pub fn new(range: (usize, usize), label: &'static str, rule: &'static str, confidence: f32) -> Candidate {
        let (start, end) = range;
        Candidate {
            start,
            end,
            label,
            subtype: None,
            rule,
            check: None,
            spoken: None,
            confidence,
            order: FIRST,
        }
    }

    /// Strength of evidence: certain, likely, a hint.
    fn tier(&self) -> u8 {
        if self.confidence >= 0.9 { 2 } else { u8::from(self.confidence >= 0.5) }
    }

    /// Greater wins: evidence, length, the nearer context word, confidence, the order of the rules.
    fn beats(&self, other: &Candidate) -> core::cmp::Ordering {
        let length = |c: &Candidate| c.end - c.start;
        let near = |c: &Candidate| c.spoken.map_or(usize::MAX, |s| s.distance);
        self.tier()
            .cmp(&other.tier())
            .then(length(self).cmp(&length(other)))
            .then(if self.spoken.is_some() && other.spoken.is_some() {
                near(other).cmp(&near(self))
            } else {
                core::cmp::Ordering::Equal
            })
            .then(self.confidence.total_cmp(&other.confidence))
            .then(other.order.cmp(&self.order))
    }
}

/// Keeps the best of overlapping candidates and appends them, sorted by start.
pub fn settle(mut all: Vec<Candidate>, out: &mut Vec<Found>) {
    all.sort_by(|a, b| b.beats(a).then(a.start.cmp(&b.start)));
    let mut kept: BTreeMap<usize, Candidate> = BTreeMap::new();
    for candidate in all {
        let free = kept.range(..candidate.end).next_back().is_none_or(|(_, k)| k.end <= candidate.start);
        if free {
            kept.insert(candidate.start, candidate);
        }
    }
    out.extend(kept.into_values().map(|c| Found {
        start: c.start,
        end: c.end,
        label: c.label,
        subtype: c.subtype,
        rule: c.rule,
        check: c.check,
        context: c.spoken.map(|s| s.range),
        confidence: c.confidence,
    }));
}
