use super::*;
use crate::variant::runnable;

fn inputs() -> Vec<f32> {
    (-4000..=4000).map(|i| i as f32 * 0.005).collect()
}

/// exp in f64, by its series: the standard library's is not for us, not even in tests.
fn exp(x: f64) -> f64 {
    let n = 64.0;
    let y = x / n;
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..24 {
        term *= y / f64::from(k);
        sum += term;
    }
    (0..6).fold(sum, |sum, _| sum * sum)
}

#[test]
fn swiglu_is_near_f64() {
    let up = vec![2.0; inputs().len()];
    let mut gate = inputs();
    swiglu(&mut gate, &up);
    for (x, got) in inputs().into_iter().zip(gate) {
        let x = f64::from(x);
        let want = 2.0 * x / (1.0 + exp(-x));
        assert!((want - f64::from(got)).abs() <= 4e-7 * want.abs().max(1e-6), "{x}: {want} {got}");
    }
}

#[test]
fn geglu_is_near_f64() {
    let up = vec![2.0; inputs().len()];
    let mut gate = inputs();
    geglu(&mut gate, &up);
    for (x, got) in inputs().into_iter().zip(gate) {
        let x = f64::from(x);
        let e = exp(-2.0 * (2.0 / core::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x).abs());
        let tanh = ((1.0 - e) / (1.0 + e)).copysign(x);
        let want = x * (1.0 + tanh);
        assert!((want - f64::from(got)).abs() <= 1e-6 * (1.0 + want.abs()), "{x}: {want} {got}");
    }
}

#[test]
fn far_values_saturate() {
    let mut gate = [-200.0, 200.0, f32::INFINITY];
    swiglu(&mut gate, &[1.0; 3]);
    assert_eq!(gate, [0.0, 200.0, f32::INFINITY]);
}

#[test]
fn every_variant_is_the_definition() {
    let check = |gate: &[f32], up: &[f32]| {
        let mut want = gate.to_vec();
        scalar::swiglu(&mut want, up);
        for variant in runnable(VARIANTS) {
            let mut got = gate.to_vec();
            (variant.run)(&mut got, up);
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(same, "{} of {:e} and {:e}: {got:e}, not {want:e}", variant.name, gate[i], up[i]);
            }
        }
    };
    let ups = [1.0, -0.0, 3.7, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE, -1e30];
    for start in (0..1u64 << 32).step_by(64 * 16381) {
        let gate: Vec<f32> = (0..64).map(|i| f32::from_bits((start + 16381 * i) as u32)).collect();
        let up: Vec<f32> = (0..64).map(|i| ups[i % ups.len()]).collect();
        check(&gate, &up);
    }
    for length in 0..70 {
        let gate: Vec<f32> = (0..length).map(|i| (i as f32 - 30.0) * 2.3).collect();
        check(&gate, &vec![1.25; length]);
    }
    for at in 0..16 {
        for far in [f32::NEG_INFINITY, -100.0, f32::NAN, 90.0, -64.0, 64.0] {
            let gate: Vec<f32> = (0..16).map(|i| if i == at { far } else { i as f32 - 8.0 }).collect();
            check(&gate, &[2.0; 16]);
        }
    }
}
