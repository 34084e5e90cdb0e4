use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::quantize_int8::tests::EDGES;
use crate::random::Random;
use crate::variant;

fn assert_all_equal(x: &[f32]) {
    let blocks = x.len() / BLOCK;
    let run = |run: QuantizeQ8_0| {
        let (mut quants, mut scales, mut offsets) = (vec![99; x.len()], vec![9.0; blocks], vec![9; blocks]);
        run(&mut quants, &mut scales, &mut offsets, x);
        (quants, scales.iter().map(|scale| scale.to_bits()).collect::<Vec<u32>>(), offsets)
    };
    let want = run(scalar::quantize_q8_0);
    for variant in variant::runnable(VARIANTS) {
        assert!(run(variant.run) == want, "{} of {x:?}", variant.name);
    }
}

#[test]
fn every_variant_equals_the_definition() {
    let mut random = Random::printed(0x5eed_0007);
    for blocks in 0..=5 {
        for start in 0..16 {
            let values: Vec<f32> = (0..start + blocks * BLOCK).map(|_| random.f32() * 1e3).collect();
            assert_all_equal(&values[start..]);
        }
    }
}

#[test]
fn edges_at_every_place_equal_the_definition() {
    for edge in EDGES {
        for other in EDGES {
            for at in 0..BLOCK {
                let mut x = [1.0; BLOCK];
                x[at] = edge;
                x[31 - at] = other;
                assert_all_equal(&x);
            }
        }
    }
}

#[test]
fn blocks_are_ggmls() {
    // d = 3.5 / 127 as f16; quants with the inverse of the unrounded d.
    let mut x = [0.0; BLOCK];
    (x[0], x[1], x[31]) = (-3.5, 1.75, 0.01);
    let mut out = Activations::new();
    quantize_q8_0(&mut out, &x, BLOCK);
    assert_eq!(out.scales(0), [crate::f16::decode(crate::f16::encode(3.5 / 127.0))]);
    assert_eq!((out.quants(0)[0], out.quants(0)[1], out.quants(0)[31]), (-127, 64, 0));
    assert_eq!(out.offsets, [-8 * (64 - 127)]);
}
