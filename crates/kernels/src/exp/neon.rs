//! NEON: the lanes of `lanes.rs`, which LLVM turns into vectors of four.

pub fn exp(x: &mut [f32]) {
    super::lanes::exp(x);
}
