//! Vectors of f32, one type an instruction set, so that a float kernel is written once for all of them.
//!
//! Every operation works lane by lane and is IEEE's or an integer's: a kernel written in them returns the bits of its
//! definition whatever the width. Nothing here adds across lanes.
//!
//! The methods are inlined into functions that enable the instruction set; they are called from there alone. What
//! calls them is `#[inline(always)]`, too: a closure that LLVM keeps as a function of its own would not have the
//! instruction set, and each operation in it would be a call (it was: GELU took forty times as long).

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;

/// The widest vector.
pub(crate) const MOST: usize = 16;

/// A vector of f32.
pub(crate) trait Lanes: Copy {
    /// How many: 4, 8 or 16.
    const COUNT: usize;
    /// As many i32.
    type Int: Copy;
    /// As many bits of yes or no.
    type Mask: Copy;

    fn splat(x: f32) -> Self;
    /// `x` has [`Lanes::COUNT`] values.
    fn load(x: &[f32]) -> Self;
    /// `x` has [`Lanes::COUNT`] values.
    fn store(self, x: &mut [f32]);
    /// `x` has [`Lanes::COUNT`] values.
    fn load_i8(x: &[i8]) -> Self::Int;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// The next integer upwards.
    fn ceil(self) -> Self;

    fn bits(self) -> Self::Int;
    fn from_bits(bits: Self::Int) -> Self;
    /// The nearest f32, ties to even.
    fn convert(x: Self::Int) -> Self;

    /// No where either is NaN.
    fn less(self, other: Self) -> Self::Mask;
    /// No where either is NaN.
    fn less_or_equal(self, other: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn any(mask: Self::Mask) -> bool;

    /// The lanes that a mask says yes to, the first lane in the lowest bit.
    fn bitmask(mask: Self::Mask) -> u32;
    /// The lanes of `bits`, next to each other from the first on; anything after them.
    fn compress(self, bits: u32) -> Self;
    /// [`Lanes::compress`] undone: the first lanes at the places of `bits`; anything elsewhere.
    fn expand(self, bits: u32) -> Self;

    fn int(x: i32) -> Self::Int;
    fn int_load(x: &[i32]) -> Self::Int;
    /// Half a vector from each.
    #[inline(always)]
    fn int_load_halves(low: &[i32], high: &[i32]) -> Self::Int {
        let mut whole = [0; MOST];
        whole[..Self::COUNT / 2].copy_from_slice(low);
        whole[Self::COUNT / 2..Self::COUNT].copy_from_slice(high);
        Self::int_load(&whole[..Self::COUNT])
    }
    fn int_store(x: Self::Int, out: &mut [i32]);
    /// Values that fit.
    fn int_store_i16(x: Self::Int, out: &mut [i16]);
    fn int_add(a: Self::Int, b: Self::Int) -> Self::Int;
    fn int_sub(a: Self::Int, b: Self::Int) -> Self::Int;
    fn int_and(a: Self::Int, b: Self::Int) -> Self::Int;
    fn int_or(a: Self::Int, b: Self::Int) -> Self::Int;
    fn int_xor(a: Self::Int, b: Self::Int) -> Self::Int;
    fn int_max(a: Self::Int, b: Self::Int) -> Self::Int;
    /// Shifted by 23 to the left: to the place of an exponent.
    fn int_to_exponent(a: Self::Int) -> Self::Int;

    /// Without its sign.
    #[inline(always)]
    fn abs(self) -> Self {
        Self::from_bits(Self::int_and(self.bits(), Self::int(0x7fff_ffff)))
    }

    /// `self + other * (…)`, the step of a polynomial: two roundings.
    #[inline(always)]
    fn step(self, z: Self, constant: f32) -> Self {
        Self::splat(constant).add(z.mul(self))
    }
}

/// `constants[0] + z * (constants[1] + z * (…))`.
#[inline(always)]
pub(crate) fn polynomial<L: Lanes, const N: usize>(z: L, constants: [f32; N]) -> L {
    let mut sum = L::splat(constants[N - 1]);
    for i in 1..N {
        sum = sum.step(z, constants[N - 1 - i]);
    }
    sum
}

/// Where each lane of [`Lanes::compress`] and of [`Lanes::expand`] comes from, for every set of bits.
pub(crate) const fn moves<const LANES: usize, const SETS: usize>() -> [[[u8; LANES]; SETS]; 2] {
    assert!(SETS == 1 << LANES);
    let [mut together, mut apart] = [[[0; LANES]; SETS]; 2];
    let mut bits = 0;
    while bits < SETS {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if bits >> lane & 1 == 1 {
                together[bits][count] = lane as u8;
                apart[bits][lane] = count as u8;
                count += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    [together, apart]
}
