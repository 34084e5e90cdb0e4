//! SIMD128: four lanes.

use core::arch::wasm32::*;

use super::{Lanes, moves};

#[derive(Clone, Copy)]
pub(crate) struct F32x4(v128);

static TOGETHER: [v128; 16] = bytes(moves()[0]);
static APART: [v128; 16] = bytes(moves()[1]);

/// Lanes as the bytes that `i8x16.swizzle` picks.
const fn bytes(lanes: [[u8; 4]; 16]) -> [v128; 16] {
    let mut bytes = [i32x4(0, 0, 0, 0); 16];
    let mut set = 0;
    while set < 16 {
        let [a, b, c, d] = lanes[set];
        bytes[set] = i32x4(word(a), word(b), word(c), word(d));
        set += 1;
    }
    bytes
}

const fn word(lane: u8) -> i32 {
    0x0302_0100 + 0x0404_0404 * lane as i32
}

impl Lanes for F32x4 {
    const COUNT: usize = 4;
    type Int = v128;
    type Mask = v128;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        F32x4(f32x4_splat(x))
    }
    #[inline(always)]
    fn load(x: &[f32]) -> Self {
        let x: &[f32; 4] = x.try_into().expect("four values");
        // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
        F32x4(unsafe { v128_load(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, x: &mut [f32]) {
        let x: &mut [f32; 4] = x.try_into().expect("four values");
        // SAFETY: the reference covers the 16 bytes; Wasm stores need no alignment.
        unsafe { v128_store(x.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn load_i8(x: &[i8]) -> v128 {
        let x: &[i8; 4] = x.try_into().expect("four values");
        // SAFETY: the reference covers the four bytes; Wasm loads need no alignment.
        let x = unsafe { v128_load32_zero(x.as_ptr().cast()) };
        i32x4_extend_low_i16x8(i16x8_extend_low_i8x16(x))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        F32x4(f32x4_add(self.0, other.0))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        F32x4(f32x4_sub(self.0, other.0))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        F32x4(f32x4_mul(self.0, other.0))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        F32x4(f32x4_div(self.0, other.0))
    }
    #[inline(always)]
    fn ceil(self) -> Self {
        F32x4(f32x4_ceil(self.0))
    }

    #[inline(always)]
    fn bits(self) -> v128 {
        self.0
    }
    #[inline(always)]
    fn from_bits(bits: v128) -> Self {
        F32x4(bits)
    }
    #[inline(always)]
    fn convert(x: v128) -> Self {
        F32x4(f32x4_convert_i32x4(x))
    }

    #[inline(always)]
    fn less(self, other: Self) -> v128 {
        f32x4_lt(self.0, other.0)
    }
    #[inline(always)]
    fn less_or_equal(self, other: Self) -> v128 {
        f32x4_le(self.0, other.0)
    }
    #[inline(always)]
    fn select(mask: v128, yes: Self, no: Self) -> Self {
        F32x4(v128_bitselect(yes.0, no.0, mask))
    }
    #[inline(always)]
    fn any(mask: v128) -> bool {
        v128_any_true(mask)
    }
    #[inline(always)]
    fn bitmask(mask: v128) -> u32 {
        u32::from(i32x4_bitmask(mask))
    }
    #[inline(always)]
    fn compress(self, bits: u32) -> Self {
        F32x4(i8x16_swizzle(self.0, TOGETHER[bits as usize & 15]))
    }
    #[inline(always)]
    fn expand(self, bits: u32) -> Self {
        F32x4(i8x16_swizzle(self.0, APART[bits as usize & 15]))
    }

    #[inline(always)]
    fn int(x: i32) -> v128 {
        i32x4_splat(x)
    }
    #[inline(always)]
    fn int_load(x: &[i32]) -> v128 {
        let x: &[i32; 4] = x.try_into().expect("four values");
        // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
        unsafe { v128_load(x.as_ptr().cast()) }
    }
    #[inline(always)]
    fn int_store(x: v128, out: &mut [i32]) {
        let out: &mut [i32; 4] = out.try_into().expect("four values");
        // SAFETY: the reference covers the 16 bytes; Wasm stores need no alignment.
        unsafe { v128_store(out.as_mut_ptr().cast(), x) }
    }
    #[inline(always)]
    fn int_store_i16(x: v128, out: &mut [i16]) {
        let out: &mut [i16; 4] = out.try_into().expect("four values");
        let narrow = i16x8_narrow_i32x4(x, x);
        // SAFETY: the reference covers the eight bytes; Wasm stores need no alignment.
        unsafe { v128_store64_lane::<0>(narrow, out.as_mut_ptr().cast()) }
    }
    #[inline(always)]
    fn int_add(a: v128, b: v128) -> v128 {
        i32x4_add(a, b)
    }
    #[inline(always)]
    fn int_sub(a: v128, b: v128) -> v128 {
        i32x4_sub(a, b)
    }
    #[inline(always)]
    fn int_and(a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }
    #[inline(always)]
    fn int_or(a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }
    #[inline(always)]
    fn int_xor(a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }
    #[inline(always)]
    fn int_max(a: v128, b: v128) -> v128 {
        i32x4_max(a, b)
    }
    #[inline(always)]
    fn int_to_exponent(a: v128) -> v128 {
        i32x4_shl(a, 23)
    }
}
