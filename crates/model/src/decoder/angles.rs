//! Cosines and sines of rotary embedding, made once for each position.

use super::config::{Rope, Scaling};

/// A table `[position][dimensions / 2]`, grown on demand.
#[derive(Clone, Debug)]
pub struct Angles {
    frequencies: Vec<f32>,
    magnitude: f32,
    cos: Vec<f32>,
    sin: Vec<f32>,
}

impl Angles {
    /// For layers that see everything, or for windowed ones.
    pub fn new(rope: &Rope, factors: Option<&[f32]>, windowed: bool) -> Angles {
        let (base, scaling) = match windowed {
            true => (rope.window_base, Scaling::None),
            false => (rope.base, rope.scaling),
        };
        let factors = factors.filter(|_| !windowed);
        let half = rope.dimensions / 2;
        let frequencies = (0..half)
            .map(|i| {
                let exponent = -((2 * i) as f32) / rope.dimensions as f32;
                let frequency = libm::powf(base, exponent) / factors.map_or(1.0, |factors| factors[i]);
                match scaling {
                    Scaling::None => frequency,
                    Scaling::Linear { factor } => frequency / factor,
                    Scaling::Yarn { factor, original, .. } => {
                        let keep = kept(i, rope.dimensions, original, base);
                        frequency / factor * (1.0 - keep) + frequency * keep
                    }
                }
            })
            .collect();
        let magnitude = match scaling {
            Scaling::Yarn { factor, attention, .. } if factor > 1.0 => {
                (1.0 + 0.1 * libm::logf(factor)) * attention
            }
            Scaling::Yarn { attention, .. } => attention,
            _ => 1.0,
        };
        Angles { frequencies, magnitude, cos: Vec::new(), sin: Vec::new() }
    }

    /// Makes the rows of all positions below `positions`.
    pub fn grow(&mut self, positions: usize) {
        let half = self.frequencies.len();
        for position in self.cos.len() / half.max(1)..positions {
            for frequency in &self.frequencies {
                let angle = position as f32 * frequency;
                self.cos.push(libm::cosf(angle) * self.magnitude);
                self.sin.push(libm::sinf(angle) * self.magnitude);
            }
        }
    }

    /// The cosines and sines of a position that was made.
    pub fn at(&self, position: usize) -> (&[f32], &[f32]) {
        let half = self.frequencies.len();
        (&self.cos[position * half..][..half], &self.sin[position * half..][..half])
    }
}

/// How much of frequency `i` YaRN keeps: 1 for fast ones, 0 for slow ones, a ramp between.
///
/// **Source**: Peng et al. 2023, with the paper's β of 32 and 1 as ggml rounds them.
fn kept(i: usize, dimensions: usize, original: usize, base: f32) -> f32 {
    const FAST: f32 = 32.0;
    const SLOW: f32 = 1.0;
    let turns_at = |turns: f32| {
        let ratio = original as f32 / (turns * 2.0 * core::f32::consts::PI);
        dimensions as f32 * libm::logf(ratio) / (2.0 * libm::logf(base))
    };
    let low = libm::floorf(turns_at(FAST)).max(0.0);
    let high = libm::ceilf(turns_at(SLOW)).min(dimensions as f32 - 1.0);
    let ramp = (i as f32 - low) / (high - low).max(0.001);
    1.0 - ramp.clamp(0.0, 1.0)
}
