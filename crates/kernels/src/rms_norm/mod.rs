//! Root mean square normalisation.

#[cfg(test)]
mod tests;

/// Partial sums of squares.
const LANES: usize = 8;

/// Writes `x / sqrt(mean(x²) + epsilon) * weight` for every row of `weight.len()` values.
///
/// **Order**: squares in f32, their sum in f64: 8 partial sums from zero, sum `i mod 8` ascending in `i`, added 4, 2
/// and 1 apart. The mean is rounded to f32; then `1 / sqrt(mean + epsilon)`, each value times that, times its weight.
///
/// **Source**: `ggml_compute_forward_rms_norm` of ggml, which has one f64 sum.
///
/// # Panics
/// When `x` and `out` are not the same whole rows.
///
/// ```
/// let mut out = [0.0; 2];
/// lacuna_kernels::rms_norm(&mut out, &[3.0, 3.0], &[1.0, 2.0], 0.0);
/// assert_eq!(out, [1.0, 2.0]);
/// ```
pub fn rms_norm(out: &mut [f32], x: &[f32], weight: &[f32], epsilon: f32) {
    assert!(out.len() == x.len() && x.len().is_multiple_of(weight.len()), "whole rows of {}", weight.len());
    for (out, x) in out.chunks_exact_mut(weight.len()).zip(x.chunks_exact(weight.len())) {
        let scale = scale(x, epsilon);
        for ((out, x), weight) in out.iter_mut().zip(x).zip(weight) {
            *out = x * scale * weight;
        }
    }
}

/// As [`rms_norm`], in place.
///
/// # Panics
/// When `x` is not whole rows.
pub fn rms_norm_in_place(x: &mut [f32], weight: &[f32], epsilon: f32) {
    assert!(x.len().is_multiple_of(weight.len()), "whole rows of {}", weight.len());
    for x in x.chunks_exact_mut(weight.len()) {
        let scale = scale(x, epsilon);
        for (x, weight) in x.iter_mut().zip(weight) {
            *x = *x * scale * weight;
        }
    }
}

fn scale(x: &[f32], epsilon: f32) -> f32 {
    let mut sums = [0.0f64; LANES];
    let (whole, rest) = x.as_chunks::<LANES>();
    for x in whole {
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum += f64::from(x * x);
        }
    }
    for (sum, x) in sums.iter_mut().zip(rest) {
        *sum += f64::from(x * x);
    }
    for width in [4, 2, 1] {
        for i in 0..width {
            sums[i] += sums[i + width];
        }
    }
    let mean = (sums[0] / x.len() as f64) as f32;
    1.0 / libm::sqrtf(mean + epsilon)
}
