use alloc::vec::Vec;

use super::*;
use crate::one_input::{assert_all_equal, assert_edges_equal, assert_strided_equal};

#[test]
fn strided_inputs_equal_the_definition() {
    assert_strided_equal(VARIANTS);
}

#[test]
fn values_of_every_piece_equal_the_definition() {
    // From 2^-3 to 2^4, where the pieces meet, by fours, of either sign.
    for sign in [0u32, 1 << 31] {
        let x: Vec<f32> =
            (0x3e00_0000u32..0x4180_0000).step_by(23).map(|bits| f32::from_bits(bits | sign)).collect();
        assert_all_equal(VARIANTS, &x);
    }
}

#[test]
fn edges_at_every_place_of_every_length_equal_the_definition() {
    let edges =
        [0.0, 1e-45, 1e-40, 1.19, 1.1932427, 1.77, 4.05, 8.48, 8.49, f32::MAX, f32::INFINITY, f32::NAN];
    assert_edges_equal(VARIANTS, &edges, |_| 0.5);
}

#[test]
fn the_definition_is_near_f64() {
    for i in -4000..4000 {
        let x = i as f32 / 400.0;
        let want = 0.5 * f64::from(x) * (1.0 + libm::erf(f64::from(x) * core::f64::consts::FRAC_1_SQRT_2));
        let error = (f64::from(gelu_one(x)) - want).abs();
        assert!(error <= 4e-7 * f64::from(x).abs().max(1e-3), "{error:e} at {x}");
    }
}
