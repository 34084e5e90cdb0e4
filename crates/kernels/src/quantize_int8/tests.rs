use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::random::Random;
use crate::variant;

/// Values where rounding, clamping or the maximum could go wrong.
pub(crate) const EDGES: [f32; 24] = [
    0.0,
    -0.0,
    f32::from_bits(1),
    -1e-45,
    1e-40,
    f32::MIN_POSITIVE,
    0.49999997,
    0.5,
    -0.5,
    0.50000006,
    1.4999999,
    1.5,
    -2.5,
    126.49999,
    126.5,
    -126.5,
    127.0,
    -127.0,
    128.0,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

fn assert_all_equal(x: &[f32]) {
    let mut want = vec![99; x.len()];
    let want_scale = scalar::quantize_int8(&mut want, x);
    for variant in variant::runnable(VARIANTS) {
        let mut got = vec![99; x.len()];
        let scale = (variant.run)(&mut got, x);
        assert_eq!(scale.to_bits(), want_scale.to_bits(), "{} of {x:?}", variant.name);
        assert_eq!(got, want, "{} of {x:?}", variant.name);
    }
}

#[test]
fn every_variant_equals_the_definition() {
    let mut random = Random::printed(0x5eed_0005);
    for length in 0..=140 {
        let values: Vec<f32> = (0..length + 16).map(|_| random.f32() * 1e3).collect();
        for start in [0, 1, 2, 3, 5, 8, 13] {
            assert_all_equal(&values[start..start + length]);
        }
    }
}

#[test]
fn edges_at_every_place_equal_the_definition() {
    for edge in EDGES {
        for other in EDGES {
            for at in 0..37 {
                let mut x = [1.0; 37];
                x[at] = edge;
                x[36 - at] = other;
                assert_all_equal(&x);
            }
        }
    }
}

#[test]
fn scale_one_over_strided_inputs() {
    // A row whose largest value is 127 has scale one: each value is rounded as itself. The whole 2^32 runs in verify.
    let mut row = [127.0f32; 33];
    for start in (0..=u32::MAX).step_by(32 * 2503) {
        for (i, x) in row[..32].iter_mut().enumerate() {
            let value = f32::from_bits(start.wrapping_add(i as u32 * 2503));
            *x = if value.abs() > 127.0 { 0.0 } else { value };
        }
        assert_all_equal(&row);
    }
}

#[test]
fn the_definition_is_within_half_a_step() {
    let mut random = Random::printed(0x5eed_0006);
    for _ in 0..1000 {
        let x: Vec<f32> = (0..50).map(|_| random.f32()).collect();
        let mut quants = vec![0; x.len()];
        let scale = scalar::quantize_int8(&mut quants, &x);
        for (quant, x) in quants.iter().zip(&x) {
            let error = (f64::from(*quant) * f64::from(scale) - f64::from(*x)).abs();
            assert!(error <= f64::from(scale) * 0.50002, "{x} became {quant} of {scale}");
        }
    }
}

#[test]
fn halves_go_away_from_zero_and_nan_becomes_zero() {
    let mut quants = [0; 6];
    let scale = scalar::quantize_int8(&mut quants, &[127.0, 2.5, -2.5, 0.49999997, f32::NAN, -0.5]);
    assert_eq!((scale, quants), (1.0, [127, 3, -3, 0, 0, -1]));
}
