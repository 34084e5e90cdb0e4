//! A candidate before the rules settle among themselves.

use crate::Found;
use crate::context::Spoken;
use crate::work;
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

    /// Smaller wins among candidates for the same characters: evidence at all, the nearer word, the better evidence.
    fn rank_in_place(&self) -> (bool, usize, core::cmp::Reverse<u8>, core::cmp::Reverse<u32>, usize) {
        // A strong value without a word counts like one with a word not far away.
        let distance = match self.spoken {
            Some(spoken) => spoken.distance,
            None if self.confidence >= 0.9 => 30,
            None => usize::MAX,
        };
        (self.confidence < 0.5, distance, core::cmp::Reverse(self.tier()), self.confidence_rank(), self.order)
    }

    /// Smaller wins among candidates that overlap otherwise: evidence, length, confidence, the order of the rules.
    fn rank(
        &self,
    ) -> (core::cmp::Reverse<u8>, core::cmp::Reverse<usize>, core::cmp::Reverse<u32>, usize, usize) {
        let length = core::cmp::Reverse(self.end - self.start);
        (core::cmp::Reverse(self.tier()), length, self.confidence_rank(), self.order, self.start)
    }

    fn found(&self) -> Found {
        Found {
            start: self.start,
            end: self.end,
            label: self.label,
            subtype: self.subtype,
            rule: self.rule,
            check: self.check,
            context: self.spoken.map(|s| s.range),
            confidence: self.confidence,
        }
    }

    fn confidence_rank(&self) -> core::cmp::Reverse<u32> {
        core::cmp::Reverse((self.confidence * 1000.0) as u32)
    }
}

/// Keeps the best of overlapping candidates and appends them, sorted by start.
pub fn settle(mut all: Vec<Candidate>, out: &mut Vec<Found>) {
    all.sort_by_key(|c| (c.start, c.end, c.rank_in_place()));
    all.dedup_by_key(|c| (c.start, c.end));
    let mut rest = &mut all[..];
    while !rest.is_empty() {
        // Candidates that overlap, one after the other; most stand alone.
        let mut end = rest[0].end;
        let mut n = 1;
        while rest.get(n).is_some_and(|c| c.start < end) {
            end = end.max(rest[n].end);
            n += 1;
        }
        let (cluster, behind) = rest.split_at_mut(n);
        settle_cluster(cluster, out);
        rest = behind;
    }
}

fn settle_cluster(cluster: &mut [Candidate], out: &mut Vec<Found>) {
    if let [only] = cluster {
        return out.push(only.found());
    }
    work::add(cluster.len());
    cluster.sort_by_key(|c| c.rank());
    let mut kept: BTreeMap<usize, &Candidate> = BTreeMap::new();
    for candidate in cluster.iter() {
        let free = kept.range(..candidate.end).next_back().is_none_or(|(_, k)| k.end <= candidate.start);
        if free {
            kept.insert(candidate.start, candidate);
        }
    }
    out.extend(kept.into_values().map(Candidate::found));
}
