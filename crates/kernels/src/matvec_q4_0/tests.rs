use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::dot_q4_0::tests::weights;
use crate::random::Random;
use crate::{quantize_q8_0, variant};

fn assert_all_equal(packed: &Packed<'_>, x: &Activations) {
    let rows = packed.rows();
    let mut want = vec![f32::NAN; rows];
    scalar::matvec_q4_0(&mut want, packed, x);
    for variant in variant::runnable(VARIANTS) {
        let mut got = vec![f32::NAN; rows];
        (variant.run)(&mut got, packed, x);
        for (o, (got, want)) in got.iter().zip(&want).enumerate() {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(
                same,
                "{} output {o} of {rows}x{}: {got:e} is not {want:e}",
                variant.name,
                packed.columns()
            );
        }
    }
}

fn packed(random: &mut Random, rows: usize, blocks: usize) -> Vec<u8> {
    weights(random, rows * blocks).iter().flat_map(|block| block.d.into_iter().chain(block.qs)).collect()
}

#[test]
fn every_variant_is_a_row_of_the_product() {
    let mut random = Random::printed(0x5eed_0021);
    for rows in (1..=17).chain([40]) {
        for blocks in (1..=9).chain([18]) {
            let bytes = packed(&mut random, rows, blocks);
            let matrix = Packed::pack_q4_0(rows, 32 * blocks, &bytes).unwrap();
            let values: Vec<f32> = (0..2 * 32 * blocks).map(|_| random.unit()).collect();
            let mut x = Activations::new();
            quantize_q8_0(&mut x, &values, 32 * blocks);
            assert_all_equal(&matrix, &x);
            let (mut one, mut two) = (vec![0.0; rows], vec![0.0; 2 * rows]);
            matvec_q4_0(&mut one, &matrix, &x);
            crate::matmul_q4_0(&mut two, &matrix, &x, None);
            assert!(
                one.iter().zip(&two).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
            );
        }
    }
}

#[test]
fn extreme_sums_do_not_saturate() {
    for nibbles in [0x00, 0xff, 0x0f, 0xf0] {
        for signs in [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]] {
            let block = [&0x3c00u16.to_le_bytes()[..], &[nibbles; 16]].concat();
            let bytes = block.repeat(9 * 5);
            let matrix = Packed::pack_q4_0(9, 160, &bytes).unwrap();
            let values: Vec<f32> = (0..160).map(|i| 127.0 * signs[i / 16 % 2]).collect();
            let mut x = Activations::new();
            quantize_q8_0(&mut x, &values, 160);
            assert_all_equal(&matrix, &x);
        }
    }
}

/// What a thread multiplies is a part of the whole.
#[test]
fn parts_are_the_whole() {
    let mut random = Random::printed(0x5eed_0022);
    let bytes = packed(&mut random, 201, 3);
    let matrix = Packed::pack_q4_0(201, 96, &bytes).unwrap();
    let values: Vec<f32> = (0..96).map(|_| random.unit()).collect();
    let mut x = Activations::new();
    quantize_q8_0(&mut x, &values, 96);
    let mut whole = vec![0.0; 201];
    matvec_q4_0(&mut whole, &matrix, &x);
    for (first, rows) in [(0, 48), (48, 96), (144, 57), (0, 201), (192, 9)] {
        let mut part = vec![f32::NAN; rows];
        matvec_q4_0(&mut part, &matrix.part(first, rows), &x);
        let same = part.iter().zip(&whole[first..]).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{first} + {rows}");
    }
}

#[test]
#[should_panic(expected = "multiple of 48")]
fn a_part_starts_at_a_panel() {
    let mut random = Random::printed(0x5eed_0023);
    let bytes = packed(&mut random, 96, 1);
    Packed::pack_q4_0(96, 32, &bytes).unwrap().part(8, 8);
}
