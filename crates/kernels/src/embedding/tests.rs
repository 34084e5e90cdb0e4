use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::quantize_int8::tests::EDGES;
use crate::random::Random;
use crate::variant;

fn assert_all_equal(before: &[f32], row: Row<'_>) {
    for add in [false, true] {
        let mut want = before.to_vec();
        scalar::embedding(&mut want, row, add);
        for variant in variant::runnable(VARIANTS) {
            let mut got = before.to_vec();
            (variant.run)(&mut got, row, add);
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(same, "{}: {got:e} is not {want:e} at {i} of {row:?}", variant.name);
            }
        }
    }
}

#[test]
fn every_length_and_place_equals_the_definition() {
    let mut source = Random::printed(0x5eed_0015);
    let quants: Vec<i8> = (0..=255u8).map(|byte| byte as i8).collect();
    for length in 0..=64 {
        let values: Vec<f32> = (0..length + 16).map(|_| source.f32()).collect();
        for start in 0..16 {
            let before = &values[16 - start..16 - start + length];
            assert_all_equal(before, Row::F32(&values[start..start + length]));
            let row = Row::Int8 { quants: &quants[11 * start..11 * start + length], scale: 0.37, zero: -3.0 };
            assert_all_equal(before, row);
        }
    }
}

#[test]
fn every_quant_and_edge_equals_the_definition() {
    let quants: Vec<i8> = (0..=255u8).map(|byte| byte as i8).collect();
    for edge in EDGES {
        for zero in [-128.0, -1.0, 0.0, 127.0] {
            assert_all_equal(&vec![edge; 256], Row::Int8 { quants: &quants, scale: edge, zero });
            assert_all_equal(&[zero; 19], Row::F32(&[edge; 19]));
        }
    }
}

#[test]
fn rows_add_up_in_order() {
    let mut out = [9.0; 3];
    let int8 = Row::Int8 { quants: &[1, 2, 3], scale: 0.5, zero: 1.0 };
    embedding(&mut out, &[Row::F32(&[1.0, 2.0, 3.0]), int8, Row::F32(&[0.25; 3])]);
    assert_eq!(out, [1.25, 2.75, 4.25]);
}
