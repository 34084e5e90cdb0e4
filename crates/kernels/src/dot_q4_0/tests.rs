use alloc::vec::Vec;

use super::*;
use crate::random::Random;
use crate::{f16, variant};

pub(crate) fn weights(random: &mut Random, count: usize) -> Vec<BlockQ4_0> {
    (0..count)
        .map(|_| BlockQ4_0 {
            d: f16::encode(random.f32()).to_le_bytes(),
            qs: core::array::from_fn(|_| random.next() as u8),
        })
        .collect()
}

pub(crate) fn activations(random: &mut Random, count: usize) -> Vec<BlockQ8_0> {
    (0..count)
        .map(|_| BlockQ8_0 {
            d: f16::encode(random.f32()).to_le_bytes(),
            qs: core::array::from_fn(|_| ((random.next() % 255) as i32 - 127) as i8),
        })
        .collect()
}

fn assert_all_equal(w: &[BlockQ4_0], x: &[BlockQ8_0]) {
    let want = scalar::dot_q4_0_q8_0(w, x);
    for variant in variant::runnable(VARIANTS) {
        let got = (variant.run)(w, x);
        let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
        assert!(same, "{}: {got:e} is not {want:e}, {} blocks", variant.name, w.len());
    }
}

#[test]
fn every_variant_equals_the_definition() {
    let mut random = Random::printed(0x5eed_0008);
    for count in (0..=17).chain([128]) {
        for _ in 0..20 {
            assert_all_equal(&weights(&mut random, count), &activations(&mut random, count));
        }
    }
}

#[test]
fn all_halves_as_either_scale() {
    let mut random = Random::printed(0x5eed_0009);
    let (mut w, mut x) = (weights(&mut random, 4), activations(&mut random, 4));
    for half in 0..=u16::MAX {
        let at = half as usize % 4;
        w[at].d = half.to_le_bytes();
        assert_all_equal(&w, &x);
        w[at].d = 0x3c00u16.to_le_bytes();
        x[at].d = half.to_le_bytes();
        assert_all_equal(&w, &x);
        x[at].d = 0xbc01u16.to_le_bytes();
    }
}

#[test]
fn extreme_sums_do_not_saturate() {
    let d = 0x3c00u16.to_le_bytes();
    for nibbles in [0x00, 0xff, 0x0f, 0xf0] {
        for y in [[127, 127], [-127, -127], [127, -127], [-127, 127]] {
            let w = [BlockQ4_0 { d, qs: [nibbles; 16] }; 4];
            let x = [BlockQ8_0 { d, qs: core::array::from_fn(|i| y[i / 16]) }; 4];
            assert_all_equal(&w, &x);
        }
    }
}

#[test]
fn the_dot_is_a_row_of_the_product() {
    let mut random = Random::printed(0x5eed_000a);
    let w = weights(&mut random, 5);
    let bytes: Vec<u8> = w.iter().flat_map(|block| block.d.into_iter().chain(block.qs)).collect();
    let packed = crate::Packed::pack_q4_0(1, 160, &bytes).unwrap();
    let values: Vec<f32> = (0..160).map(|_| random.unit()).collect();
    let mut quantised = crate::Activations::new();
    crate::quantize_q8_0(&mut quantised, &values, 160);
    let mut out = [0.0];
    crate::matmul_q4_0(&mut out, &packed, &quantised, None);
    let x: Vec<BlockQ8_0> = (0..5)
        .map(|b| BlockQ8_0 {
            d: f16::encode(quantised.scales(0)[b]).to_le_bytes(),
            qs: core::array::from_fn(|i| quantised.quants(0)[32 * b + i]),
        })
        .collect();
    assert_eq!(dot_q4_0_q8_0(&w, &x).to_bits(), out[0].to_bits());
}
