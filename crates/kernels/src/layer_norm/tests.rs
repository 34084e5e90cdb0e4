use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::quantize_int8::tests::EDGES;
use crate::random::Random;
use crate::variant;

fn assert_all_equal(x: &[f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32) {
    let mut want = x.to_vec();
    scalar::layer_norm(&mut want, residual, weight, bias, epsilon);
    for variant in variant::runnable(VARIANTS) {
        let mut got = x.to_vec();
        (variant.run)(&mut got, residual, weight, bias, epsilon);
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{}: {got:e} is not {want:e} at {i} of rows of {}", variant.name, weight.len());
        }
    }
}

fn random(source: &mut Random, count: usize) -> Vec<f32> {
    (0..count).map(|_| source.f32()).collect()
}

#[test]
fn every_length_and_place_equals_the_definition() {
    let mut source = Random::printed(0x5eed_0011);
    for columns in (1..=67).chain([383, 384, 385]) {
        let (weight, bias) = (random(&mut source, columns), random(&mut source, columns));
        for rows in 0..=3 {
            for start in [0, 1, 3, 7, 13] {
                let x = random(&mut source, start + rows * columns);
                let y = random(&mut source, start + rows * columns);
                assert_all_equal(&x[start..], None, &weight, &bias, 1e-12);
                assert_all_equal(&x[start..], Some(&y[start..]), &weight, &bias, 1e-5);
            }
        }
    }
}

#[test]
fn edges_equal_the_definition() {
    let mut source = Random::printed(0x5eed_0012);
    for edge in EDGES {
        for at in 0..37 {
            let mut all = [(); 4].map(|()| random(&mut source, 37));
            for place in 0..4 {
                let kept = core::mem::replace(&mut all[place][at], edge);
                assert_all_equal(&all[0], Some(&all[1]), &all[2], &all[3], 1e-12);
                all[place][at] = kept;
            }
        }
        let same = vec![edge; 37];
        assert_all_equal(&same, Some(&same), &same, &same, 0.0);
    }
}

#[test]
fn the_definition_is_near_f64() {
    let mut source = Random::printed(0x5eed_0013);
    let columns = 384;
    let x: Vec<f32> = (0..columns).map(|_| source.unit() * 3.0 + 0.5).collect();
    let (weight, bias) = (random(&mut source, columns), random(&mut source, columns));
    let mut got = x.clone();
    layer_norm(&mut got, None, &weight, &bias, 1e-12);
    let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
    let mean = wide.iter().sum::<f64>() / columns as f64;
    let variance = wide.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / columns as f64;
    for i in 0..columns {
        let want = (wide[i] - mean) / libm::sqrt(variance) * f64::from(weight[i]) + f64::from(bias[i]);
        let error = (f64::from(got[i]) - want).abs();
        let most = 4e-6 * (1.0 + f64::from(weight[i]).abs()) + 2e-7 * f64::from(bias[i]).abs();
        assert!(error <= most, "{error:e} at {i}");
    }
}
