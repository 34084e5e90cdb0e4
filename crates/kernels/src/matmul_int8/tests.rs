use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::random::Random;
use crate::{quantize_int8, variant};

fn quants(random: &mut Random, count: usize) -> Vec<i8> {
    (0..count).map(|_| (random.next() % 255) as i32 as i8 as i32).map(|q| q.clamp(-127, 127) as i8).collect()
}

fn assert_all_equal(weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>, rows: usize) {
    let mut want = vec![f32::NAN; rows * weights.rows()];
    scalar::matmul_int8(&mut want, weights, x, bias);
    for variant in variant::runnable(VARIANTS) {
        let mut got = vec![f32::NAN; want.len()];
        (variant.run)(&mut got, weights, x, bias);
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            let shape = (rows, weights.columns(), weights.rows());
            assert!(same, "{}: {got:e} is not {want:e}, output {i} of {shape:?}", variant.name);
        }
    }
}

#[test]
fn every_variant_equals_the_definition() {
    let mut random = Random::printed(0x5eed_0003);
    for columns in (1..=41).chain([63, 64, 65, 127, 256, 264, 384, 1056]) {
        for outputs in [1, 4, 7, 8, 9, 16, 17, 35] {
            let scales: Vec<f32> = (0..outputs).map(|_| random.f32()).collect();
            let w = quants(&mut random, outputs * columns);
            let weights = Packed::pack_int8(outputs, columns, &w, &scales).unwrap();
            for rows in if columns > 41 { 7..=9 } else { 1..=6 } {
                let values: Vec<f32> = (0..rows * columns).map(|_| random.f32()).collect();
                let bias: Vec<f32> = (0..outputs).map(|_| random.f32()).collect();
                let mut x = Activations::new();
                quantize_int8(&mut x, &values, columns);
                assert_all_equal(&weights, &x, Some(&bias), rows);
                assert_all_equal(&weights, &x, None, rows.div_ceil(2));
            }
        }
    }
}

#[test]
fn the_largest_sums_are_exact() {
    for sign in [1.0, -1.0] {
        let columns = crate::packed::MAX_COLUMNS;
        let weights = Packed::pack_int8(1, columns, &vec![127; columns], &[1.0]).unwrap();
        let mut x = Activations::new();
        quantize_int8(&mut x, &vec![sign * 127.0; columns], columns);
        assert_all_equal(&weights, &x, None, 1);
        let mut out = [0.0];
        matmul_int8(&mut out, &weights, &x, None);
        assert_eq!(out[0], sign * 127.0 * 127.0 * columns as f32);
    }
}

#[test]
fn special_scales_keep_their_bits() {
    for scale in [0.0, -0.0, 1e-45, f32::MAX, f32::INFINITY, f32::NAN] {
        let weights = Packed::pack_int8(2, 4, &[1, -1, 127, 0, -127, 3, 4, 5], &[scale, -scale]).unwrap();
        for value in [0.0, -0.0, 1e-45, f32::MAX, f32::INFINITY, f32::NAN, 1.0] {
            let mut x = Activations::new();
            quantize_int8(&mut x, &[0.5, value, -0.25, 0.0], 4);
            assert_all_equal(&weights, &x, Some(&[-0.0, 1.0]), 1);
        }
    }
}

#[test]
fn the_definition_is_within_f64_of_the_oracle() {
    let mut random = Random::printed(0x5eed_0004);
    let (rows, columns, outputs) = (3, 384, 5);
    let w = quants(&mut random, outputs * columns);
    let scales: Vec<f32> = (0..outputs).map(|_| random.f32()).collect();
    let weights = Packed::pack_int8(outputs, columns, &w, &scales).unwrap();
    let values: Vec<f32> = (0..rows * columns).map(|_| random.unit()).collect();
    let mut x = Activations::new();
    quantize_int8(&mut x, &values, columns);
    let mut out = vec![0.0; rows * outputs];
    matmul_int8(&mut out, &weights, &x, None);
    for t in 0..rows {
        for o in 0..outputs {
            let dot: i64 =
                x.quants(t).iter().zip(&w[o * columns..]).map(|(y, w)| i64::from(*y) * i64::from(*w)).sum();
            let want = dot as f64 * f64::from(x.scales(t)[0]) * f64::from(scales[o]);
            // A conversion and two products of half an ulp each.
            let error = (f64::from(out[t * outputs + o]) - want).abs();
            assert!(error <= want.abs() * 2.0 * f64::from(f32::EPSILON), "{error:e} of {want:e}");
        }
    }
}

#[test]
fn digest() {
    let mut random = Random::new(9);
    let (rows, columns, outputs) = (9, 150, 35);
    let w = quants(&mut random, outputs * columns);
    let scales: Vec<f32> = (0..outputs).map(|_| random.unit()).collect();
    let weights = Packed::pack_int8(outputs, columns, &w, &scales).unwrap();
    let values: Vec<f32> = (0..rows * columns).map(|_| random.unit()).collect();
    let bias: Vec<f32> = (0..outputs).map(|_| random.unit()).collect();
    let mut x = Activations::new();
    quantize_int8(&mut x, &values, columns);
    let mut out = vec![0.0; rows * outputs];
    matmul_int8(&mut out, &weights, &x, Some(&bias));
    assert_eq!(crate::random::digest(&out), 0x310088de01b21ed6);
}
