//! libm's `expf` in vectors, piece by piece.

use super::lanes::{INV_LN2, LN2_HI, LN2_LO, MAGIC, P1, P2};
use crate::lanes::Lanes;

/// Up to 2^-14 the result is `1 + x`.
const SMALL: f32 = f32::from_bits(0x3900_0000);

/// `libm::expf(x)` for -64 <= x <= 0 (any value, without harm, beyond).
#[inline(always)]
pub(crate) fn exp_negative<L: Lanes>(x: L) -> L {
    L::select(x.less(L::splat(-SMALL)), exp_reduced(x), L::splat(1.0).add(x))
}

/// `libm::expf(x)` for -64 <= x < -2^-14.
///
/// libm truncates `x / ln 2 - 1/2` where |x| > 1.5 ln 2 and names the power below: the next integer upwards is the
/// same for all x but the two where the pieces meet, whose results are equal either way. All of them were compared.
#[inline(always)]
pub(crate) fn exp_reduced<L: Lanes>(x: L) -> L {
    let power = L::splat(INV_LN2).mul(x).sub(L::splat(0.5)).ceil();
    let hi = x.sub(power.mul(L::splat(LN2_HI)));
    let lo = power.mul(L::splat(LN2_LO));
    let r = hi.sub(lo);
    let y = L::splat(1.0).add(quotient(r).sub(lo).add(hi));
    // y is near one and the power above -93: adding to the exponent is the product with a power of two.
    let power = L::int_to_exponent(power.add(L::splat(MAGIC)).bits());
    L::from_bits(L::int_add(y.bits(), power))
}

/// `libm::expf(x)` for 2^-14 < |x| <= 0.5 ln 2, where there is nothing to reduce.
#[inline(always)]
pub(crate) fn exp_close<L: Lanes>(x: L) -> L {
    L::splat(1.0).add(quotient(x).add(x))
}

#[inline(always)]
fn quotient<L: Lanes>(r: L) -> L {
    let square = r.mul(r);
    let c = r.sub(square.mul(L::splat(P1).add(square.mul(L::splat(P2)))));
    r.mul(c).div(L::splat(2.0).sub(c))
}
