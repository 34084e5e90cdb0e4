//! The definition.

use alloc::vec::Vec;

use super::{CHUNK, FLOOR, KEY_MAX, Scratch, Shape, TINY, VALUE_MAX, WEIGHT_ONE};

pub fn attention(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape, scratch: &mut Scratch) {
    let hidden = shape.heads * shape.head;
    let Scratch { queries, keys, values, scores, .. } = scratch;
    for h in 0..shape.heads {
        let columns = h * shape.head..(h + 1) * shape.head;
        let key_scale = quantize(keys, k.chunks_exact(hidden).map(|row| &row[columns.clone()]), KEY_MAX);
        let value_scale =
            quantize(values, v.chunks_exact(hidden).map(|row| &row[columns.clone()]), VALUE_MAX);
        for (q, out) in q.chunks_exact(hidden).zip(out.chunks_exact_mut(hidden)) {
            let query_scale = quantize(queries, core::iter::once(&q[columns.clone()]), KEY_MAX);
            scores.clear();
            scores.extend(keys.chunks_exact(shape.head).map(|key| dot(queries, key)));
            let largest = scores.iter().copied().max().expect("there are keys");
            let factor = factor(query_scale, key_scale, shape.head);
            for score in scores.iter_mut() {
                *score = weight((*score - largest) as f32 * factor);
            }
            let total: i32 = scores.iter().sum();
            let last = value_scale / total as f32;
            for (d, out) in out[columns.clone()].iter_mut().enumerate() {
                let mut sum = 0.0;
                for (weights, values) in scores.chunks(CHUNK).zip(values.chunks(CHUNK * shape.head)) {
                    let mut chunk = 0;
                    for (weight, value) in weights.iter().zip(values.chunks_exact(shape.head)) {
                        chunk += weight * i32::from(value[d]);
                    }
                    sum += chunk as f32;
                }
                *out = sum * last;
            }
        }
    }
}

/// The weight of a key whose score, in units of the exponent, lies `x` below the best: exp(x), an integer of
/// 0..=8191 for x up to 0. NaN has no weight.
pub fn weight(x: f32) -> i32 {
    let x = if x > FLOOR { x } else { FLOOR };
    libm::rintf(libm::expf(x) * WEIGHT_ONE as f32) as i32
}

/// [`weight`] of each value.
pub fn weights(out: &mut [i32], x: &[f32]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out = weight(*x);
    }
}

/// From an integer difference of scores to an exponent.
pub(super) fn factor(query_scale: f32, key_scale: f32, head: usize) -> f32 {
    (query_scale * key_scale) * (1.0 / libm::sqrtf(head as f32))
}

fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// Quantises all rows with one scale, which it returns.
fn quantize<'a>(out: &mut Vec<i16>, rows: impl Iterator<Item = &'a [f32]> + Clone, max: i32) -> f32 {
    let mut largest = 0.0f32;
    for x in rows.clone().flatten() {
        // `>` skips NaN.
        if x.abs() > largest {
            largest = x.abs();
        }
    }
    let (scale, inverse) = scales(largest, max);
    out.clear();
    for x in rows.flatten() {
        let x = x * inverse;
        // Also infinity times zero.
        out.push(if x.is_nan() { 0 } else { libm::rintf(x) as i16 });
    }
    scale
}

/// The scale of quants up to `max` and what values are multiplied by.
pub(super) fn scales(largest: f32, max: i32) -> (f32, f32) {
    if largest >= TINY { (largest / max as f32, max as f32 / largest) } else { (0.0, 0.0) }
}
