//! The definition.

use super::PARTIALS;

pub fn layer_norm(x: &mut [f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32) {
    if let Some(residual) = residual {
        for (x, residual) in x.iter_mut().zip(residual) {
            *x += residual;
        }
    }
    let columns = weight.len() as f32;
    for x in x.chunks_exact_mut(weight.len()) {
        let mean = sum(x.iter().copied()) / columns;
        let variance = sum(x.iter().map(|x| (x - mean) * (x - mean))) / columns;
        let inverse = 1.0 / libm::sqrtf(variance + epsilon);
        for ((x, weight), bias) in x.iter_mut().zip(weight).zip(bias) {
            *x = ((*x - mean) * inverse) * weight + bias;
        }
    }
}

fn sum(values: impl Iterator<Item = f32>) -> f32 {
    let mut partials = [0.0; PARTIALS];
    for (i, value) in values.enumerate() {
        partials[i % PARTIALS] += value;
    }
    tree(partials)
}

/// Adds the partials: 16 to 8, to 4, to 2, to 1.
pub(super) fn tree(mut partials: [f32; PARTIALS]) -> f32 {
    let mut half = PARTIALS / 2;
    while half > 0 {
        for i in 0..half {
            partials[i] += partials[i + half];
        }
        half /= 2;
    }
    partials[0]
}
