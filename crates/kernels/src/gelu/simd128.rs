//! SIMD128: the vectors of `lanes.rs`.

pub fn gelu(x: &mut [f32]) {
    super::lanes::gelu::<crate::lanes::simd128::F32x4>(x);
}
