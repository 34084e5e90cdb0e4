//! Products of the types of small quants, four rows at a time.

use kernels::dots_grouped::{self, Form, FourBlocks, LARGEST, ROWS, Scales, arrange};
use kernels::{Activations, f16, quantize_q8_0};

use super::{Comparison, words};
use crate::random::{EDGES, Random};

const FORMS: [Form; 5] = [
    Form { zero: 16, scales: Scales::Whole },
    Form { zero: 32, scales: Scales::Halves },
    Form { zero: 0, scales: Scales::Offset },
    Form { zero: 0, scales: Scales::RoundedOffset },
    Form { zero: 0, scales: Scales::Halves },
];

pub fn check(all: &mut Comparison<'_>) {
    let mut random = Random::new(0x5eed_6000 + all.seed);
    for blocks in (1..=12).chain([18, 48, 128]) {
        for _ in 0..6 {
            let weights: Vec<FourBlocks> = (0..blocks).map(|_| block(&mut random)).collect();
            compare(all, &weights, &random.f32s(32 * blocks));
        }
    }
    // Special scales and offsets against special activations.
    for half in [0, 1, 0x8001, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00] {
        for edge in EDGES {
            let mut weights = [block(&mut random), block(&mut random)];
            weights[1].scales = [[f16::decode(half); ROWS]; 2];
            weights[1].offsets[2] = f16::decode(half);
            let mut values = random.f32s(64);
            values[32 + random.below(32)] = edge;
            compare(all, &weights, &values);
        }
    }
    // The largest sums, signs by pairs.
    for signs in 0..16u32 {
        let sign = |i: usize| if signs >> (i / 2 % 4) & 1 == 0 { 127.0 } else { -127.0 };
        let values: Vec<f32> = (0..64).map(sign).collect();
        for fill in [0, 1, LARGEST - 1, LARGEST] {
            let weights = FourBlocks {
                quants: [[fill; 32], [LARGEST; 32], [LARGEST - fill; 32], [fill; 32]],
                scales: [[1.0; ROWS]; 2],
                offsets: [0.5; ROWS],
            };
            compare(all, &[weights, weights], &values);
        }
    }
}

fn block(random: &mut Random) -> FourBlocks {
    FourBlocks {
        quants: core::array::from_fn(|_| {
            core::array::from_fn(|_| random.below(usize::from(LARGEST) + 1) as u8)
        }),
        scales: core::array::from_fn(|_| core::array::from_fn(|_| random.f32())),
        offsets: core::array::from_fn(|_| random.f32()),
    }
}

fn compare(all: &mut Comparison<'_>, weights: &[FourBlocks], values: &[f32]) {
    let (mut quantized, mut x) = (Activations::new(), Vec::new());
    quantize_q8_0(&mut quantized, values, values.len());
    arrange(&mut x, &quantized, values);
    for form in FORMS {
        let case = || format!("{} blocks, {form:?}", weights.len());
        all.each("dots_grouped", dots_grouped::VARIANTS, &case, |run| {
            let mut out = [99.0; ROWS];
            run(&mut out, weights, form, &x);
            words(&out)
        });
    }
}
