use alloc::vec::Vec;

use super::*;
use crate::random::{Random, digest};
use crate::variant::runnable;
use crate::{Activations, f16, quantize_q8_0};

pub const FORMS: [Form; 5] = [
    Form { zero: 16, scales: Scales::Whole },
    Form { zero: 32, scales: Scales::Halves },
    Form { zero: 0, scales: Scales::Offset },
    Form { zero: 0, scales: Scales::RoundedOffset },
    Form { zero: 63, scales: Scales::Offset },
];

fn weights(random: &mut Random, blocks: usize) -> Vec<FourBlocks> {
    (0..blocks)
        .map(|_| FourBlocks {
            quants: core::array::from_fn(|_| core::array::from_fn(|_| (random.next() % 64) as u8)),
            scales: core::array::from_fn(|_| core::array::from_fn(|_| random.f32())),
            offsets: core::array::from_fn(|_| random.f32()),
        })
        .collect()
}

fn activations(values: &[f32]) -> Vec<ArrangedBlock> {
    let (mut x, mut out) = (Activations::new(), Vec::new());
    quantize_q8_0(&mut x, values, values.len());
    arrange(&mut out, &x, values);
    out
}

#[test]
fn every_variant_is_the_definition_and_near_f64() {
    let mut random = Random::printed(0x9e0);
    let mut all = Vec::new();
    for blocks in (1..=9).chain([48]) {
        for form in FORMS {
            let w = weights(&mut random, blocks);
            let values: Vec<f32> = (0..32 * blocks).map(|_| random.f32()).collect();
            let x = activations(&values);
            let mut want = [0.0; ROWS];
            scalar::dots_grouped(&mut want, &w, form, &x);
            all.extend(want);
            for (r, want) in want.iter().enumerate() {
                let (mut sum, mut size) = (0.0, 0.0);
                for (w, x) in w.iter().zip(&x) {
                    for i in 0..32 {
                        let half = if form.scales == Scales::Halves { i / 16 } else { 0 };
                        let q = f64::from(w.quants[r][i]) - f64::from(form.zero);
                        let offset = match form.scales {
                            Scales::Whole | Scales::Halves => 0.0,
                            _ => f64::from(w.offsets[r]),
                        };
                        let value = q * f64::from(w.scales[half][r]) + offset;
                        let term = value * f64::from(x.quants[i]) * f64::from(x.scale);
                        (sum, size) = (sum + term, size + term.abs());
                    }
                }
                // A half has eleven bits, an f32 twenty-four.
                let bound = if form.scales == Scales::RoundedOffset { 1e-3 } else { 1e-5 };
                assert!((sum - f64::from(*want)).abs() <= bound * size, "{form:?}: {want}, f64 {sum}");
            }
            for variant in runnable(VARIANTS) {
                let mut got = [f32::NAN; ROWS];
                (variant.run)(&mut got, &w, form, &x);
                assert_eq!(
                    got.map(f32::to_bits),
                    want.map(f32::to_bits),
                    "{} {form:?} {blocks}",
                    variant.name
                );
            }
        }
    }
    assert_eq!(digest(&all), 3843388014512725452, "the definition");
}

#[test]
fn the_extremes_do_not_saturate() {
    for sign in [1.0, -1.0] {
        let x = activations(&[sign * 127.0; 32]);
        let w = FourBlocks { quants: [[LARGEST; 32]; ROWS], scales: [[1.0; ROWS]; 2], offsets: [0.0; ROWS] };
        for variant in runnable(VARIANTS) {
            for form in FORMS {
                let mut out = [0.0; ROWS];
                (variant.run)(&mut out, &[w], form, &x);
                let want = sign * 127.0 * 32.0 * f32::from(LARGEST - form.zero);
                assert_eq!(out, [want; ROWS], "{} {form:?}", variant.name);
            }
        }
    }
}

#[test]
fn a_rounded_sum_is_the_half_of_q8_1() {
    // Scale 3 / 127, quants 127 and 31 times 42: the sum of 1429 times the scale, unrounded, is 33.7559….
    let mut values = [1.0; 32];
    values[0] = 3.0;
    let x = &activations(&values)[0];
    assert_eq!(x.halves, [127 + 15 * 42, 16 * 42]);
    assert_eq!(x.sums[1], f16::decode(f16::encode(1429.0 * (3.0f32 / 127.0))));
    assert_eq!(x.sums[0], 1429.0 * f16::decode(f16::encode(3.0 / 127.0)));
    // 32 times 60,000 is no half: the f32 sum stands.
    let x = &activations(&[60000.0; 32])[0];
    assert_eq!(x.sums[1], x.sums[0]);
    assert!(x.sums[0] > 1.9e6);
}
