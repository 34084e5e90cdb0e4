//! `eval[q4_0]`, `eval[int8]`: the logits of ten varied texts against a baseline that the scalar definitions made,
//! and how long a pass over them takes, phase by phase.

mod texts;

use std::time::Instant;

use lacuna::Redactor;
use model::{Phases, Scheme, Workspace};

use self::texts::{LEAST_TOKENS, TEXTS, WINDOW};
use crate::encoder::{Encoders, Files, Root, defined, ids, logits, read};
use crate::part::{Part, bits};

/// Passes over all texts that are timed.
const RUNS: usize = 50;

/// The token ids of all texts.
pub fn all_ids() -> Result<Vec<(Vec<u32>, bool)>, String> {
    let redactor = Redactor::embedded().map_err(|why| why.to_string())?;
    Ok(TEXTS.iter().map(|text| (ids(&redactor, text.text), text.attended)).collect())
}

pub fn files(root: &Root) -> Result<Files, String> {
    Files::read(root, WINDOW)
}

/// Compares the logits of all texts with the baseline; `timed` adds the times.
pub fn check(root: &Root, scheme: Scheme, timed: bool) -> Result<Part, String> {
    let files = files(root)?;
    let encoders = files.encoders(scheme)?;
    let ids = all_ids()?;
    let tokens: usize = ids.iter().map(|(ids, _)| ids.len()).sum();
    let labels = encoders.labels();
    let path = root.baseline(&file_name(scheme));
    let want = floats(&read(&path)?)?;
    let mut part = Part::new();
    if tokens < LEAST_TOKENS || want.len() != tokens * labels {
        return Err(format!(
            "{}: {} logits for {tokens} tokens of {labels} labels, of which there must be {LEAST_TOKENS}",
            path.display(),
            want.len()
        ));
    }
    let mut got = Vec::with_capacity(want.len());
    for (ids, attended) in &ids {
        got.extend(logits(encoders.of(*attended), ids)?);
    }
    let mut agreement = Agreement::default();
    agreement.add(&mut part, scheme.name(), &got, &want, labels);
    part.line = Some(agreement.line());
    part.count("texts", ids.len() as u64);
    part.count("tokens", tokens as u64);
    if timed {
        part.notes.push(times(&encoders, &ids, tokens)?);
    }
    Ok(part)
}

/// Best columns, and how far logits are apart.
#[derive(Debug, Default)]
pub struct Agreement {
    rows: usize,
    agree: usize,
    values: usize,
    largest: f64,
    total: f64,
}

impl Agreement {
    /// Compares rows of `columns` logits; `what` names them where they differ.
    pub fn add(&mut self, part: &mut Part, what: &str, got: &[f32], want: &[f32], columns: usize) {
        for (row, (got, want)) in got.chunks_exact(columns).zip(want.chunks_exact(columns)).enumerate() {
            self.rows += 1;
            self.agree += usize::from(best(got) == best(want));
            self.values += columns;
            for (column, (got, want)) in got.iter().zip(want).enumerate() {
                if bits(*got) == bits(*want) {
                    continue;
                }
                let distance = (f64::from(*got) - f64::from(*want)).abs();
                // A distance to a NaN is no number, and as bad as can be.
                let distance = if distance.is_nan() { f64::INFINITY } else { distance };
                self.largest = self.largest.max(distance);
                self.total += distance;
                part.differs(|| format!("{what}, token {row}, column {column}: {got:e}, not {want:e}"));
            }
        }
    }

    /// The middle of the proof line.
    pub fn line(&self) -> String {
        let Agreement { rows, agree, values, largest, total } = self;
        let (share, mean) = (100.0 * *agree as f64 / *rows as f64, total / *values as f64);
        format!(
            "label agreement {agree}/{rows} ({share:.2}%), max |dlogit| {largest:.2e}, mean |dlogit| {mean:.2e}"
        )
    }
}

/// The column of the largest logit; the lowest one of equals.
fn best(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, column| if row[column] > row[best] { column } else { best })
}

fn times(encoders: &Encoders<'_>, ids: &[(Vec<u32>, bool)], tokens: usize) -> Result<String, String> {
    let begin = Instant::now();
    let clock = || begin.elapsed().as_secs_f64() * 1e3;
    let mut workspace = Workspace::new();
    let mut runs: [Vec<f64>; 4] = Default::default();
    for _ in 0..RUNS {
        let mut sum = Phases::default();
        let start = clock();
        for (ids, attended) in ids {
            let (_, phases) = encoders
                .of(*attended)
                .forward_timed(ids, &mut workspace, &clock)
                .map_err(|why| why.to_string())?;
            sum.matmul += phases.matmul;
            sum.attention += phases.attention;
            sum.other += phases.other;
        }
        let total = clock() - start;
        for (runs, value) in runs.iter_mut().zip([sum.matmul, sum.attention, sum.other, total]) {
            runs.push(value);
        }
    }
    let mut line = format!("{tokens} tokens, {RUNS} runs, ms median (min):");
    for (name, runs) in ["matmul", "attention", "other", "total"].iter().zip(&mut runs) {
        runs.sort_by(f64::total_cmp);
        line += &format!(" {name} {:.2} ({:.2})", runs[RUNS / 2], runs[0]);
    }
    Ok(line)
}

/// The baseline as the scalar definitions make it: f32 in little-endian bytes, NaN as one value.
pub fn bless(root: &Root, scheme: Scheme) -> Result<(String, Vec<u8>), String> {
    let files = files(root)?;
    let encoders = files.encoders(scheme)?;
    let mut bytes = Vec::new();
    for (ids, attended) in all_ids()? {
        let logits = defined(|| logits(encoders.of(attended), &ids))?;
        bytes.extend(logits.iter().flat_map(|logit| bits(*logit).to_le_bytes()));
    }
    Ok((file_name(scheme), bytes))
}

fn file_name(scheme: Scheme) -> String {
    format!("eval-{}.f32", scheme.name())
}

pub fn floats(bytes: &[u8]) -> Result<Vec<f32>, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(format!("a baseline of {} bytes is not whole f32", bytes.len()));
    }
    Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(got: &[f32], want: &[f32]) -> (String, bool) {
        let mut part = Part::new();
        let mut agreement = Agreement::default();
        agreement.add(&mut part, "text", got, want, 2);
        (agreement.line(), part.has_differences())
    }

    #[test]
    fn the_same_bits_agree() {
        let values = [1.0, 2.0, f32::NAN, 0.0];
        let same = "label agreement 2/2 (100.00%), max |dlogit| 0.00e0, mean |dlogit| 0.00e0";
        assert_eq!(line(&values, &values), (same.into(), false));
    }

    #[test]
    fn one_bit_is_a_difference() {
        assert!(line(&[1.0, 2.0], &[1.0, 2.0f32.next_up()]).1);
        assert!(line(&[0.0, 2.0], &[-0.0, 2.0]).1, "zeros have signs");
        assert!(line(&[f32::NAN, 2.0], &[1.0, 2.0]).0.contains("max |dlogit| inf"));
        let (line, _) = line(&[1.0, 2.0], &[3.0, 2.0]);
        assert_eq!(line, "label agreement 0/1 (0.00%), max |dlogit| 2.00e0, mean |dlogit| 1.00e0");
    }
}
