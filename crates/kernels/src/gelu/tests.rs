use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::variant;

fn assert_all_equal(x: &[f32]) {
    let mut want = x.to_vec();
    scalar::gelu(&mut want);
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
fn values_of_every_piece_equal_the_definition() {
    // From 2^-3 to 2^4, where the pieces meet, by fours, of either sign.
    for sign in [0u32, 1 << 31] {
        let x: Vec<f32> =
            (0x3e00_0000u32..0x4180_0000).step_by(23).map(|bits| f32::from_bits(bits | sign)).collect();
        assert_all_equal(&x);
    }
}

#[test]
fn every_length_and_place_equals_the_definition() {
    let edges = [
        0.0,
        -0.0,
        1e-45,
        -1e-40,
        1.19,
        1.1932427,
        1.77,
        4.05,
        8.48,
        8.49,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    for length in 0..=64 {
        for edge in edges {
            for sign in [edge, -edge] {
                let mut x = vec![0.5; length];
                if length > 0 {
                    x[length * 7 / 11] = sign;
                }
                assert_all_equal(&x);
            }
        }
    }
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
