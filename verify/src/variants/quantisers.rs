//! The quantisers at all lengths and alignments; `quantchk` has all values.

use kernels::{quantize_int8, quantize_q8_0};

use super::Comparison;
use crate::part::bits;
use crate::random::{EDGES, Random};

pub fn check(all: &mut Comparison<'_>) {
    let mut random = Random::new(0x5eed_6000 + all.seed);
    for length in 0..=140 {
        for alignment in 0..16 {
            let mut x = random.f32s(alignment + length);
            if length > 0 && alignment % 2 == 1 {
                x[alignment + random.below(length)] = EDGES[random.below(EDGES.len())];
            }
            let x = &x[alignment..];
            let case = || format!("{length} values at {alignment}");
            all.each("quantize_int8", quantize_int8::VARIANTS, &case, |run| {
                let mut quants = vec![99; length];
                let scale = run(&mut quants, x);
                quants.iter().map(|quant| *quant as u32).chain([bits(scale)]).collect()
            });
            let blocks = length / 32;
            let x = &x[..blocks * 32];
            all.each("quantize_q8_0", quantize_q8_0::VARIANTS, &case, |run| {
                let (mut quants, mut scales, mut offsets) =
                    (vec![99; x.len()], vec![9.0; blocks], vec![9; blocks]);
                run(&mut quants, &mut scales, &mut offsets, x);
                let quants = quants.iter().map(|quant| *quant as u32);
                quants
                    .chain(scales.iter().map(|s| bits(*s)))
                    .chain(offsets.iter().map(|o| *o as u32))
                    .collect()
            });
        }
    }
}
