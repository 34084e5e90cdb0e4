use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::random::Random;
use crate::variant;

fn assert_all_equal(q: &[f32], k: &[f32], v: &[f32], shape: Shape) {
    let mut scratch = Scratch::default();
    let mut want = vec![9.0; q.len()];
    scalar::attention(&mut want, q, k, v, shape, &mut scratch);
    for variant in variant::runnable(VARIANTS) {
        let mut got = vec![7.0; q.len()];
        (variant.run)(&mut got, q, k, v, shape, &mut scratch);
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{}: {got:e} is not {want:e} at {i} of {shape:?}", variant.name);
        }
    }
}

fn random(random: &mut Random, count: usize, size: f32) -> Vec<f32> {
    (0..count).map(|_| random.unit() * size).collect()
}

#[test]
fn every_variant_equals_the_definition() {
    let mut source = Random::printed(0x5eed_000d);
    for (heads, head) in [(1, 8), (2, 32), (3, 24), (1, 64)] {
        for keys in (1..=18).chain([127, 128, 129, 256, 300]) {
            for queries in [0, 1, 3, 8, 9, 17] {
                let shape = Shape { queries, keys, heads, head };
                for size in [0.1, 3.0, 50.0] {
                    let q = random(&mut source, queries * heads * head, size);
                    let k = random(&mut source, keys * heads * head, size);
                    let v = random(&mut source, keys * heads * head, size);
                    assert_all_equal(&q, &k, &v, shape);
                }
            }
        }
    }
}

#[test]
fn special_values_keep_their_bits() {
    let mut source = Random::printed(0x5eed_000e);
    let shape = Shape { queries: 9, keys: 11, heads: 2, head: 16 };
    for value in [0.0, -0.0, 1e-45, 1e-31, 1e-29, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        for place in 0..3 {
            let mut all = [9, 11, 11].map(|rows| random(&mut source, rows * 32, 2.0));
            all[place][37] = value;
            assert_all_equal(&all[0], &all[1], &all[2], shape);
            all[place].fill(value);
            assert_all_equal(&all[0], &all[1], &all[2], shape);
        }
    }
}

fn assert_weights_equal(x: &[f32]) {
    let mut want = vec![-1; x.len()];
    scalar::weights(&mut want, x);
    for variant in variant::runnable(WEIGHTS) {
        let mut got = vec![-2; x.len()];
        (variant.run)(&mut got, x);
        for ((got, want), x) in got.iter().zip(&want).zip(x) {
            assert_eq!(got, want, "{} of {x:e}", variant.name);
        }
    }
}

#[test]
fn weights_over_all_exponents_equal_the_definition() {
    // Differences of scores through several factors, then every 97th number from -0 to past -16.
    for factor in [1e-7, 2e-6, 1.3e-5] {
        let x: Vec<f32> = (0..1 << 20).step_by(37).map(|d| -(d as f32) * factor).collect();
        assert_weights_equal(&x);
    }
    for begin in (0x8000_0000u32..=0xc190_0000).step_by(97 * 4096) {
        let x: Vec<f32> = (0..4096).map(|i| f32::from_bits(begin + 97 * i)).collect();
        assert_weights_equal(&x);
    }
    // The vectors leave out what weighs nothing.
    for x in [-9.75f32, -9.8, -1e9, f32::NEG_INFINITY, f32::NAN] {
        assert_eq!(scalar::weight(x), 0, "of {x}");
    }
    // Where the pieces of expf meet: 2^-14, ln 2 / 2, 3 ln 2 / 2, and the floor.
    for edge in [0x3900_0000u32, 0x3eb1_7218, 0x3f85_1592, 0x4180_0000] {
        let x: Vec<f32> = (edge - 500..edge + 500).map(|bits| -f32::from_bits(bits)).collect();
        assert_weights_equal(&x);
    }
    for length in 0..40 {
        assert_weights_equal(
            &[[f32::NAN, f32::NEG_INFINITY, 0.0, -0.0], [-1.0; 4]].as_flattened().repeat(5)[..length],
        );
    }
}

#[test]
fn the_definition_is_near_f64() {
    let mut source = Random::printed(0x5eed_000f);
    let shape = Shape { queries: 5, keys: 40, heads: 2, head: 32 };
    let [q, k, v] = [5, 40, 40].map(|rows| random(&mut source, rows * 64, 1.5));
    let mut out = vec![0.0; q.len()];
    attention(&mut out, &q, &k, &v, shape, &mut Scratch::default());
    for t in 0..5 {
        for h in 0..2 {
            let scores: Vec<f64> = (0..40)
                .map(|key| {
                    let dot: f64 = (0..32)
                        .map(|d| f64::from(q[t * 64 + h * 32 + d]) * f64::from(k[key * 64 + h * 32 + d]))
                        .sum();
                    libm::exp(dot / libm::sqrt(32.0))
                })
                .collect();
            let total: f64 = scores.iter().sum();
            for d in 0..32 {
                let want: f64 =
                    (0..40).map(|key| scores[key] / total * f64::from(v[key * 64 + h * 32 + d])).sum();
                let error = (f64::from(out[t * 64 + h * 32 + d]) - want).abs();
                // Weights in steps of 1/8191 and values in steps of 1.5/2047, forty of them averaged.
                assert!(error < 2e-3, "{error:e} at {t}, {h}, {d}");
            }
        }
    }
}
