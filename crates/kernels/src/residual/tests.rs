use alloc::vec::Vec;

use super::*;
use crate::quantize_int8::tests::EDGES;
use crate::random::Random;
use crate::variant;

fn assert_all_equal(x: &[f32], y: &[f32]) {
    let mut want = x.to_vec();
    scalar::residual(&mut want, y);
    for variant in variant::runnable(VARIANTS) {
        let mut got = x.to_vec();
        (variant.run)(&mut got, y);
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{}: {got:e} is not {want:e} at {i} of {}", variant.name, x.len());
        }
    }
}

#[test]
fn every_length_and_place_equals_the_definition() {
    let mut source = Random::printed(0x5eed_0014);
    for length in 0..=64 {
        let x: Vec<f32> = (0..length + 16).map(|_| source.f32()).collect();
        let y: Vec<f32> = (0..length + 16).map(|_| source.f32()).collect();
        for start in 0..16 {
            assert_all_equal(&x[start..start + length], &y[16 - start..16 - start + length]);
        }
    }
}

#[test]
fn edges_equal_the_definition() {
    for edge in EDGES {
        for other in EDGES {
            assert_all_equal(&[edge; 21], &[other; 21]);
        }
    }
}
