use super::*;
use crate::variant::runnable;

#[test]
fn near_the_exact_sum_at_every_length() {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    for length in 0..=4 * LANES {
        let a: Vec<f32> = (0..length).map(|_| next()).collect();
        let b: Vec<f32> = (0..length).map(|_| next()).collect();
        let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        let definition = scalar::dot_f32(&a, &b);
        assert!((f64::from(definition) - exact).abs() <= 1e-6 * (1.0 + length as f64), "{length}");
        for variant in runnable(VARIANTS) {
            assert_eq!((variant.run)(&a, &b).to_bits(), definition.to_bits(), "{} {length}", variant.name);
        }
    }
}

#[test]
fn the_order_is_the_documented_one() {
    // 1e8 + 1 loses the 1 unless another lane holds it until -1e8 has come.
    let mut a = [0.0; 33];
    (a[0], a[16], a[32]) = (1e8, 1.0, -1e8);
    assert_eq!(dot_f32(&a, &[1.0; 33]), 1.0, "lane 0 sums 0 and 32 before lane 16 joins it");
}
