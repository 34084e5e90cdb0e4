//! Checks that functions of one value share.

use std::vec;
use std::vec::Vec;

use crate::variant::{Variant, runnable};

pub type InPlace = fn(x: &mut [f32]);

/// Every variant returns the bits of the definition, NaNs as one.
pub fn assert_all_equal(variants: &'static [Variant<InPlace>], x: &[f32]) {
    let definition = variants.last().expect("the definition ends every list");
    let mut want = x.to_vec();
    (definition.run)(&mut want);
    for variant in runnable(variants) {
        let mut got = x.to_vec();
        (variant.run)(&mut got);
        for ((got, want), x) in got.iter().zip(&want).zip(x) {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{}: {got:e} is not {want:e} of {x:e} ({:#x})", variant.name, x.to_bits());
        }
    }
}

/// Two million values of all sizes; all 2^32 run in verify.
pub fn assert_strided_equal(variants: &'static [Variant<InPlace>]) {
    let mut x = vec![0.0; 4096];
    let mut bits = 0u32;
    for _ in 0..512 {
        for x in &mut x {
            bits = bits.wrapping_add(2039);
            *x = f32::from_bits(bits);
        }
        assert_all_equal(variants, &x);
    }
}

/// Each of `edges`, of either sign, at every place of every length up to 40 among values that `other` gives.
pub fn assert_edges_equal(variants: &'static [Variant<InPlace>], edges: &[f32], other: fn(usize) -> f32) {
    for length in 0..=40 {
        for at in 0..length {
            for edge in edges.iter().flat_map(|edge| [*edge, -*edge]) {
                let mut x: Vec<f32> = (0..length).map(other).collect();
                x[at] = edge;
                assert_all_equal(variants, &x);
            }
        }
    }
}
