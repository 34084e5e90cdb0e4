use super::*;
use crate::variant::runnable;

struct Made {
    head: usize,
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl Pages for Made {
    fn keys(&self, page: usize) -> &[f32] {
        &self.keys[page * PAGE * self.head..][..PAGE * self.head]
    }
    fn values(&self, page: usize) -> &[f32] {
        &self.values[page * PAGE * self.head..][..PAGE * self.head]
    }
}

fn numbers(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn made(head: usize, pages: usize) -> Made {
    Made { head, keys: numbers(3, pages * PAGE * head), values: numbers(4, pages * PAGE * head) }
}

#[test]
fn near_f64_over_every_window() {
    for head in [8, 16, 40, 64] {
        let pages = made(head, 3);
        let query = numbers(7, head);
        for visible in [0..1, 0..31, 0..32, 0..33, 5..6, 30..70, 64..96, 0..96] {
            let (mut out, mut scratch) = (vec![0.0; head], Vec::new());
            causal_attention(&mut out, &query, head, &pages, visible.clone(), 0.25, &mut scratch);
            let key = |j: usize, d: usize| f64::from(pages.keys(j / PAGE)[d * PAGE + j % PAGE]);
            let weights: Vec<f64> = visible
                .clone()
                .map(|j| {
                    let score: f64 = (0..head).map(|d| f64::from(query[d]) * key(j, d)).sum();
                    libm::exp(score * 0.25)
                })
                .collect();
            let sum: f64 = weights.iter().sum();
            for d in 0..head {
                let value = |j: usize| f64::from(pages.values(j / PAGE)[j % PAGE * head + d]);
                let want: f64 = visible.clone().zip(&weights).map(|(j, w)| w * value(j)).sum::<f64>() / sum;
                assert!((want - f64::from(out[d])).abs() < 2e-6, "{head} {visible:?} {d}: {want} {}", out[d]);
            }
        }
    }
}

#[test]
fn every_variant_is_the_definition() {
    for head in 1..=80 {
        let pages = made(head, 1);
        let query = numbers(9, head);
        let (mut want, mut got) = ([0.0; PAGE], [0.0; PAGE]);
        scalar::scores(&mut want, &query, pages.keys(0));
        for variant in runnable(SCORES) {
            (variant.run)(&mut got, &query, pages.keys(0));
            assert_eq!(got.map(f32::to_bits), want.map(f32::to_bits), "{} {head}", variant.name);
        }
        for live in [0..0, 0..32, 3..17] {
            let mut want = vec![0.5; head];
            scalar::accumulate(&mut want, &got, pages.values(0), live.clone());
            for variant in runnable(ACCUMULATE) {
                let mut out = vec![0.5; head];
                (variant.run)(&mut out, &got, pages.values(0), live.clone());
                assert_eq!(out, want, "{} {head} {live:?}", variant.name);
            }
        }
    }
}

/// Heads that share a page are each as alone, more of them than go through it together too, and as the definition of
/// the order says.
#[test]
fn heads_together_are_heads_alone() {
    let pages = made(40, 3);
    for heads in [1, 2, 3, 7, 8, 9, 17] {
        let query: Vec<f32> = numbers(11, heads * 40).iter().map(|value| value * 9.0).collect();
        for visible in [0..1, 0..33, 5..6, 30..70, 64..96, 0..96] {
            let (mut out, mut scratch) = (vec![0.0; heads * 40], Vec::new());
            causal_attention(&mut out, &query, 40, &pages, visible.clone(), 0.25, &mut scratch);
            for (out, query) in out.chunks(40).zip(query.chunks(40)) {
                let want = in_order(query, &pages, visible.clone(), 0.25);
                assert_eq!(out, want, "{heads} {visible:?}");
            }
        }
    }
}

/// The documented order, number by number.
fn in_order(query: &[f32], pages: &Made, visible: Range<usize>, scale: f32) -> Vec<f32> {
    let scores: Vec<f32> = visible
        .clone()
        .map(|j| {
            let key = |d: usize| pages.keys(j / PAGE)[d * PAGE + j % PAGE];
            query.iter().enumerate().fold(0.0, |sum, (d, q)| sum + q * key(d)) * scale
        })
        .collect();
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = scores.iter().map(|score| libm::expf(score - largest)).collect();
    let mut sums = [0.0; PAGE];
    for (j, weight) in visible.clone().zip(&weights) {
        sums[j % PAGE] += weight;
    }
    let inverse = 1.0 / crate::dot_f32::fold(sums);
    (0..query.len())
        .map(|d| {
            let value = |j: usize| pages.values(j / PAGE)[j % PAGE * query.len() + d];
            visible.clone().zip(&weights).fold(0.0, |sum, (j, weight)| sum + weight * value(j)) * inverse
        })
        .collect()
}

/// Positions outside the window hold what earlier text left there, even infinities: they must not count.
#[test]
fn hidden_positions_do_not_count() {
    let mut pages = made(8, 2);
    let query = numbers(7, 8);
    let (mut clean, mut out, mut scratch) = (vec![0.0; 8], vec![0.0; 8], Vec::new());
    causal_attention(&mut clean, &query, 8, &pages, 4..40, 0.25, &mut scratch);
    for j in (0..4).chain(40..64) {
        for d in 0..8 {
            pages.keys[j / PAGE * PAGE * 8 + d * PAGE + j % PAGE] = f32::NAN;
            pages.values[j * 8 + d] = f32::INFINITY;
        }
    }
    causal_attention(&mut out, &query, 8, &pages, 4..40, 0.25, &mut scratch);
    assert_eq!(out, clean);
}

/// Strided over all floats, at every place of a page, and pages that hold one far value.
#[test]
fn exponentials_are_libms() {
    let check = |page: [f32; PAGE]| {
        let mut want = page;
        scalar::exponentials(&mut want);
        for variant in runnable(EXPONENTIALS) {
            let mut got = page;
            (variant.run)(&mut got);
            for ((got, want), x) in got.iter().zip(&want).zip(&page) {
                let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(same, "{} of {x:e}: {got:e}, not {want:e}", variant.name);
            }
        }
    };
    for start in (0..1u64 << 32).step_by(32 * 8191) {
        check(core::array::from_fn(|i| f32::from_bits((start + 8191 * i as u64) as u32)));
    }
    // Within ±64 alone, where vectors run: every piece of the function and its edges.
    let edges = [0.0, 1.0, 0.346_573_6, 1.039_720_8, 1.2207031e-4, 63.999_996, 64.0, 88.72284, f32::NAN];
    for edge in edges {
        for step in -300..300i32 {
            let near = f32::from_bits((edge.to_bits() as i32 + step).max(0) as u32);
            check(core::array::from_fn(|i| if i % 2 == 0 { near } else { -near }));
        }
    }
    for at in 0..PAGE {
        for far in [f32::NEG_INFINITY, -100.0, f32::NAN, 90.0] {
            check(core::array::from_fn(|i| if i == at { far } else { i as f32 * -1.7 }));
        }
    }
}
