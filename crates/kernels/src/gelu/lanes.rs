//! GELU sixteen values at a time, without branches between them, so that LLVM turns each loop into vectors.
//!
//! libm's `erff` has five pieces. The first two are computed for all values, the two with exponentials only when one
//! of the sixteen needs them; each value takes the bits of its own piece. The constants are libm's.

use core::f32::consts::FRAC_1_SQRT_2;

use super::scalar::gelu_one;
use crate::exp::lanes::exp_near;

const LANES: usize = 16;

#[inline(always)]
pub fn gelu(x: &mut [f32]) {
    let (chunks, rest) = x.as_chunks_mut::<LANES>();
    // A length LLVM cannot see: it would unroll loops of sixteen and leave scalars.
    let n = core::hint::black_box(LANES).min(LANES);
    let (mut scaled, mut erf) = ([0.0; LANES], [0.0; LANES]);
    for x in chunks {
        let mut largest = 0;
        for (scaled, x) in scaled[..n].iter_mut().zip(&x[..n]) {
            *scaled = x * FRAC_1_SQRT_2;
            largest = i32::max(largest, (scaled.to_bits() & 0x7fff_ffff) as i32);
        }
        for (erf, scaled) in erf[..n].iter_mut().zip(&scaled[..n]) {
            *erf = middle(*scaled);
        }
        if largest >= 0x3fa0_0000 {
            outer(&mut erf[..n], &scaled[..n]);
        }
        for (x, erf) in x[..n].iter_mut().zip(&erf[..n]) {
            *x = (0.5 * *x) * (1.0 + erf);
        }
    }
    for x in rest {
        *x = gelu_one(*x);
    }
}

#[inline(always)]
fn size(x: f32) -> u32 {
    x.to_bits() & 0x7fff_ffff
}

#[inline(always)]
fn with_sign_of(x: f32, y: f32) -> f32 {
    if x.to_bits() >> 31 != 0 { -y } else { y }
}

/// Below 1.25.
#[inline(always)]
fn middle(x: f32) -> f32 {
    let z = x * x;
    let r = 1.2837916613e-01
        + z * (-3.2504209876e-01 + z * (-2.8481749818e-02 + z * (-5.7702702470e-03 + z * -2.3763017452e-05)));
    let s = 1.0
        + z * (3.9791721106e-01
            + z * (6.5022252500e-02
                + z * (5.0813062117e-03 + z * (1.3249473704e-04 + z * -3.9602282413e-06))));
    let inner = x + x * (r / s);
    let tiny = 0.125 * (8.0 * x + 1.0270333290e+00 * x);
    let s = x.abs() - 1.0;
    let p = -2.3621185683e-03
        + s * (4.1485610604e-01
            + s * (-3.7220788002e-01
                + s * (3.1834661961e-01
                    + s * (-1.1089469492e-01 + s * (3.5478305072e-02 + s * -2.1663755178e-03)))));
    let q = 1.0
        + s * (1.0642088205e-01
            + s * (5.4039794207e-01
                + s * (7.1828655899e-02
                    + s * (1.2617121637e-01 + s * (1.3637083583e-02 + s * 1.1984500103e-02)))));
    let next = with_sign_of(x, 1.0 - (1.0 - 8.4506291151e-01 - p / q));
    let inner = if size(x) < 0x3180_0000 { tiny } else { inner };
    if size(x) < 0x3f58_0000 { inner } else { next }
}

/// From 1.25 on.
#[inline(always)]
fn outer(erf: &mut [f32], x: &[f32]) {
    for (erf, x) in erf.iter_mut().zip(x) {
        let (x, size, signed) = (x.abs(), size(*x), *x);
        let s = 1.0 / (x * x);
        let r = -9.8649440333e-03
            + s * (-6.9385856390e-01
                + s * (-1.0558626175e+01
                    + s * (-6.2375331879e+01
                        + s * (-1.6239666748e+02
                            + s * (-1.8460508728e+02 + s * (-8.1287437439e+01 + s * -9.8143291473e+00))))));
        let big = 1.0
            + s * (1.9651271820e+01
                + s * (1.3765776062e+02
                    + s * (4.3456588745e+02
                        + s * (6.4538726807e+02
                            + s * (4.2900814819e+02
                                + s * (1.0863500214e+02
                                    + s * (6.5702495575e+00 + s * -6.0424413532e-02)))))));
        let r_far = -9.8649431020e-03
            + s * (-7.9928326607e-01
                + s * (-1.7757955551e+01
                    + s * (-1.6063638306e+02
                        + s * (-6.3756646729e+02 + s * (-1.0250950928e+03 + s * -4.8351919556e+02)))));
        let big_far = 1.0
            + s * (3.0338060379e+01
                + s * (3.2579251099e+02
                    + s * (1.5367296143e+03
                        + s * (3.1998581543e+03
                            + s * (2.5530502930e+03 + s * (4.7452853394e+02 + s * -2.2440952301e+01))))));
        let near = size < 0x4036_db6d;
        let quotient = (if near { r } else { r_far }) / (if near { big } else { big_far });
        let z = f32::from_bits(size & 0xffff_e000);
        let erfc = exp_near(-z * z - 0.5625) * exp_near((z - x) * (z + x) + quotient) / x;
        // From 6 on erf is 1 - 2^-120, which is 1; NaN is left to the factor beside it.
        let far = if size < 0x40c0_0000 { 1.0 - erfc } else { 1.0 };
        *erf = if size < 0x3fa0_0000 { *erf } else { with_sign_of(signed, far) };
    }
}
