use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::dot_q4_0::tests::{activations, weights};
use crate::random::Random;
use crate::variant;

fn assert_all_equal(w: &[BlockQ4_0], x: &[BlockQ8_0], rows: usize) {
    let mut want = vec![f32::NAN; rows];
    scalar::dots_q4_0_q8_0(&mut want, w, x);
    for variant in variant::runnable(VARIANTS) {
        let mut got = vec![f32::NAN; rows];
        (variant.run)(&mut got, w, x);
        for (got, want) in got.iter().zip(&want) {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{}: {got:e} is not {want:e}, {rows} rows of {} blocks", variant.name, x.len());
        }
    }
}

#[test]
fn every_variant_equals_the_definition() {
    let mut random = Random::printed(0x5eed_000b);
    for rows in 0..=9 {
        for count in (0..=18).chain([32]) {
            let w: Vec<BlockQ4_0> = weights(&mut random, rows * count);
            assert_all_equal(&w, &activations(&mut random, count), rows);
        }
    }
}

#[test]
fn all_halves_as_either_scale() {
    let mut random = Random::printed(0x5eed_000c);
    let (mut w, mut x) = (weights(&mut random, 8), activations(&mut random, 2));
    for half in 0..=u16::MAX {
        let at = half as usize % 8;
        w[at].d = half.to_le_bytes();
        assert_all_equal(&w, &x, 4);
        w[at].d = 0x3c00u16.to_le_bytes();
        x[at % 2].d = half.to_le_bytes();
        assert_all_equal(&w, &x, 4);
        x[at % 2].d = 0xbc01u16.to_le_bytes();
    }
}

#[test]
fn extreme_sums_do_not_saturate() {
    let d = 0x3c00u16.to_le_bytes();
    for nibbles in [0x00, 0xff, 0x0f, 0xf0] {
        for y in [[127, 127], [-127, -127], [127, -127], [-127, 127]] {
            let w = [BlockQ4_0 { d, qs: [nibbles; 16] }; 4];
            let x = [BlockQ8_0 { d, qs: core::array::from_fn(|i| y[i / 16]) }];
            assert_all_equal(&w, &x, 4);
        }
    }
}
