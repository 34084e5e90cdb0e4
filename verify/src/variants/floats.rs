//! Functions, norms, sums, embeddings, gates and rotations.

use kernels::embedding::{self, Row};
use kernels::rope::{Pairs, rope};
use kernels::{exp, gate, geglu, gelu, layer_norm, residual, rms_norm};

use super::{Comparison, words};
use crate::random::{EDGES, Random};

pub fn check(all: &mut Comparison<'_>) {
    let mut random = Random::new(0x5eed_5000 + all.seed);
    functions(all, &mut random);
    norms(all, &mut random);
    sums(all, &mut random);
    decoder(all, &mut random);
}

/// All lengths to four times sixteen at all alignments, an edge somewhere.
fn functions(all: &mut Comparison<'_>, random: &mut Random) {
    for length in 0..=64 {
        for alignment in 0..16 {
            let mut x = random.f32s(alignment + length);
            if length > 0 {
                let edge = EDGES[random.below(EDGES.len())];
                x[alignment + random.below(length)] = if random.below(2) == 0 { edge } else { -edge };
            }
            let case = || format!("{length} values at {alignment}");
            let run = |run: fn(&mut [f32])| {
                let mut x = x.clone();
                run(&mut x[alignment..]);
                words(&x)
            };
            all.each("gelu", gelu::VARIANTS, &case, run);
            all.each("exp", exp::VARIANTS, &case, run);
        }
    }
}

fn norms(all: &mut Comparison<'_>, random: &mut Random) {
    for columns in (1..=67).chain([128, 384, 385, 576]) {
        for rows in [1, 3] {
            for with in [false, true] {
                let mut x = random.f32s(rows * columns);
                let residual = random.f32s(rows * columns);
                let (weight, bias) = (random.f32s(columns), random.f32s(columns));
                if rows == 3 {
                    let at = random.below(columns);
                    x[columns + at] = EDGES[random.below(EDGES.len())];
                }
                let residual = with.then_some(&residual[..]);
                let case = || format!("{rows} rows of {columns}, residual {with}");
                all.each("layer_norm", layer_norm::VARIANTS, &case, |run| {
                    let mut x = x.clone();
                    run(&mut x, residual, &weight, &bias, 1e-12);
                    words(&x)
                });
                let mut out = x.clone();
                rms_norm::rms_norm(&mut out, &x, &weight, 1e-6);
                all.digest("rms_norm", &words(&out));
            }
        }
    }
}

fn sums(all: &mut Comparison<'_>, random: &mut Random) {
    for length in (0..=67).chain([384]) {
        let (mut x, y) = (random.f32s(length), random.f32s(length));
        let quants: Vec<i8> = (0..length).map(|_| random.next() as i8).collect();
        if length > 0 {
            x[random.below(length)] = EDGES[random.below(EDGES.len())];
        }
        let case = || format!("{length} values");
        all.each("residual", residual::VARIANTS, &case, |run| {
            let mut x = x.clone();
            run(&mut x, &y);
            words(&x)
        });
        let zero = (random.below(256) as i32 - 128) as f32;
        for row in [Row::F32(&y), Row::Int8 { quants: &quants, scale: random.f32(), zero }] {
            for add in [false, true] {
                all.each("embedding", embedding::VARIANTS, &case, |run| {
                    let mut x = x.clone();
                    run(&mut x, row, add);
                    words(&x)
                });
            }
        }
    }
}

/// Gates, and kernels with a definition alone, whose digests are compared between builds.
fn decoder(all: &mut Comparison<'_>, random: &mut Random) {
    for length in 0..=67 {
        let (mut values, up) = (random.f32s(length), random.f32s(length));
        if length > 0 {
            values[random.below(length)] = EDGES[random.below(EDGES.len())];
        }
        all.each("swiglu", gate::VARIANTS, &|| format!("{length} values"), |run| {
            let mut out = values.clone();
            run(&mut out, &up);
            words(&out)
        });
        geglu(&mut values, &up);
        all.digest("geglu", &words(&values));
    }
    for head in [2, 8, 64, 128] {
        for pairs in [Pairs::Adjacent, Pairs::Halves] {
            let mut x = random.f32s(3 * head);
            let (cos, sin) = (random.units(head / 2, 1.0), random.units(head / 2, 1.0));
            rope(&mut x, head, &cos, &sin, pairs);
            all.digest("rope", &words(&x));
        }
    }
}
