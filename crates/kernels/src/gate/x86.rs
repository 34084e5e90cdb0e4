//! AVX2: the definition with `exp_near`, sixteen values at a time where all are within ±64, which LLVM turns into
//! vectors.

use super::scalar;
use crate::exp::lanes::exp_near;
use crate::exp_lanes::near;

const WIDE: usize = 16;

pub fn swiglu(gate: &mut [f32], up: &[f32]) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { avx2(gate, up) }
}

#[target_feature(enable = "avx2")]
fn avx2(gate: &mut [f32], up: &[f32]) {
    let ((wide, rest), (wide_up, rest_up)) = (gate.as_chunks_mut::<WIDE>(), up.as_chunks::<WIDE>());
    // A length LLVM cannot see: it would unroll loops of sixteen and leave scalars.
    let n = core::hint::black_box(WIDE).min(WIDE);
    for (gate, up) in wide.iter_mut().zip(wide_up) {
        if near(gate) {
            for (gate, up) in gate[..n].iter_mut().zip(&up[..n]) {
                *gate = *gate / (1.0 + exp_near(-*gate)) * up;
            }
        } else {
            scalar::swiglu(gate, up);
        }
    }
    scalar::swiglu(rest, rest_up);
}
