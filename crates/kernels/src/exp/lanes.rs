//! libm's `expf` between -64 and 64 without branches, so that LLVM turns loops over it into vectors.

/// 1.5 * 2^23: adding it leaves the nearest integer in the low bits of the sum.
pub(crate) const MAGIC: f32 = 12_582_912.0;

/// Values that are looked at together.
const LANES: usize = 16;

/// [`crate::exp`] sixteen values at a time: where none is beyond 64 in vectors, otherwise as the definition.
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
            super::scalar::exp(x);
        }
    }
    super::scalar::exp(rest);
}

/// How far [`exp_near`] is libm's.
const NEAR: f32 = 64.0;

// libm's constants.
pub(super) const LN2_HI: f32 = f32::from_bits(0x3f31_7200);
pub(super) const LN2_LO: f32 = f32::from_bits(0x35bf_be8e);
pub(super) const INV_LN2: f32 = f32::from_bits(0x3fb8_aa3b);
pub(super) const P1: f32 = 1.6666625440e-1;
pub(super) const P2: f32 = -2.7667332906e-3;

/// `libm::expf(x)` for |x| up to 64; any value, without harm, beyond.
///
/// The power of two is a truncated quotient there. Conversions to integers that saturate are slow and those that do
/// not are no vectors in Wasm, so the quotient's size is rounded by an addition and lowered where that went up.
#[inline(always)]
pub(crate) fn exp_near(x: f32) -> f32 {
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
    let y = if size > 0x3900_0000 { y } else { 1.0 + x };
    y * f32::from_bits((power.wrapping_add(127) << 23) as u32)
}
