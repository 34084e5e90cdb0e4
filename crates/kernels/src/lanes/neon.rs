//! NEON: four lanes. Part of every 64-bit Arm target, so nothing has to be enabled.

use core::arch::aarch64::*;

use super::{Lanes, moves};

#[derive(Clone, Copy)]
pub(crate) struct F32x4(float32x4_t);

static TOGETHER: [[u8; 16]; 16] = bytes(moves()[0]);
static APART: [[u8; 16]; 16] = bytes(moves()[1]);

/// Lanes as the bytes that `tbl` picks.
const fn bytes(lanes: [[u8; 4]; 16]) -> [[u8; 16]; 16] {
    let mut bytes = [[0; 16]; 16];
    let mut i = 0;
    while i < 256 {
        bytes[i / 16][i % 16] = 4 * lanes[i / 16][i % 16 / 4] + (i % 4) as u8;
        i += 1;
    }
    bytes
}

#[inline(always)]
fn pick(x: F32x4, from: &[u8; 16]) -> F32x4 {
    // SAFETY: NEON is part of the target, and the reference covers the 16 bytes.
    unsafe { F32x4(vreinterpretq_f32_u8(vqtbl1q_u8(vreinterpretq_u8_f32(x.0), vld1q_u8(from.as_ptr())))) }
}

// SAFETY of every block below without a line of its own: NEON is part of the target.
impl Lanes for F32x4 {
    const COUNT: usize = 4;
    type Int = int32x4_t;
    type Mask = uint32x4_t;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vdupq_n_f32(x)) }
    }
    #[inline(always)]
    fn load(x: &[f32]) -> Self {
        let x: &[f32; 4] = x.try_into().expect("four values");
        // SAFETY: the reference covers the 16 bytes.
        F32x4(unsafe { vld1q_f32(x.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, x: &mut [f32]) {
        let x: &mut [f32; 4] = x.try_into().expect("four values");
        // SAFETY: the reference covers the 16 bytes.
        unsafe { vst1q_f32(x.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn load_i8(x: &[i8]) -> int32x4_t {
        let x: &[i8; 4] = x.try_into().expect("four values");
        widen(*x)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vaddq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vsubq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vmulq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vdivq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    fn ceil(self) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vrndpq_f32(self.0)) }
    }

    #[inline(always)]
    fn bits(self) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { vreinterpretq_s32_f32(self.0) }
    }
    #[inline(always)]
    fn from_bits(bits: int32x4_t) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vreinterpretq_f32_s32(bits)) }
    }
    #[inline(always)]
    fn convert(x: int32x4_t) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vcvtq_f32_s32(x)) }
    }

    #[inline(always)]
    fn less(self, other: Self) -> uint32x4_t {
        // SAFETY: as said above.
        unsafe { vcltq_f32(self.0, other.0) }
    }
    #[inline(always)]
    fn less_or_equal(self, other: Self) -> uint32x4_t {
        // SAFETY: as said above.
        unsafe { vcleq_f32(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: uint32x4_t, yes: Self, no: Self) -> Self {
        // SAFETY: as said above.
        unsafe { F32x4(vbslq_f32(mask, yes.0, no.0)) }
    }
    #[inline(always)]
    fn any(mask: uint32x4_t) -> bool {
        // SAFETY: as said above.
        unsafe { vmaxvq_u32(mask) != 0 }
    }
    #[inline(always)]
    fn bitmask(mask: uint32x4_t) -> u32 {
        // SAFETY: as said above; the reference covers the 16 bytes.
        unsafe { vaddvq_u32(vandq_u32(mask, vld1q_u32([1, 2, 4, 8].as_ptr()))) }
    }
    #[inline(always)]
    fn compress(self, bits: u32) -> Self {
        pick(self, &TOGETHER[bits as usize & 15])
    }
    #[inline(always)]
    fn expand(self, bits: u32) -> Self {
        pick(self, &APART[bits as usize & 15])
    }

    #[inline(always)]
    fn int(x: i32) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { vdupq_n_s32(x) }
    }
    #[inline(always)]
    fn int_load(x: &[i32]) -> int32x4_t {
        let x: &[i32; 4] = x.try_into().expect("four values");
        // SAFETY: the reference covers the 16 bytes.
        unsafe { vld1q_s32(x.as_ptr()) }
    }
    #[inline(always)]
    fn int_store(x: int32x4_t, out: &mut [i32]) {
        let out: &mut [i32; 4] = out.try_into().expect("four values");
        // SAFETY: the reference covers the 16 bytes.
        unsafe { vst1q_s32(out.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn int_store_i16(x: int32x4_t, out: &mut [i16]) {
        let out: &mut [i16; 4] = out.try_into().expect("four values");
        // SAFETY: the reference covers the eight bytes.
        unsafe { vst1_s16(out.as_mut_ptr(), vqmovn_s32(x)) }
    }
    #[inline(always)]
    fn int_add(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { vaddq_s32(a, b) }
    }
    #[inline(always)]
    fn int_sub(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { vsubq_s32(a, b) }
    }
    #[inline(always)]
    fn int_and(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { vandq_s32(a, b) }
    }
    #[inline(always)]
    fn int_or(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { vorrq_s32(a, b) }
    }
    #[inline(always)]
    fn int_xor(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { veorq_s32(a, b) }
    }
    #[inline(always)]
    fn int_max(a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { vmaxq_s32(a, b) }
    }
    #[inline(always)]
    fn int_to_exponent(a: int32x4_t) -> int32x4_t {
        // SAFETY: as said above.
        unsafe { vshlq_n_s32::<23>(a) }
    }
}

/// Four bytes, each sign extended.
#[inline(always)]
fn widen(x: [i8; 4]) -> int32x4_t {
    let x = u64::from(u32::from_le_bytes(x.map(|x| x as u8)));
    // SAFETY: NEON is part of the target.
    unsafe { vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(x)))) }
}
