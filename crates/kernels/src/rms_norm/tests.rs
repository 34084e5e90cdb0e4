use super::*;

#[test]
fn near_f64_and_the_same_in_place() {
    let x: Vec<f32> = (0..3 * 576).map(|i| ((i * 37 % 101) as f32 - 50.0) * 0.03).collect();
    let weight: Vec<f32> = (0..576).map(|i| 0.5 + (i % 7) as f32 * 0.25).collect();
    let (mut out, mut same) = (vec![0.0; x.len()], x.clone());
    rms_norm(&mut out, &x, &weight, 1e-5);
    rms_norm_in_place(&mut same, &weight, 1e-5);
    assert_eq!(out, same);
    for (row, out) in x.chunks(576).zip(out.chunks(576)) {
        let mean = row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>() / 576.0;
        for ((x, w), out) in row.iter().zip(&weight).zip(out) {
            let want = f64::from(*x) / (mean + 1e-5).sqrt() * f64::from(*w);
            assert!((want - f64::from(*out)).abs() <= 1e-6 * want.abs().max(1e-3), "{want} {out}");
        }
    }
}

#[test]
fn zeros_stay_zero() {
    let mut out = [1.0; 4];
    rms_norm(&mut out, &[0.0, -0.0, 0.0, 0.0], &[1.0; 4], 1e-6);
    assert_eq!(out.map(f32::to_bits), [0.0f32, -0.0, 0.0, 0.0].map(f32::to_bits));
}
