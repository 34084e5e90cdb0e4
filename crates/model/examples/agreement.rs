//! A decoder beside llama.cpp's answers: `agreement FILE FIXTURE`, e.g. SmolLM2 in Q4_0 and
//! `testdata/decoder/smollm2-q4_0.json`. Ends with status 1 when a figure is out of bounds.
//!
//! The bounds are what llama.cpp keeps beside itself: SmolLM2 in Q8_0 with a cache of f32 in place of f16 agrees with
//! its own top choice at 95.7 % of the passage, with a KL divergence of 1.7e-3 and a perplexity 0.85 % lower
//! (llama-cpp-python 0.3.36, AVX2). Activations of eight bits turn any rounding into differences of that size.

use lacuna_model::decoder::{Decoder, Run, Workspace};
use serde_json::Value;
use weights::Gguf;

/// Where llama.cpp's two best logits are farther apart than this, its choice must be ours.
const GAP: f64 = 0.5;
/// The least share of positions with the same best token.
const AGREEMENT: f64 = 0.94;
/// The largest KL divergence.
const KL: f64 = 2.5e-3;
/// How far perplexities may be apart, as a share.
const PERPLEXITY: f64 = 0.01;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, fixture] = &arguments[..] else { return Err("usage: agreement FILE FIXTURE".into()) };
    let bytes = std::fs::read(file)?;
    let decoder = Decoder::from_gguf(&Gguf::parse(&bytes)?)?;
    let fixture: Value = serde_json::from_slice(&std::fs::read(fixture)?)?;
    let good = greedy(&decoder, &fixture)? & passage(&decoder, &fixture)?;
    std::process::exit(i32::from(!good));
}

fn ids(value: &Value) -> Vec<u32> {
    value.as_array().into_iter().flatten().filter_map(|id| id.as_u64()).map(|id| id as u32).collect()
}

/// The id of the largest logit, the lowest of equals.
fn largest(logits: &[f32]) -> u32 {
    let better = |best: usize, id: usize| if logits[id] > logits[best] { id } else { best };
    (1..logits.len()).fold(0, better) as u32
}

/// Greedy texts: how many are the same throughout, and how close llama.cpp's choice was where others part.
fn greedy(decoder: &Decoder<'_>, fixture: &Value) -> Result<bool, Box<dyn std::error::Error>> {
    let prompts = fixture["prompts"].as_array().ok_or("no prompts")?;
    let (mut equal, mut widest, mut lengths) = (0, 0.0f64, Vec::new());
    for prompt in prompts {
        let want = ids(&prompt["greedy"]);
        let (mut cache, mut workspace) = (decoder.cache(), Workspace::new());
        let mut next = ids(&prompt["ids"]);
        let mut same = 0;
        for want in &want {
            let run = Run { cache: &mut cache, ids: &next, every: false };
            let got = largest(decoder.forward(&mut [run], &mut workspace)?);
            if got != *want {
                break;
            }
            same += 1;
            next = vec![got];
        }
        lengths.push(same);
        if same == want.len() {
            equal += 1;
        } else {
            widest = widest.max(prompt["gaps"][same].as_f64().ok_or("no gap")?);
        }
    }
    lengths.sort_unstable();
    println!(
        "greedy: {equal} of {} texts equal throughout, median {} tokens; widest gap of llama.cpp at a first divergence {widest:.4}",
        prompts.len(),
        lengths[lengths.len() / 2]
    );
    Ok(widest < GAP)
}

/// A passage, read once: top-1 agreement, KL divergence over llama.cpp's eight best, perplexity.
fn passage(decoder: &Decoder<'_>, fixture: &Value) -> Result<bool, Box<dyn std::error::Error>> {
    let passage = ids(&fixture["passage"]);
    let (mut cache, mut workspace) = (decoder.cache(), Workspace::new());
    let run = Run { cache: &mut cache, ids: &passage, every: true };
    let vocabulary = decoder.config().vocabulary;
    let logits = decoder.forward(&mut [run], &mut workspace)?;
    let (mut same, mut kl, mut loss, mut far, mut most) = (0, 0.0, 0.0, 0, 0.0f64);
    let best = fixture["best"].as_array().ok_or("no best")?;
    for (position, row) in logits.chunks_exact(vocabulary).enumerate() {
        let top = largest(row);
        let total: f64 = row.iter().map(|logit| libm::exp(f64::from(logit - row[top as usize]))).sum();
        let logprob = |id: usize| f64::from(row[id] - row[top as usize]) - libm::log(total);
        let pairs: Vec<(usize, f64)> = best[position]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|pair| Some((pair[0].as_u64()? as usize, pair[1].as_f64()?)))
            .collect();
        same += usize::from(pairs[0].0 == top as usize);
        far += usize::from(pairs[0].0 != top as usize && pairs[0].1 - pairs[1].1 > GAP);
        kl += pairs.iter().map(|(id, theirs)| libm::exp(*theirs) * (theirs - logprob(*id))).sum::<f64>();
        most = pairs.iter().map(|(id, theirs)| (theirs - logprob(*id)).abs()).fold(most, f64::max);
        if let Some(next) = passage.get(position + 1) {
            loss -= logprob(*next as usize);
        }
    }
    let count = passage.len();
    let perplexity = libm::exp(loss / (count - 1) as f64);
    let theirs = fixture["perplexity"].as_f64().ok_or("no perplexity")?;
    let (agreement, off) = (same as f64 / count as f64, perplexity / theirs - 1.0);
    println!(
        "passage: {count} positions, top-1 agreement {:.2} %, {far} differ where the gap is over {GAP}, KL {:.2e}, largest |dlogprob| of the best eight {most:.3}, perplexity {perplexity:.4} ({:+.3} %)",
        100.0 * agreement,
        kl / count as f64,
        100.0 * off
    );
    Ok(agreement >= AGREEMENT && off.abs() <= PERPLEXITY && kl / count as f64 <= KL)
}
