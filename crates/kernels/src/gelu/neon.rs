//! NEON: the vectors of `lanes.rs`.

pub fn gelu(x: &mut [f32]) {
    super::lanes::gelu::<crate::lanes::neon::F32x4>(x);
}
