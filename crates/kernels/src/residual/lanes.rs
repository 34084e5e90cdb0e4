//! Addition in vectors.

use crate::lanes::Lanes;

#[inline(always)]
pub fn residual<L: Lanes>(x: &mut [f32], y: &[f32]) {
    let mut chunks = x.chunks_exact_mut(L::COUNT);
    let ys = y.chunks_exact(L::COUNT);
    let rest = ys.remainder();
    for (x, y) in chunks.by_ref().zip(ys) {
        L::load(x).add(L::load(y)).store(x);
    }
    for (x, y) in chunks.into_remainder().iter_mut().zip(rest) {
        *x += y;
    }
}
