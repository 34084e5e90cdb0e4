//! SIMD128: sixteen values at a time where all are within ±64, the definition elsewhere.

use core::arch::wasm32::*;

use super::scalar;
use crate::exp_lanes::{exp_near_4, near};

const WIDE: usize = 16;

pub fn swiglu(gate: &mut [f32], up: &[f32]) {
    let ((wide, rest), (wide_up, rest_up)) = (gate.as_chunks_mut::<WIDE>(), up.as_chunks::<WIDE>());
    for (gate, up) in wide.iter_mut().zip(wide_up) {
        if near(gate) {
            sixteen(gate, up);
        } else {
            scalar::swiglu(gate, up);
        }
    }
    scalar::swiglu(rest, rest_up);
}

#[inline(always)]
fn sixteen(gate: &mut [f32; WIDE], up: &[f32; WIDE]) {
    for i in 0..WIDE / 4 {
        // SAFETY: both arrays cover the 16 bytes at 4 * i; Wasm loads need no alignment.
        let (x, up) =
            unsafe { (v128_load(gate.as_ptr().add(4 * i).cast()), v128_load(up.as_ptr().add(4 * i).cast())) };
        let y = f32x4_mul(f32x4_div(x, f32x4_add(f32x4_splat(1.0), exp_near_4(f32x4_neg(x)))), up);
        // SAFETY: as above.
        unsafe { v128_store(gate.as_mut_ptr().add(4 * i).cast(), y) };
    }
}
