//! NEON: the vectors of `lanes.rs`.

pub fn layer_norm(x: &mut [f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32) {
    super::lanes::layer_norm::<crate::lanes::neon::F32x4>(x, residual, weight, bias, epsilon);
}
