//! Attention over a whole sequence, and the decoder's over pages.

use kernels::attention::{self, Scratch, Shape};
use kernels::causal_attention::{self, PAGE};

use super::{Comparison, words};
use crate::random::{EDGES, Random};

pub fn check(all: &mut Comparison<'_>) {
    let mut random = Random::new(0x5eed_4000 + all.seed);
    for (heads, head) in [(1, 8), (2, 32), (3, 24), (1, 64)] {
        for keys in (1..=18).chain([127, 128, 129, 256, 300]) {
            for queries in [0, 1, 3, 8, 9, 17] {
                let shape = Shape { queries, keys, heads, head };
                for size in [0.1, 3.0, 50.0] {
                    let inputs = inputs(&mut random, shape, size);
                    compare(all, shape, &inputs);
                }
            }
        }
    }
    special(all, &mut random);
    pages(all, &mut random);
}

fn inputs(random: &mut Random, shape: Shape, size: f32) -> [Vec<f32>; 3] {
    [shape.queries, shape.keys, shape.keys].map(|rows| random.units(rows * shape.heads * shape.head, size))
}

fn compare(all: &mut Comparison<'_>, shape: Shape, [q, k, v]: &[Vec<f32>; 3]) {
    let mut scratch = Scratch::default();
    all.each("attention", attention::VARIANTS, &|| format!("{shape:?}"), |run| {
        let mut out = vec![99.0; q.len()];
        run(&mut out, q, k, v, shape, &mut scratch);
        words(&out)
    });
}

/// One special value, then nothing else, in queries, keys or values.
fn special(all: &mut Comparison<'_>, random: &mut Random) {
    let shape = Shape { queries: 9, keys: 11, heads: 2, head: 16 };
    for edge in EDGES.into_iter().chain([1e-31, 1e-29, -1e30]) {
        for place in 0..3 {
            let mut inputs = inputs(random, shape, 2.0);
            let at = random.below(inputs[place].len());
            inputs[place][at] = edge;
            compare(all, shape, &inputs);
            inputs[place].fill(edge);
            compare(all, shape, &inputs);
        }
    }
}

fn pages(all: &mut Comparison<'_>, random: &mut Random) {
    for head in [1, 8, 31, 32, 33, 64, 96, 128] {
        for round in 0..6 {
            let mut query = random.f32s(head);
            if round == 5 {
                query[random.below(head)] = EDGES[random.below(EDGES.len())];
            }
            let keys = random.f32s(head * PAGE);
            all.each(
                "causal_attention scores",
                causal_attention::SCORES,
                &|| format!("a head of {head}"),
                |run| {
                    let mut out = [99.0; PAGE];
                    run(&mut out, &query, &keys);
                    words(&out)
                },
            );
            let of = 1 + random.below(9);
            let values = random.f32s(of * head * PAGE);
            let values: Vec<&[f32]> = values.chunks_exact(head * PAGE).collect();
            let (start, end) = (random.below(PAGE), (of - 1) * PAGE + random.below(PAGE) + 1);
            let visible = start.min(end - 1)..end;
            let mut weight = |page: usize, j: usize| match visible.contains(&(page * PAGE + j)) {
                true => random.unit().abs(),
                false => 0.0,
            };
            let weights: Vec<[f32; PAGE]> =
                (0..of * 2).map(|row| core::array::from_fn(|j| weight(row / 2, j))).collect();
            let case = || format!("a head of {head}, {visible:?}");
            all.each("causal_attention values", causal_attention::VALUES, &case, |run| {
                let mut out = vec![99.0; head];
                run(&mut out, &weights, 2, &values, visible.clone(), true);
                words(&out)
            });
        }
    }
}
