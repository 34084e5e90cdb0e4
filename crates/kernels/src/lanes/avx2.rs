//! AVX2: eight lanes.

use core::arch::x86_64::*;

use super::{Lanes, moves};

#[derive(Clone, Copy)]
pub(crate) struct F32x8(__m256);

static TOGETHER: [[u8; 8]; 256] = moves()[0];
static APART: [[u8; 8]; 256] = moves()[1];

#[inline(always)]
fn from(lanes: &[[u8; 8]; 256], bits: u32) -> __m256i {
    let lanes = &lanes[bits as usize & 255];
    // SAFETY: the reference covers the load; as said below for the instruction set.
    unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(lanes.as_ptr().cast())) }
}

// SAFETY of every block below without a line of its own: the methods are inlined into functions that enable the
// instruction set, and called from there alone.
impl Lanes for F32x8 {
    const COUNT: usize = 8;
    type Int = __m256i;
    type Mask = __m256;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_set1_ps(x) })
    }
    #[inline(always)]
    fn load(x: &[f32]) -> Self {
        let x: &[f32; 8] = x.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned load.
        F32x8(unsafe { _mm256_loadu_ps(x.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, x: &mut [f32]) {
        let x: &mut [f32; 8] = x.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned store.
        unsafe { _mm256_storeu_ps(x.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn load_i8(x: &[i8]) -> __m256i {
        let x: &[i8; 8] = x.try_into().expect("a vector of values");
        // SAFETY: the reference covers the load.
        unsafe { _mm256_cvtepi8_epi32(_mm_loadl_epi64(x.as_ptr().cast())) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_add_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_sub_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_mul_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_div_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn ceil(self) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_ceil_ps(self.0) })
    }

    #[inline(always)]
    fn bits(self) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_castps_si256(self.0) }
    }
    #[inline(always)]
    fn from_bits(bits: __m256i) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_castsi256_ps(bits) })
    }
    #[inline(always)]
    fn convert(x: __m256i) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_cvtepi32_ps(x) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> __m256 {
        // SAFETY: as said above.
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn less_or_equal(self, other: Self) -> __m256 {
        // SAFETY: as said above.
        unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: __m256, yes: Self, no: Self) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_blendv_ps(no.0, yes.0, mask) })
    }
    #[inline(always)]
    fn any(mask: __m256) -> bool {
        // SAFETY: as said above.
        unsafe { _mm256_movemask_ps(mask) != 0 }
    }
    #[inline(always)]
    fn bitmask(mask: __m256) -> u32 {
        // SAFETY: as said above.
        unsafe { _mm256_movemask_ps(mask) as u32 }
    }
    #[inline(always)]
    fn compress(self, bits: u32) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_permutevar8x32_ps(self.0, from(&TOGETHER, bits)) })
    }
    #[inline(always)]
    fn expand(self, bits: u32) -> Self {
        // SAFETY: as said above.
        F32x8(unsafe { _mm256_permutevar8x32_ps(self.0, from(&APART, bits)) })
    }

    #[inline(always)]
    fn int(x: i32) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_set1_epi32(x) }
    }
    #[inline(always)]
    fn int_load(x: &[i32]) -> __m256i {
        let x: &[i32; 8] = x.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned load.
        unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
    }
    #[inline(always)]
    fn int_store(x: __m256i, out: &mut [i32]) {
        let out: &mut [i32; 8] = out.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned store.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), x) }
    }
    #[inline(always)]
    fn int_store_i16(x: __m256i, out: &mut [i16]) {
        let out: &mut [i16; 8] = out.try_into().expect("a vector of values");
        // SAFETY: the reference covers an unaligned store.
        unsafe {
            {
                let halves = _mm256_packs_epi32(x, x);
                let whole = _mm256_permute4x64_epi64::<0b10_00>(halves);
                _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(whole))
            }
        }
    }
    #[inline(always)]
    fn int_add(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_add_epi32(a, b) }
    }
    #[inline(always)]
    fn int_sub(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_sub_epi32(a, b) }
    }
    #[inline(always)]
    fn int_and(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_and_si256(a, b) }
    }
    #[inline(always)]
    fn int_or(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_or_si256(a, b) }
    }
    #[inline(always)]
    fn int_xor(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_xor_si256(a, b) }
    }
    #[inline(always)]
    fn int_max(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_max_epi32(a, b) }
    }
    #[inline(always)]
    fn int_to_exponent(a: __m256i) -> __m256i {
        // SAFETY: as said above.
        unsafe { _mm256_slli_epi32::<23>(a) }
    }
}
