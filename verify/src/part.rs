//! What a part of a proof found, as one line of JSON for `cargo xtask verify`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Differences that are told in words; the others are only counted.
const TOLD: u64 = 8;

/// One part of one proof in one build.
#[derive(Debug, Default)]
pub struct Part {
    /// What was compared: `inputs`, `rows`, `texts`, `tokens`, `comparisons`.
    counts: Vec<(&'static str, u64)>,
    differ: u64,
    /// Digests of what the definitions returned, equal in every build.
    hashes: BTreeMap<String, Hash>,
    /// What was compared with the definition: kernel, variants.
    variants: BTreeMap<String, Vec<&'static str>>,
    /// The largest errors against f64: what, how large, where.
    worst: BTreeMap<&'static str, (f64, String)>,
    /// The finished middle of the proof line, where it is not a count.
    pub line: Option<String>,
    /// Lines that go with the proof line.
    pub notes: Vec<String>,
}

impl Part {
    pub fn new() -> Part {
        Part::default()
    }

    pub fn count(&mut self, what: &'static str, more: u64) {
        match self.counts.iter_mut().find(|(name, _)| *name == what) {
            Some((_, count)) => *count += more,
            None => self.counts.push((what, more)),
        }
    }

    /// Counts a difference and tells it on standard error.
    pub fn differs(&mut self, words: impl FnOnce() -> String) {
        self.differ += 1;
        if self.differ <= TOLD {
            eprintln!("  {}", words());
        }
    }

    pub fn hash(&mut self, name: &str) -> &mut Hash {
        // Asked for in inner loops: no name is made for what is known.
        if !self.hashes.contains_key(name) {
            self.hashes.insert(name.into(), Hash::default());
        }
        self.hashes.get_mut(name).expect("it was inserted")
    }

    /// Notes that `variant` of `kernel` was compared.
    pub fn compared(&mut self, kernel: &str, variant: &'static str) {
        match self.variants.get_mut(kernel) {
            Some(variants) if variants.contains(&variant) => {}
            Some(variants) => variants.push(variant),
            None => drop(self.variants.insert(kernel.into(), vec![variant])),
        }
    }

    /// Keeps the larger error.
    pub fn worst(&mut self, what: &'static str, error: f64, at: impl FnOnce() -> String) {
        let known = self.worst.get(what).map_or(f64::NEG_INFINITY, |(error, _)| *error);
        if error > known {
            self.worst.insert(what, (error, at()));
        }
    }

    pub fn has_differences(&self) -> bool {
        self.differ > 0
    }

    pub fn to_json(&self, name: &str) -> Value {
        let counts: BTreeMap<_, _> = self.counts.iter().copied().collect();
        let hashes: BTreeMap<_, _> = self.hashes.iter().map(|(name, hash)| (name, hash.hex())).collect();
        json!({
            "proof": name, "counts": counts, "differ": self.differ, "hashes": hashes,
            "variants": self.variants, "worst": self.worst, "line": self.line, "notes": self.notes,
        })
    }
}

/// FNV-1a over 32-bit words.
#[derive(Debug)]
pub struct Hash(u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    #[inline]
    pub fn word(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x100_0000_01b3);
    }

    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The bits of a value, NaNs as one.
#[inline]
pub fn bits(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}
