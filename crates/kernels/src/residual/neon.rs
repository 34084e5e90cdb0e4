//! NEON: the vectors of `lanes.rs`.

pub fn residual(x: &mut [f32], y: &[f32]) {
    super::lanes::residual::<crate::lanes::neon::F32x4>(x, y);
}
