//! Dots of 4,096, Q4_0 times Q8_0: eight rows of weights, one row of activations, again and again.

use std::hint::black_box;

use kernels::variant::{Variant, runnable};
use kernels::{BlockQ4_0, BlockQ8_0, dot_q4_0, dots_q4_0, f16};

const COLUMNS: usize = 4096;
const ROWS: usize = 8;

/// One variant and its data.
pub struct Dot {
    run: Run,
    weights: Vec<BlockQ4_0>,
    activations: Vec<BlockQ8_0>,
}

enum Run {
    /// A dot a call.
    One(dot_q4_0::DotQ4_0),
    /// All rows a call.
    Rows(dots_q4_0::DotsQ4_0),
}

impl Dot {
    /// `best`, or the name of a variant; `one:` before it takes the single dot.
    ///
    /// # Errors
    /// This machine runs no such variant; the message lists those it runs.
    pub fn new(name: &str) -> Result<Dot, String> {
        let run = match name.strip_prefix("one:") {
            Some(name) => Run::One(find(dot_q4_0::VARIANTS, name)?.run),
            None => Run::Rows(find(dots_q4_0::VARIANTS, name)?.run),
        };
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as u32
        };
        let scale = |from: u32| f16::encode(0.01 + (from % 1000) as f32 * 1e-5).to_le_bytes();
        let weights = (0..ROWS * COLUMNS / 32)
            .map(|_| BlockQ4_0 { d: scale(next()), qs: std::array::from_fn(|_| next() as u8) })
            .collect();
        let activations = (0..COLUMNS / 32)
            .map(|_| BlockQ8_0 {
                d: scale(next()),
                qs: std::array::from_fn(|_| ((next() % 255) as i32 - 127) as i8),
            })
            .collect();
        Ok(Dot { run, weights, activations })
    }

    /// At least `count` dots, in whole rounds of eight; returns their sum.
    pub fn run(&self, count: usize) -> f32 {
        let mut out = [0.0; ROWS];
        let mut total = 0.0;
        for _ in 0..count.div_ceil(ROWS) {
            let (weights, x) = (black_box(&self.weights[..]), black_box(&self.activations[..]));
            match self.run {
                Run::One(run) => {
                    for (out, row) in out.iter_mut().zip(weights.chunks_exact(x.len())) {
                        *out = run(row, x);
                    }
                }
                Run::Rows(run) => run(&mut out, weights, x),
            }
            total += out.iter().sum::<f32>();
        }
        total
    }
}

fn find<F>(variants: &'static [Variant<F>], name: &str) -> Result<&'static Variant<F>, String> {
    let found = runnable(variants).find(|variant| name == "best" || variant.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = runnable(variants).map(|variant| variant.name).collect();
        format!("no variant {name:?} here; there are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_by_one_and_by_rows_are_the_same_dots() {
        let scalar = Dot::new("scalar").unwrap().run(8);
        for name in ["best", "one:best", "one:scalar"] {
            assert_eq!(Dot::new(name).unwrap().run(8).to_bits(), scalar.to_bits(), "{name}");
        }
        assert!(scalar.is_finite() && scalar != 0.0);
        let thrice = Dot::new("best").unwrap().run(17);
        assert_eq!(thrice, scalar + scalar + scalar, "whole rounds of eight");
    }

    #[test]
    fn unknown_variants_are_named_errors() {
        assert!(Dot::new("mmx").err().unwrap().contains("scalar"));
    }
}
