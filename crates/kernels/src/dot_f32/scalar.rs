//! The definition.

use super::LANES;

#[inline(always)]
pub fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += a * b;
    }
    fold(sums)
}

/// Adds lanes 16, 8 and 4 apart, then neighbours, then the two that are left.
#[inline(always)]
pub fn fold<T: Copy + core::ops::AddAssign>(mut sums: [T; LANES]) -> T {
    for width in [16, 8, 4] {
        for i in 0..width {
            let other = sums[i + width];
            sums[i] += other;
        }
    }
    for (to, from) in [(0, 1), (2, 3), (0, 2)] {
        let other = sums[from];
        sums[to] += other;
    }
    sums[0]
}
