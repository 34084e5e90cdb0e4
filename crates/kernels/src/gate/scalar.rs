//! The definitions.

#[inline(always)]
pub fn swiglu_one(gate: f32, up: f32) -> f32 {
    gate / (1.0 + libm::expf(-gate)) * up
}

pub fn swiglu(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = swiglu_one(*gate, *up);
    }
}
