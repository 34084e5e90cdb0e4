//! libm's `expf` in vectors, for softmax and gates: the steps of [`crate::exp::lanes`], four lanes at a time in Wasm.

/// From here on [`crate::exp::lanes::exp_near`] is not libm's: the bits of 64.
pub(crate) const FAR: i32 = 64f32.to_bits() as i32;

/// Whether all values are within ±64: infinities and NaNs are not.
#[inline(always)]
pub(crate) fn near(x: &[f32]) -> bool {
    x.iter().fold(0, |most, x| i32::max(most, (x.to_bits() & 0x7fff_ffff) as i32)) < FAR
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use wasm::exp_near_4;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use core::arch::wasm32::*;

    /// `exp_near` of four lanes: its steps and constants, each selection by a mask.
    #[inline(always)]
    pub(crate) fn exp_near_4(x: v128) -> v128 {
        let magic = f32x4_splat(12_582_912.0);
        let size = v128_and(x, u32x4_splat(0x7fff_ffff));
        let negative = i32x4_shr(x, 31);
        let half = v128_or(f32x4_splat(0.5), v128_and(x, u32x4_splat(0x8000_0000)));
        let inverse = f32x4_splat(f32::from_bits(0x3fb8_aa3b));
        let quotient = f32x4_abs(f32x4_add(f32x4_mul(inverse, x), half));
        let shifted = f32x4_add(quotient, magic);
        let rounded = i32x4_sub(shifted, magic);
        // A true comparison is -1 in every lane: adding it takes one off.
        let whole = i32x4_add(rounded, f32x4_gt(f32x4_sub(shifted, magic), quotient));
        let whole = v128_bitselect(whole, i32x4_splat(1), i32x4_gt(size, i32x4_splat(0x3f85_1592)));
        let whole = v128_and(whole, i32x4_gt(size, i32x4_splat(0x3eb1_7218)));
        let power = i32x4_sub(v128_xor(whole, negative), negative);
        let n = f32x4_convert_i32x4(power);
        let hi = f32x4_sub(x, f32x4_mul(n, f32x4_splat(f32::from_bits(0x3f31_7200))));
        let lo = f32x4_mul(n, f32x4_splat(f32::from_bits(0x35bf_be8e)));
        let r = f32x4_sub(hi, lo);
        let square = f32x4_mul(r, r);
        let p = f32x4_add(f32x4_splat(1.6666625440e-1), f32x4_mul(square, f32x4_splat(-2.7667332906e-3)));
        let c = f32x4_sub(r, f32x4_mul(square, p));
        let fraction = f32x4_div(f32x4_mul(r, c), f32x4_sub(f32x4_splat(2.0), c));
        let one = f32x4_splat(1.0);
        let y = f32x4_add(one, f32x4_add(f32x4_sub(fraction, lo), hi));
        let y = v128_bitselect(y, f32x4_add(one, x), i32x4_gt(size, i32x4_splat(0x3900_0000)));
        f32x4_mul(y, i32x4_shl(i32x4_add(power, i32x4_splat(127)), 23))
    }
}
