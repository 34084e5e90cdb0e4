//! What `lacuna-verify` printed about a part, and how parts become a proof line.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::builds::Build;
use super::proofs::{Merge, Proof};

/// One line of JSON of `lacuna-verify`, or the sum of several.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Part {
    pub counts: BTreeMap<String, u64>,
    pub differ: u64,
    pub hashes: BTreeMap<String, String>,
    pub variants: BTreeMap<String, Vec<String>>,
    pub worst: BTreeMap<String, (f64, String)>,
    pub line: Option<String>,
    pub notes: Vec<String>,
}

/// The parts of a proof in one build, in order.
pub type Parts = Vec<Part>;

/// A proof line with what goes below it.
#[derive(Debug, PartialEq)]
pub struct Verdict {
    pub line: String,
    pub notes: Vec<String>,
    /// What is wrong, in words; nothing means that the proof holds.
    pub wrong: Vec<String>,
}

/// Adds up all parts of all builds.
pub fn judge(proof: &Proof, results: &[(Build, Parts)]) -> Verdict {
    let mut wrong = Vec::new();
    let sums: Vec<(Build, Part)> = results.iter().map(|(build, parts)| (*build, sum(parts))).collect();
    let mut differ: u64 = sums.iter().map(|(_, sum)| sum.differ).sum();
    let reference_only = proof.merge == Merge::Sum && results.len() > 1 && proof.program == "variants";
    if reference_only {
        differ -= sums[0].1.differ;
    }
    let (same, other) = digests(results, &mut wrong);
    differ += other;
    let counted = &sums[usize::from(reference_only)..];
    let count = |name: &str| -> u64 {
        let of = |sum: &Part| sum.counts.get(name).copied().unwrap_or(0);
        match proof.merge {
            Merge::Same => counted.first().map_or(0, |(_, sum)| of(sum)),
            Merge::Sum => {
                counted.iter().map(|(_, sum)| of(sum)).sum::<u64>() + if reference_only { same } else { 0 }
            }
        }
    };
    for (build, sum) in counted {
        for name in proof.counts {
            let got = sum.counts.get(*name).copied().unwrap_or(0);
            if got == 0 && proof.merge == Merge::Same {
                wrong.push(format!("{} compared no {name}", build.name()));
            }
        }
        if proof.merge == Merge::Same && proof.counts[0] != "by definition" {
            let (first, got) =
                (count(proof.counts[0]), sum.counts.get(proof.counts[0]).copied().unwrap_or(0));
            if got != first {
                wrong.push(format!(
                    "{} compared {got} {}, another build {first}",
                    build.name(),
                    proof.counts[0]
                ));
            }
        }
        if let Some((_, variant)) = proof.variants.iter().find(|(needed, _)| needed == build)
            && !sum.variants.values().flatten().any(|name| name == variant)
        {
            wrong.push(format!("{} holds no variant {variant}", build.name()));
        }
    }
    if proof.counts.iter().any(|name| count(name) == 0) {
        wrong.push("zero comparisons".into());
    }
    let line = match worst_line(counted) {
        Some(line) => format!("{}: {line}", proof.name),
        None => {
            let counts: Vec<String> = proof
                .counts
                .iter()
                .filter(|name| **name != "by definition")
                .map(|name| format!("{} {name}", count(name)))
                .collect();
            format!("{}: {}, {differ} differ", proof.name, counts.join(", "))
        }
    };
    if differ > 0 {
        wrong.push(format!("{differ} differ"));
    }
    Verdict { line, notes: notes(counted), wrong }
}

/// Digests of definitions against those of the first build: how many agree, how many differ.
fn digests(results: &[(Build, Parts)], wrong: &mut Vec<String>) -> (u64, u64) {
    let (mut same, mut other) = (0, 0);
    let Some(((first, want), rest)) = results.split_first() else { return (0, 0) };
    for (build, got) in rest {
        for (index, (got, want)) in got.iter().zip(want).enumerate() {
            for (name, want) in &want.hashes {
                if got.hashes.get(name) == Some(want) {
                    same += 1;
                } else {
                    other += 1;
                    let (build, first) = (build.name(), first.name());
                    wrong.push(format!(
                        "{name}, part {index}: the definition in {build} is not that of {first}"
                    ));
                }
            }
        }
    }
    (same, other)
}

fn sum(parts: &Parts) -> Part {
    let mut sum = Part::default();
    for part in parts {
        for (name, count) in &part.counts {
            *sum.counts.entry(name.clone()).or_default() += count;
        }
        sum.differ += part.differ;
        for (kernel, variants) in &part.variants {
            let known: &mut Vec<String> = sum.variants.entry(kernel.clone()).or_default();
            known.extend(variants.iter().filter(|name| !known.contains(name)).cloned().collect::<Vec<_>>());
        }
        for (name, error) in &part.worst {
            let worst = sum.worst.entry(name.clone()).or_insert_with(|| error.clone());
            if error.0 > worst.0 {
                *worst = error.clone();
            }
        }
        sum.line = sum.line.or(part.line.clone());
        sum.notes.extend(part.notes.iter().cloned());
    }
    sum
}

/// The line of the build that differs most, where a program finished it itself.
fn worst_line(sums: &[(Build, Part)]) -> Option<String> {
    sums.iter().max_by_key(|(_, sum)| sum.differ).and_then(|(_, sum)| sum.line.clone())
}

fn notes(sums: &[(Build, Part)]) -> Vec<String> {
    let mut notes = Vec::new();
    for (build, sum) in sums {
        let names: BTreeSet<&str> = sum.variants.values().flatten().map(String::as_str).collect();
        let mut note = build.name().to_string();
        if !names.is_empty() {
            note += &format!(": {}", names.into_iter().collect::<Vec<_>>().join(", "));
        }
        if let Some(texts) = sum.counts.get("by definition") {
            note += &format!(": {texts} of them by definition, too");
        }
        for (unit, (error, at)) in &sum.worst {
            note += &format!("; the definition is at most {error:.3e} {unit} from f64, at {at}");
        }
        for own in &sum.notes {
            note += &format!(": {own}");
        }
        notes.push(note);
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::proofs::PROOFS;

    fn proof(name: &str) -> &'static Proof {
        PROOFS.iter().find(|proof| proof.name == name).expect("a proof")
    }

    fn part(counts: &[(&str, u64)], differ: u64, hash: &str) -> Part {
        Part {
            counts: counts.iter().map(|(name, count)| (name.to_string(), *count)).collect(),
            differ,
            hashes: [("definition".to_string(), hash.to_string())].into(),
            variants: [("gelu".to_string(), vec!["simd128".to_string(), "relaxed".to_string()])].into(),
            ..Part::default()
        }
    }

    #[test]
    fn parts_add_up_and_builds_agree() {
        let parts = vec![part(&[("inputs", 5)], 0, "a"), part(&[("inputs", 6)], 0, "b")];
        let results =
            [(Build::Native, parts.clone()), (Build::Plain, parts.clone()), (Build::Relaxed, parts)];
        let verdict = judge(proof("geluchk"), &results);
        assert_eq!(verdict.line, "geluchk: 11 inputs, 0 differ");
        assert!(verdict.wrong.is_empty(), "{:?}", verdict.wrong);
    }

    #[test]
    fn another_definition_is_a_difference() {
        let results = [
            (Build::Native, vec![part(&[("inputs", 5)], 0, "a")]),
            (Build::Plain, vec![part(&[("inputs", 5)], 0, "b")]),
        ];
        let verdict = judge(proof("geluchk"), &results);
        assert_eq!(verdict.line, "geluchk: 5 inputs, 1 differ");
        assert!(!verdict.wrong.is_empty());
    }

    #[test]
    fn zero_or_fewer_comparisons_are_failures() {
        let all = [(Build::Native, vec![part(&[("inputs", 0)], 0, "a")])];
        assert!(!judge(proof("geluchk"), &all).wrong.is_empty());
        let fewer = [
            (Build::Native, vec![part(&[("inputs", 5)], 0, "a")]),
            (Build::Plain, vec![part(&[("inputs", 4)], 0, "a")]),
        ];
        assert!(!judge(proof("geluchk"), &fewer).wrong.is_empty());
        let none = [(Build::Native, vec![])];
        assert!(!judge(proof("variants[native]"), &none).wrong.is_empty());
    }

    #[test]
    fn variants_count_digests_and_need_their_vectors() {
        let native = (Build::Native, vec![part(&[("comparisons", 100)], 0, "a")]);
        let plain = (Build::Plain, vec![part(&[("comparisons", 7)], 0, "a")]);
        let verdict = judge(proof("variants[wasmtime]"), &[native.clone(), plain.clone()]);
        assert_eq!(verdict.line, "variants[wasmtime]: 8 comparisons, 0 differ");
        assert!(verdict.wrong.is_empty());
        let mut without = plain.clone();
        without.1[0].variants.clear();
        assert!(!judge(proof("variants[wasmtime]"), &[native.clone(), without]).wrong.is_empty());
        assert_eq!(
            judge(proof("variants[native]"), &[native]).line,
            "variants[native]: 100 comparisons, 0 differ"
        );
    }

    #[test]
    fn the_worst_build_tells_the_line() {
        let line = |line: &str, differ| Part {
            line: Some(line.into()),
            ..part(&[("texts", 10), ("tokens", 400)], differ, "a")
        };
        let results = [(Build::Native, vec![line("fine", 0)]), (Build::Plain, vec![line("bad", 2)])];
        let verdict = judge(proof("eval[q4_0]"), &results);
        assert_eq!(verdict.line, "eval[q4_0]: bad");
        assert_eq!(verdict.wrong, ["2 differ"]);
    }
}
