use super::*;
use crate::one_input::{assert_edges_equal, assert_strided_equal};

#[test]
fn strided_inputs_equal_the_definition() {
    assert_strided_equal(VARIANTS);
}

#[test]
fn edges_at_every_place_of_every_length_equal_the_definition() {
    let ends = [64.0, 87.33655, 88.722839, 103.972084].map(f32::to_bits);
    let around = ends.into_iter().flat_map(|end| (end - 2..=end + 2).map(f32::from_bits));
    let edges = [0.0, 1e-45, 0.34657, 1.0397, 63.9, 104.0, f32::MAX, f32::INFINITY, f32::NAN];
    let edges: alloc::vec::Vec<f32> = edges.into_iter().chain(around).collect();
    assert_edges_equal(VARIANTS, &edges, |i| i as f32 - 20.0);
}

#[test]
fn the_definition_is_near_f64() {
    for i in -8700..8800 {
        let x = i as f32 / 100.0;
        let (want, mut got) = (libm::exp(f64::from(x)), [x]);
        scalar::exp(&mut got);
        let error = (f64::from(got[0]) - want).abs();
        assert!(error <= want * 0.6 * f64::from(f32::EPSILON), "{error:e} at {x}");
    }
}
