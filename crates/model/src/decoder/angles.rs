//! Cosines and sines of rotary embedding, made once for each position.

use super::config::{Rope, Scaling};

/// A table `[position][dimensions / 2]`, grown on demand.
///
/// **Order**: the angle of the first pair is the position; from pair to pair it is multiplied by `base ^ (-2 / n)` in
/// f32. It is divided by the pair's factor, multiplied by the scale, and in YaRN mixed with what it was before.
///
/// **Source**: `ggml_compute_forward_rope` of ggml.
#[derive(Clone, Debug)]
pub struct Angles {
    /// From a pair to the next.
    step: f32,
    /// Positions are multiplied by this.
    scale: f32,
    /// Divisors; 1 where there are none.
    factors: Vec<f32>,
    /// How much of the angle is not scaled.
    kept: Vec<f32>,
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
        let half = rope.dimensions / 2;
        let factors = factors.filter(|_| !windowed).map_or(vec![1.0; half], <[f32]>::to_vec);
        let scale = match scaling {
            Scaling::None => 1.0,
            Scaling::Linear { factor } | Scaling::Yarn { factor, .. } => 1.0 / factor,
        };
        let kept = match scaling {
            Scaling::Yarn { original, .. } => {
                (0..half).map(|i| kept(i, rope.dimensions, original, base)).collect()
            }
            _ => vec![0.0; half],
        };
        let magnitude = match scaling {
            Scaling::Yarn { factor, attention, .. } if factor > 1.0 => {
                (1.0 + 0.1 * libm::logf(factor)) * attention
            }
            Scaling::Yarn { attention, .. } => attention,
            _ => 1.0,
        };
        let step = libm::powf(base, -2.0 / rope.dimensions as f32);
        Angles { step, scale, factors, kept, magnitude, cos: Vec::new(), sin: Vec::new() }
    }

    /// Makes the rows of all positions below `positions`.
    pub fn grow(&mut self, positions: usize) {
        for position in self.cos.len() / self.factors.len().max(1)..positions {
            let mut turned = position as f32;
            for (factor, kept) in self.factors.iter().zip(&self.kept) {
                let plain = turned / factor;
                let angle = self.scale * plain * (1.0 - kept) + plain * kept;
                self.cos.push(libm::cosf(angle) * self.magnitude);
                self.sin.push(libm::sinf(angle) * self.magnitude);
                turned *= self.step;
            }
        }
    }

    /// The cosines and sines of a position that was made.
    pub fn at(&self, position: usize) -> (&[f32], &[f32]) {
        let half = self.factors.len();
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
