//! From logits to a token. Every step is defined to the bit: libm's functions, sums in a fixed order, ties to the
//! lowest id.

use super::Options;

/// SplitMix64: the same numbers from the same seed, everywhere.
///
/// **Source**: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators".
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers that start from `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// The next number in `0..1`, a multiple of 2^-24.
    pub fn next_f32(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1 << 24) as f32
    }
}

/// Chooses tokens.
#[derive(Clone, Debug)]
pub struct Sampler {
    random: Random,
    adjusted: Vec<f32>,
    candidates: Vec<(u32, f32)>,
}

impl Sampler {
    /// A sampler whose random numbers start from `seed`.
    pub fn new(seed: u64) -> Sampler {
        Sampler { random: Random::new(seed), adjusted: Vec::new(), candidates: Vec::new() }
    }

    /// Chooses the next token after `history`.
    ///
    /// In this order: penalties, bias; at temperature 0 the largest logit; else top-k, top-p and min-p on the
    /// probabilities before temperature, then one draw from those left, at the temperature. One random number a
    /// token is used at temperatures above 0. A NaN is never chosen unless all logits are NaN: then token 0.
    pub fn choose(&mut self, logits: &[f32], history: &[u32], options: &Options) -> u32 {
        self.adjusted.clear();
        self.adjusted.extend_from_slice(logits);
        penalize(&mut self.adjusted, history, options);
        for (id, bias) in &options.logit_bias {
            self.adjusted[*id as usize] += bias;
        }
        if options.temperature == 0.0 {
            return largest(&self.adjusted);
        }
        self.candidates.clear();
        let finite = self.adjusted.iter().zip(0..).filter(|(logit, _)| **logit > f32::NEG_INFINITY);
        self.candidates.extend(finite.map(|(logit, id)| (id, *logit)));
        let draw = self.random.next_f32();
        keep_top_k(&mut self.candidates, options.top_k);
        let Some(&(first, most)) = self.candidates.first() else { return largest(&self.adjusted) };
        let mut left = self.candidates.len();
        if options.top_p < 1.0 {
            left = top_p(&self.candidates, options.top_p);
        }
        if options.min_p > 0.0 {
            let likely = |logit: f32| libm::expf(logit - most) >= options.min_p;
            left =
                self.candidates[..left].iter().position(|(_, logit)| !likely(*logit)).unwrap_or(left).max(1);
        }
        let weight = |logit: f32| libm::expf((logit - most) / options.temperature);
        let left = &self.candidates[..left];
        let total: f32 = left.iter().map(|(_, logit)| weight(*logit)).sum();
        let target = draw * total;
        let mut sum = 0.0;
        let found = left.iter().find(|(_, logit)| {
            sum += weight(*logit);
            sum > target
        });
        found.or(left.last()).map_or(first, |(id, _)| *id)
    }
}

fn penalize(logits: &mut [f32], history: &[u32], options: &Options) {
    let plain = options.repetition_penalty == 1.0
        && options.presence_penalty == 0.0
        && options.frequency_penalty == 0.0;
    if plain {
        return;
    }
    let mut recent = history[history.len().saturating_sub(options.penalty_window)..].to_vec();
    recent.sort_unstable();
    for same in recent.chunk_by(|a, b| a == b) {
        let Some(logit) = logits.get_mut(same[0] as usize) else { continue };
        *logit = match *logit > 0.0 {
            true => *logit / options.repetition_penalty,
            false => *logit * options.repetition_penalty,
        };
        *logit -= options.presence_penalty + options.frequency_penalty * same.len() as f32;
    }
}

/// The id of the largest value, the lowest of equals.
pub(super) fn largest(logits: &[f32]) -> u32 {
    let mut best = None;
    for (id, logit) in logits.iter().enumerate().filter(|(_, logit)| !logit.is_nan()) {
        if best.is_none_or(|(_, most)| *logit > most) {
            best = Some((id, *logit));
        }
    }
    best.map_or(0, |(id, _)| id as u32)
}

/// Sorts by logit, then id, and keeps the first `k`; all for 0.
fn keep_top_k(candidates: &mut Vec<(u32, f32)>, k: usize) {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if k > 0 && k < candidates.len() {
        candidates.select_nth_unstable_by(k - 1, order);
        candidates.truncate(k);
    }
    candidates.sort_unstable_by(order);
}

/// How many of the sorted candidates reach the share `p` of all.
fn top_p(candidates: &[(u32, f32)], p: f32) -> usize {
    let most = candidates[0].1;
    let weight = |logit: f32| libm::expf(logit - most);
    let total: f32 = candidates.iter().map(|(_, logit)| weight(*logit)).sum();
    let mut sum = 0.0;
    let enough = candidates.iter().position(|(_, logit)| {
        sum += weight(*logit);
        sum >= p * total
    });
    enough.map_or(candidates.len(), |at| at + 1)
}

/// The logarithm of `Σ exp(logit)`, ids ascending.
pub(super) fn log_sum_exp(logits: &[f32]) -> f32 {
    let most = logits[largest(logits) as usize];
    let sum: f32 = logits.iter().map(|logit| libm::expf(logit - most)).sum();
    most + libm::logf(sum)
}
