//! GELU in vectors.
//!
//! libm's `erff` has five pieces. The first, for |x| up to 0.84375, is computed for every vector, the others only when
//! a lane needs them; each lane takes the bits of its own piece. Two pieces need no code: below 2^-28 erf vanishes
//! beside the one it is added to, and from 6 on it is 1 - 2^-120, which is 1. The constants are libm's.

use core::f32::consts::FRAC_1_SQRT_2;

use crate::exp::vectors::{exp_close, exp_reduced};
use crate::lanes::{Lanes, MOST, polynomial};

#[inline(always)]
pub fn gelu<L: Lanes>(x: &mut [f32]) {
    let (chunks, rest) = x.as_chunks_mut::<MOST>();
    for x in chunks {
        chunk::<L>(x);
    }
    if !rest.is_empty() {
        let mut whole = [0.0; MOST];
        whole[..rest.len()].copy_from_slice(rest);
        chunk::<L>(&mut whole);
        rest.copy_from_slice(&whole[..rest.len()]);
    }
}

/// Sixteen values in straight-line code. In Wasm a call of its own: in a loop Cranelift keeps the constants of all
/// pieces on the stack and writes them back at each iteration.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn chunk<L: Lanes>(x: &mut [f32; MOST]) {
    one::<L>(&mut x[..L::COUNT]);
    if L::COUNT <= 8 {
        one::<L>(&mut x[8..8 + L::COUNT]);
    }
    if L::COUNT <= 4 {
        one::<L>(&mut x[4..4 + L::COUNT]);
        one::<L>(&mut x[12..12 + L::COUNT]);
    }
}

#[inline(always)]
fn one<L: Lanes>(at: &mut [f32]) {
    let x = L::load(at);
    let scaled = x.mul(L::splat(FRAC_1_SQRT_2));
    let mut erf = inner(scaled);
    // NaN is in no piece; it is left to the factor beside erf.
    if L::any(L::splat(INNER).less_or_equal(scaled.abs())) {
        erf = beyond(scaled, erf);
    }
    L::splat(0.5).mul(x).mul(L::splat(1.0).add(erf)).store(at);
}

/// `erf` where it lies in the first piece; the others' bits elsewhere.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn beyond<L: Lanes>(x: L, erf: L) -> L {
    let size = x.abs();
    let mut result = next(size);
    if L::any(L::splat(NEXT).less_or_equal(size)) {
        let mut outer = near(size);
        if L::any(L::splat(MIDDLE).less_or_equal(size)) {
            outer = L::select(size.less(L::splat(MIDDLE)), outer, far(size));
        }
        result = L::select(size.less(L::splat(NEXT)), result, outer);
    }
    let sign = L::int_and(x.bits(), L::int(i32::MIN));
    L::select(size.less(L::splat(INNER)), erf, L::from_bits(L::int_or(result.bits(), sign)))
}

/// Where the pieces meet.
const INNER: f32 = f32::from_bits(0x3f58_0000);
const NEXT: f32 = f32::from_bits(0x3fa0_0000);
const MIDDLE: f32 = f32::from_bits(0x4036_db6d);
const FAR: f32 = f32::from_bits(0x40c0_0000);

/// Below 0.84375, signed.
#[inline(always)]
fn inner<L: Lanes>(x: L) -> L {
    let z = x.mul(x);
    let r = polynomial(z, PP);
    let s = polynomial(z, QQ);
    x.add(x.mul(r.div(s)))
}

/// Below 1.25.
#[inline(always)]
fn next<L: Lanes>(size: L) -> L {
    let s = size.sub(L::splat(1.0));
    let quotient = polynomial(s, PA).div(polynomial(s, QA));
    let erfc = L::splat(1.0 - 8.4506291151e-01).sub(quotient);
    L::splat(1.0).sub(erfc)
}

/// From 1.25 to 1 / 0.35.
#[inline(always)]
fn near<L: Lanes>(size: L) -> L {
    let s = L::splat(1.0).div(size.mul(size));
    outer(size, polynomial(s, RA).div(polynomial(s, SA)))
}

/// From 1 / 0.35 on.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn far<L: Lanes>(size: L) -> L {
    let s = L::splat(1.0).div(size.mul(size));
    let erf = outer(size, polynomial(s, RB).div(polynomial(s, SB)));
    L::select(size.less(L::splat(FAR)), erf, L::splat(1.0))
}

#[inline(always)]
fn outer<L: Lanes>(size: L, quotient: L) -> L {
    let z = L::from_bits(L::int_and(size.bits(), L::int(!0x1fff)));
    let square = L::from_bits(L::int_xor(z.bits(), L::int(i32::MIN))).mul(z);
    let rest = z.sub(size).mul(z.add(size)).add(quotient);
    // The first exponent lies in -36.6..-2, the second in -0.3..-0.02.
    let erfc = exp_reduced(square.sub(L::splat(0.5625))).mul(exp_close(rest)).div(size);
    L::splat(1.0).sub(erfc)
}

const PP: [f32; 5] =
    [1.2837916613e-01, -3.2504209876e-01, -2.8481749818e-02, -5.7702702470e-03, -2.3763017452e-05];
const QQ: [f32; 6] =
    [1.0, 3.9791721106e-01, 6.5022252500e-02, 5.0813062117e-03, 1.3249473704e-04, -3.9602282413e-06];
const PA: [f32; 7] = [
    -2.3621185683e-03,
    4.1485610604e-01,
    -3.7220788002e-01,
    3.1834661961e-01,
    -1.1089469492e-01,
    3.5478305072e-02,
    -2.1663755178e-03,
];
const QA: [f32; 7] = [
    1.0,
    1.0642088205e-01,
    5.4039794207e-01,
    7.1828655899e-02,
    1.2617121637e-01,
    1.3637083583e-02,
    1.1984500103e-02,
];
const RA: [f32; 8] = [
    -9.8649440333e-03,
    -6.9385856390e-01,
    -1.0558626175e+01,
    -6.2375331879e+01,
    -1.6239666748e+02,
    -1.8460508728e+02,
    -8.1287437439e+01,
    -9.8143291473e+00,
];
const SA: [f32; 9] = [
    1.0,
    1.9651271820e+01,
    1.3765776062e+02,
    4.3456588745e+02,
    6.4538726807e+02,
    4.2900814819e+02,
    1.0863500214e+02,
    6.5702495575e+00,
    -6.0424413532e-02,
];
const RB: [f32; 7] = [
    -9.8649431020e-03,
    -7.9928326607e-01,
    -1.7757955551e+01,
    -1.6063638306e+02,
    -6.3756646729e+02,
    -1.0250950928e+03,
    -4.8351919556e+02,
];
const SB: [f32; 8] = [
    1.0,
    3.0338060379e+01,
    3.2579251099e+02,
    1.5367296143e+03,
    3.1998581543e+03,
    2.5530502930e+03,
    4.7452853394e+02,
    -2.2440952301e+01,
];
