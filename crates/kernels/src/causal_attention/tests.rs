use super::*;
use crate::dot_f32::dot_f32;
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
    fn finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }
}

impl Made {
    fn key(&self, j: usize, d: usize) -> f32 {
        self.keys(j / PAGE)[key_row(d, self.head) * PAGE + j % PAGE]
    }
    fn value(&self, j: usize, d: usize) -> f32 {
        self.values(j / PAGE)[slot(j % PAGE) * self.head + d]
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
            let key = |j: usize, d: usize| f64::from(pages.key(j, d));
            let weights: Vec<f64> = visible
                .clone()
                .map(|j| {
                    let score: f64 = (0..head).map(|d| f64::from(query[d]) * key(j, d)).sum();
                    libm::exp(score * 0.25)
                })
                .collect();
            let sum: f64 = weights.iter().sum();
            for (d, out) in out.into_iter().enumerate() {
                let value = |j: usize| f64::from(pages.value(j, d));
                let want: f64 = visible.clone().zip(&weights).map(|(j, w)| w * value(j)).sum::<f64>() / sum;
                assert!((want - f64::from(out)).abs() < 2e-6, "{head} {visible:?} {d}: {want} {out}");
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
        let pages: Vec<Made> = (1..=9).map(|pages| made(head, pages)).collect();
        for (visible, of) in [(0..1, 1), (0..32, 1), (3..17, 1), (5..64, 2), (31..129, 5), (0..288, 9)] {
            let values: Vec<&[f32]> = (0..of).map(|page| pages[of - 1].values(page)).collect();
            let mut weights = vec![[f32::NAN; PAGE]; of * 3];
            for (weights, page) in weights.iter_mut().step_by(3).zip(0..) {
                *weights = numbers(page, PAGE).try_into().expect("a page");
            }
            for (page, weights) in weights.iter_mut().step_by(3).enumerate() {
                hide(weights, live(page, &visible), 0.0);
            }
            let mut want = vec![0.5; head];
            scalar::values(&mut want, &weights, 3, &values, visible.clone(), false);
            for (variant, finite) in runnable(VALUES).flat_map(|variant| [(variant, true), (variant, false)])
            {
                let mut out = vec![0.5; head];
                (variant.run)(&mut out, &weights, 3, &values, visible.clone(), finite);
                let same = out.iter().zip(&want).all(|(out, want)| out.to_bits() == want.to_bits());
                assert!(same, "{} {head} {visible:?}: {out:?}, not {want:?}", variant.name);
            }
        }
    }
}

/// Lanes lie in the order of their joins, each in a row of its own.
#[test]
fn rows_are_a_permutation() {
    let mut rows: Vec<usize> = (0..LANES).map(slot).collect();
    assert_eq!(rows[..8], [0, 8, 16, 24, 4, 12, 20, 28]);
    assert_eq!([rows[0], rows[16], rows[8], rows[24], rows[4]], [0, 1, 2, 3, 4]);
    rows.sort_unstable();
    assert!(rows.into_iter().eq(0..LANES));
    assert_eq!([key_row(33, 64), key_row(33, 40), key_row(0, 1)], [40, 33, 0]);
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
            let keys: Vec<f32> = (0..query.len()).map(|d| pages.key(j, d)).collect();
            dot_f32(query, &keys) * scale
        })
        .collect();
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut weights: Vec<f32> = scores.iter().map(|score| libm::expf(score - largest)).collect();
    let mut sums = [0.0; PAGE];
    for (j, weight) in visible.clone().zip(&weights) {
        sums[j % PAGE] += f64::from(*weight);
    }
    let inverse = (1.0 / fold(sums)) as f32;
    weights.iter_mut().for_each(|weight| *weight *= inverse);
    // Zeros down to a multiple of 32 put each position into its lane.
    let hidden = visible.start % PAGE;
    let padded = |visible: &[f32]| [vec![0.0; hidden], visible.to_vec()].concat();
    (0..query.len())
        .map(|d| {
            let values: Vec<f32> = visible.clone().map(|j| pages.value(j, d)).collect();
            dot_f32(&padded(&weights), &padded(&values))
        })
        .collect()
}

/// Positions outside the window hold what earlier text left there, even infinities: they must not count.
#[test]
fn hidden_positions_do_not_count() {
    const HEAD: usize = 32;
    let query = numbers(7, HEAD);
    for visible in [0..40, 4..40, 33..40, 0..1] {
        let mut pages = made(HEAD, 2);
        let (mut clean, mut out, mut scratch) = (vec![0.0; HEAD], vec![0.0; HEAD], Vec::new());
        causal_attention(&mut clean, &query, HEAD, &pages, visible.clone(), 0.25, &mut scratch);
        for j in (0..2 * PAGE).filter(|j| !visible.contains(j)) {
            for d in 0..HEAD {
                pages.keys[j / PAGE * PAGE * HEAD + key_row(d, HEAD) * PAGE + j % PAGE] = f32::NAN;
                pages.values[(j / PAGE * PAGE + slot(j % PAGE)) * HEAD + d] = f32::INFINITY;
            }
        }
        causal_attention(&mut out, &query, HEAD, &pages, visible.clone(), 0.25, &mut scratch);
        assert_eq!(out, clean, "{visible:?}");
    }
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
