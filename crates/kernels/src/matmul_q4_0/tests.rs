use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::activations::Activations;
use crate::block::{BLOCK, BlockQ4_0};
use crate::random::Random;
use crate::{f16, quantize_q8_0, variant};

/// Blocks with scales of all sizes and quants of all values.
fn blocks(random: &mut Random, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..count {
        bytes.extend(f16::encode(random.f32()).to_le_bytes());
        bytes.extend((0..16).map(|_| random.next() as u8));
    }
    bytes
}

fn assert_all_equal(weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>, rows: usize) {
    let mut want = vec![f32::NAN; rows * weights.rows()];
    scalar::matmul_q4_0(&mut want, weights, x, bias);
    for variant in variant::runnable(VARIANTS) {
        let mut got = vec![f32::NAN; want.len()];
        (variant.run)(&mut got, weights, x, bias);
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(
                same,
                "{}: {got:e} is not {want:e}, output {i} of {rows} x {} x {}",
                variant.name,
                weights.columns(),
                weights.rows()
            );
        }
    }
}

#[test]
fn every_variant_equals_the_definition() {
    let mut random = Random::printed(0x5eed_0001);
    for columns in [32, 64, 96, 512, 544, 1056] {
        for outputs in [1, 3, 4, 7, 8, 9, 15, 16, 17, 24, 35] {
            let weights =
                Packed::pack_q4_0(outputs, columns, &blocks(&mut random, outputs * columns / 32)).unwrap();
            for rows in (1..=18).chain([33]).take(if columns > 96 { 9 } else { 19 }) {
                let values: Vec<f32> = (0..rows * columns).map(|_| random.f32()).collect();
                let bias: Vec<f32> = (0..outputs).map(|_| random.f32()).collect();
                let mut x = Activations::new();
                quantize_q8_0(&mut x, &values, columns);
                assert_all_equal(&weights, &x, Some(&bias), rows);
                assert_all_equal(&weights, &x, None, rows.div_ceil(2));
            }
        }
    }
}

#[test]
fn extreme_sums_do_not_wrap() {
    // All nibbles 0 or 15 against all quants -127 or 127, and the halves of a block against each other.
    for nibbles in [0x00u8, 0xff, 0x0f, 0xf0] {
        for signs in 0..16u32 {
            let mut block = vec![0x00, 0x3c];
            block.extend([nibbles; 16]);
            let weights = Packed::pack_q4_0(8, BLOCK, &block.repeat(8)).unwrap();
            let values: Vec<f32> =
                (0..BLOCK).map(|i| if signs >> (i / 2 % 4) & 1 == 0 { 127.0 } else { -127.0 }).collect();
            let mut x = Activations::new();
            quantize_q8_0(&mut x, &values, BLOCK);
            assert_all_equal(&weights, &x, None, 1);
        }
    }
}

#[test]
fn special_scales_keep_their_bits() {
    // Zero, the smallest subnormal, the largest, infinity and NaN as f16 scales, with their signs.
    for d in [0u16, 1, 0x03ff, 0x7bff, 0x7c00, 0x7e00] {
        for d in [d, d | 0x8000] {
            let mut block = d.to_le_bytes().to_vec();
            block.extend((0..16).map(|i| i * 17));
            let weights = Packed::pack_q4_0(2, BLOCK, &block.repeat(2)).unwrap();
            for value in [0.0, -0.0, 1e-45, f32::MAX, f32::INFINITY, f32::NAN, 1.0] {
                let mut values = [0.5; BLOCK];
                values[3] = value;
                let mut x = Activations::new();
                quantize_q8_0(&mut x, &values, BLOCK);
                assert_all_equal(&weights, &x, Some(&[-0.0, 1.0]), 1);
            }
        }
    }
}

#[test]
fn the_definition_is_within_f64_of_the_oracle() {
    let mut random = Random::printed(0x5eed_0002);
    let (rows, columns, outputs) = (3, 384, 5);
    let bytes = blocks(&mut random, outputs * columns / 32);
    let weights = Packed::pack_q4_0(outputs, columns, &bytes).unwrap();
    let values: Vec<f32> = (0..rows * columns).map(|_| random.unit()).collect();
    let mut x = Activations::new();
    quantize_q8_0(&mut x, &values, columns);
    let mut out = vec![0.0; rows * outputs];
    matmul_q4_0(&mut out, &weights, &x, None);
    let (ggml, _) = bytes.as_chunks::<{ BlockQ4_0::BYTES }>();
    for t in 0..rows {
        for o in 0..outputs {
            let (mut sum, mut size) = (0.0f64, 0.0f64);
            for column in 0..columns {
                let block = BlockQ4_0::from_bytes(&ggml[(o * columns + column) / BLOCK]);
                let w = (f64::from(block.quant(column % BLOCK)) - 8.0) * f64::from(block.scale());
                let y = f64::from(x.quants(t)[column]) * f64::from(x.scales(t)[column / BLOCK]);
                sum += w * y;
                size += (w * y).abs();
            }
            // A block costs a conversion, two products and an addition of half an ulp each.
            let bound = size * (columns / BLOCK + 3) as f64 * f64::from(f32::EPSILON) / 2.0;
            let error = (f64::from(out[t * outputs + o]) - sum).abs();
            assert!(error <= bound, "{error:e} over {bound:e}");
        }
    }
}

#[test]
fn digest() {
    let mut random = Random::new(7);
    let (rows, columns, outputs) = (9, 160, 35);
    let weights = Packed::pack_q4_0(outputs, columns, &blocks(&mut random, outputs * columns / 32)).unwrap();
    let values: Vec<f32> = (0..rows * columns).map(|_| random.unit()).collect();
    let bias: Vec<f32> = (0..outputs).map(|_| random.unit()).collect();
    let mut x = Activations::new();
    quantize_q8_0(&mut x, &values, columns);
    let mut out = vec![0.0; rows * outputs];
    matmul_q4_0(&mut out, &weights, &x, Some(&bias));
    assert_eq!(crate::random::digest(&out), 0xc5b4ddf76554aad3);
}
