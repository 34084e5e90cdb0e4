//! Layer norm in vectors: as many partial sums as the definition, in 16 / lanes vectors.

use super::PARTIALS;
use super::scalar::tree;
use crate::lanes::{Lanes, MOST};

const _: () = assert!(MOST == PARTIALS);

#[inline(always)]
pub fn layer_norm<L: Lanes>(
    x: &mut [f32],
    residual: Option<&[f32]>,
    weight: &[f32],
    bias: &[f32],
    epsilon: f32,
) {
    let columns = weight.len();
    for (row, x) in x.chunks_exact_mut(columns).enumerate() {
        if let Some(residual) = residual {
            crate::residual::lanes::residual::<L>(x, &residual[row * columns..][..columns]);
        }
        let mean = sum(x, |x: L| x) / columns as f32;
        let variance = sum(x, |x: L| {
            let apart = x.sub(L::splat(mean));
            apart.mul(apart)
        }) / columns as f32;
        let inverse = 1.0 / libm::sqrtf(variance + epsilon);
        let one =
            |x: L, weight: L, bias: L| x.sub(L::splat(mean)).mul(L::splat(inverse)).mul(weight).add(bias);
        let mut chunks = x.chunks_exact_mut(MOST);
        let (mut weights, mut biases) = (weight.chunks_exact(MOST), bias.chunks_exact(MOST));
        for x in &mut chunks {
            let (Some(weight), Some(bias)) = (weights.next(), biases.next()) else { break };
            for at in (0..MOST).step_by(L::COUNT) {
                let part = at..at + L::COUNT;
                let x = &mut x[part.clone()];
                one(L::load(x), L::load(&weight[part.clone()]), L::load(&bias[part])).store(x);
            }
        }
        let rest = chunks.into_remainder();
        for ((x, weight), bias) in rest.iter_mut().zip(weights.remainder()).zip(biases.remainder()) {
            *x = ((*x - mean) * inverse) * weight + bias;
        }
    }
}

/// The sum of `f` of each value in the definition's order. `f` of a zero may be anything: what fills the last vector
/// up is left out.
#[inline(always)]
fn sum<L: Lanes>(x: &[f32], f: impl Fn(L) -> L) -> f32 {
    let mut partials = [L::splat(0.0); PARTIALS];
    let vectors = PARTIALS / L::COUNT;
    let mut chunks = x.chunks_exact(PARTIALS);
    for x in &mut chunks {
        for (partial, x) in partials[..vectors].iter_mut().zip(x.chunks_exact(L::COUNT)) {
            *partial = partial.add(f(L::load(x)));
        }
    }
    let mut lanes = [0.0; PARTIALS];
    for (lanes, partial) in lanes.chunks_exact_mut(L::COUNT).zip(&partials[..vectors]) {
        partial.store(lanes);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let mut whole = [0.0; PARTIALS];
        whole[..rest.len()].copy_from_slice(rest);
        for whole in whole.chunks_exact_mut(L::COUNT) {
            f(L::load(whole)).store(whole);
        }
        for (lane, value) in lanes.iter_mut().zip(&whole[..rest.len()]) {
            *lane += value;
        }
    }
    tree(lanes)
}
