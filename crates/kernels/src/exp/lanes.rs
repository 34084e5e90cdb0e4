//! libm's `expf` without branches, so that LLVM turns loops over it into vectors.

/// 1.5 * 2^23: adding it leaves the nearest integer in the low bits of the sum.
pub(crate) const MAGIC: f32 = 12_582_912.0;

/// Values that are looked at together.
const LANES: usize = 16;

/// [`crate::exp`] sixteen values at a time.
#[inline(always)]
pub(super) fn exp(x: &mut [f32]) {
    let (chunks, rest) = x.as_chunks_mut::<LANES>();
    for x in chunks {
        let largest = x.iter().fold(0, |largest, x| u32::max(largest, x.to_bits() & 0x7fff_ffff));
        if largest <= NEAR.to_bits() {
            for x in x {
                *x = exp_near(*x);
            }
        } else {
            for x in x {
                *x = exp_wide(*x);
            }
        }
    }
    for x in rest {
        *x = exp_wide(*x);
    }
}

/// How far [`exp_near`] is libm's, with room to spare.
const NEAR: f32 = 64.0;

// libm's constants.
pub(super) const LN2_HI: f32 = f32::from_bits(0x3f31_7200);
pub(super) const LN2_LO: f32 = f32::from_bits(0x35bf_be8e);
pub(super) const INV_LN2: f32 = f32::from_bits(0x3fb8_aa3b);
pub(super) const P1: f32 = 1.6666625440e-1;
pub(super) const P2: f32 = -2.7667332906e-3;

/// From here on the result is infinite.
const INFINITE: f32 = f32::from_bits(0x42b1_7218);
/// From here on down it is zero.
const ZERO: f32 = f32::from_bits(0xc2cf_f1b5);

/// `libm::expf(x)` for |x| up to 64; any value, without harm, beyond.
#[inline(always)]
pub(crate) fn exp_near(x: f32) -> f32 {
    let (y, power) = reduced(x);
    y * power_of_two(power)
}

/// `libm::expf(x)`.
///
/// The power is -151 to 128 here, too far for one factor. The first of two is exact, so the second rounds, to a
/// subnormal or to infinity, as libm's `scalbnf` does. NaN stays.
#[inline(always)]
fn exp_wide(x: f32) -> f32 {
    let x = if x >= INFINITE { 89.0 } else { x };
    let x = if x <= ZERO { -105.0 } else { x };
    let (y, power) = reduced(x);
    let half = power >> 1;
    y * power_of_two(half) * power_of_two(power.wrapping_sub(half))
}

#[inline(always)]
fn power_of_two(power: i32) -> f32 {
    f32::from_bits((power.wrapping_add(127) << 23) as u32)
}

/// A value near one and the power of two to multiply it with.
///
/// The power of two is a truncated quotient beyond 1.5 ln 2. Conversions to integers that saturate are slow and those
/// that do not are no vectors in Wasm, so the quotient's size is rounded by an addition and lowered where that went up.
#[inline(always)]
fn reduced(x: f32) -> (f32, i32) {
    let bits = x.to_bits();
    let size = bits & 0x7fff_ffff;
    let negative = bits >> 31 != 0;
    let quotient = (INV_LN2 * x + if negative { -0.5 } else { 0.5 }).abs();
    let shifted = quotient + MAGIC;
    let rounded = shifted.to_bits() as i32 - MAGIC.to_bits() as i32;
    let whole = rounded - if shifted - MAGIC > quotient { 1 } else { 0 };
    let whole = if size > 0x3f85_1592 { whole } else { 1 };
    let whole = if size > 0x3eb1_7218 { whole } else { 0 };
    let power = if negative { -whole } else { whole };
    let n = power as f32;
    let (hi, lo) = (x - n * LN2_HI, n * LN2_LO);
    let r = hi - lo;
    let square = r * r;
    let c = r - square * (P1 + square * P2);
    let y = 1.0 + (r * c / (2.0 - c) - lo + hi);
    (if size > 0x3900_0000 { y } else { 1.0 + x }, power)
}
