use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::variant;

fn assert_all_equal(x: &[f32]) {
    let mut want = x.to_vec();
    scalar::exp(&mut want);
    for variant in variant::runnable(VARIANTS) {
        let mut got = x.to_vec();
        (variant.run)(&mut got);
        for ((got, want), x) in got.iter().zip(&want).zip(x) {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{}: {got:e} is not {want:e} of {x:e} ({:#x})", variant.name, x.to_bits());
        }
    }
}

#[test]
fn strided_inputs_equal_the_definition() {
    // All 2^32 run in verify.
    let mut x = vec![0.0; 4096];
    let mut bits = 0u32;
    for _ in 0..512 {
        for x in &mut x {
            bits = bits.wrapping_add(2039);
            *x = f32::from_bits(bits);
        }
        assert_all_equal(&x);
    }
}

#[test]
fn edges_at_every_place_of_every_length_equal_the_definition() {
    let edges = [0.0, 1e-45, 0.34657, 1.0397, 63.9, 64.0, 64.1, 88.8, 104.0, f32::INFINITY, f32::NAN];
    for length in 0..=40 {
        for at in 0..length {
            for edge in edges {
                for edge in [edge, -edge] {
                    let mut x: Vec<f32> = (0..length).map(|i| i as f32 - 20.0).collect();
                    x[at] = edge;
                    assert_all_equal(&x);
                }
            }
        }
    }
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
