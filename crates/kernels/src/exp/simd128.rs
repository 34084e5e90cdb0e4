//! SIMD128: the lanes of `lanes.rs`, which attention uses in Wasm as well.

pub fn exp(x: &mut [f32]) {
    super::lanes::exp(x);
}
