//! AVX-512: sixteen lanes.

use core::arch::x86_64::*;

use super::Lanes;

#[derive(Clone, Copy)]
pub(crate) struct F32x16(__m512);

// SAFETY of every block below without a line of its own: the methods are inlined into functions that enable the
// instruction set, and called from there alone.
impl Lanes for F32x16 {
    const COUNT: usize = 16;
    type Int = __m512i;
    type Mask = __mmask16;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_set1_ps(x) })
    }
    #[inline(always)]
    fn load(x: &[f32]) -> Self {
        let x: &[f32; 16] = x.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned load.
        F32x16(unsafe { _mm512_loadu_ps(x.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, x: &mut [f32]) {
        let x: &mut [f32; 16] = x.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned store.
        unsafe { _mm512_storeu_ps(x.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn load_i8(x: &[i8]) -> __m512i {
        let x: &[i8; 16] = x.try_into().expect("a vector of values");
        // SAFETY: the reference covers the load.
        unsafe { _mm512_cvtepi8_epi32(_mm_loadu_si128(x.as_ptr().cast())) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_add_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_sub_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_mul_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_div_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn ceil(self) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_roundscale_ps::<0b1010>(self.0) })
    }

    #[inline(always)]
    fn bits(self) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_castps_si512(self.0) }
    }
    #[inline(always)]
    fn from_bits(bits: __m512i) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_castsi512_ps(bits) })
    }
    #[inline(always)]
    fn convert(x: __m512i) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_cvtepi32_ps(x) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> __mmask16 {
        // SAFETY: as said above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn less_or_equal(self, other: Self) -> __mmask16 {
        // SAFETY: as said above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_mask_blend_ps(mask, no.0, yes.0) })
    }
    #[inline(always)]
    fn any(mask: __mmask16) -> bool {
        mask != 0
    }
    #[inline(always)]
    fn bitmask(mask: __mmask16) -> u32 {
        u32::from(mask)
    }
    #[inline(always)]
    fn compress(self, bits: u32) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_maskz_compress_ps(bits as __mmask16, self.0) })
    }
    #[inline(always)]
    fn expand(self, bits: u32) -> Self {
        // SAFETY: as said above.
        F32x16(unsafe { _mm512_maskz_expand_ps(bits as __mmask16, self.0) })
    }

    #[inline(always)]
    fn int(x: i32) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_set1_epi32(x) }
    }
    #[inline(always)]
    fn int_load(x: &[i32]) -> __m512i {
        let x: &[i32; 16] = x.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned load.
        unsafe { _mm512_loadu_si512(x.as_ptr().cast()) }
    }
    #[inline(always)]
    fn int_load_halves(low: &[i32], high: &[i32]) -> __m512i {
        let low: &[i32; 8] = low.try_into().expect("half a vector");
        let high: &[i32; 8] = high.try_into().expect("half a vector");
        // SAFETY: the reference covers an unaligned load.
        let low = unsafe { _mm256_loadu_si256(low.as_ptr().cast()) };
        // SAFETY: as above.
        let high = unsafe { _mm256_loadu_si256(high.as_ptr().cast()) };
        // SAFETY: as said above.
        unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high) }
    }
    #[inline(always)]
    fn int_store(x: __m512i, out: &mut [i32]) {
        let out: &mut [i32; 16] = out.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned store.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), x) }
    }
    #[inline(always)]
    fn int_store_i16(x: __m512i, out: &mut [i16]) {
        let out: &mut [i16; 16] = out.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned store.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(x)) }
    }
    #[inline(always)]
    fn int_add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_add_epi32(a, b) }
    }
    #[inline(always)]
    fn int_sub(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_sub_epi32(a, b) }
    }
    #[inline(always)]
    fn int_and(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_and_si512(a, b) }
    }
    #[inline(always)]
    fn int_or(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_or_si512(a, b) }
    }
    #[inline(always)]
    fn int_xor(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_xor_si512(a, b) }
    }
    #[inline(always)]
    fn int_max(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_max_epi32(a, b) }
    }
    #[inline(always)]
    fn int_to_exponent(a: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_slli_epi32::<23>(a) }
    }
}
