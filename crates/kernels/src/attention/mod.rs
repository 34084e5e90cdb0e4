//! Multi-head attention over a whole sequence: scores, softmax and weighted values in one pass.
//!
//! Queries, keys and values are rounded to integers small enough that every dot product and every weighted sum is
//! an exact i32. Integers may be added in any order, so lanes, tiles and batches cannot change a bit.

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod tiles;
#[cfg(target_arch = "x86_64")]
mod x86;

use alloc::vec::Vec;

use crate::variant::{Needs, Variant, pick};

/// What attention works on.
///
/// **Shape**: queries and output `[queries, heads * head]`, keys and values `[keys, heads * head]`, row major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of queries and of the output.
    pub queries: usize,
    /// Rows of keys and values.
    pub keys: usize,
    /// Heads.
    pub heads: usize,
    /// Values a head has.
    pub head: usize,
}

/// Memory attention works in, kept from call to call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) queries: Vec<i16>,
    pub(crate) keys: Vec<i16>,
    pub(crate) values: Vec<i16>,
    /// Scores, then weights in the same place.
    pub(crate) scores: Vec<i32>,
}

/// The largest quant of queries and keys.
pub(crate) const KEY_MAX: i32 = 4095;
/// The largest values of one head.
pub const MAX_HEAD: usize = 64;
/// The largest quant of values.
pub(crate) const VALUE_MAX: i32 = 2047;
/// The integer that stands for a weight of one.
pub(crate) const WEIGHT_ONE: i32 = 8191;
/// Keys whose weighted values are added as integers; the sums of chunks are added in f32, in order.
pub(crate) const CHUNK: usize = 128;
/// The most keys a sum of weights can hold.
pub const MAX_KEYS: usize = 1 << 17;
// A difference of two scores is an i32, too.
const _: () = assert!(MAX_HEAD as i64 * KEY_MAX as i64 * KEY_MAX as i64 * 2 < 1 << 31);
const _: () = assert!(CHUNK as i64 * WEIGHT_ONE as i64 * (VALUE_MAX as i64) < 1 << 31);
const _: () = assert!(MAX_KEYS as i64 * (WEIGHT_ONE as i64) < 1 << 31);

/// Below this, a weight rounds to zero; the floor keeps `exp` off its slow ends.
pub(crate) const FLOOR: f32 = -16.0;
/// Rows whose largest magnitude is below this count as zeros: their reciprocal could overflow.
pub(crate) const TINY: f32 = 1e-30;

/// Writes all of `out`; shapes are checked before.
pub type Attention =
    fn(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape, scratch: &mut Scratch);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<Attention>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::attention },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512vnni", needs: Needs::Avx512Vnni, run: x86::avx512_vnni::attention },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::avx2::attention },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::attention },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::attention },
];

/// The step of attention that is a function of one number, apart: `out[i]` is [`weight`] of `x[i]`.
pub type Weights = fn(out: &mut [i32], x: &[f32]);

/// That step of every variant, for tests and proofs over all inputs up to zero.
pub static WEIGHTS: &[Variant<Weights>] = &[
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::weights },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512vnni", needs: Needs::Avx512Vnni, run: x86::avx512_vnni::weights },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::avx2::weights },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::weights },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::weights },
];

pub use scalar::weight;

/// `out = softmax(q · kᵀ / sqrt(head)) · v` for each head, every query over every key.
///
/// **Order**, for each head:
/// 1. Each query row is quantised to -4095..=4095 with its own scale, the keys with one scale for the head, the
///    values to -2047..=2047 with one scale for the head: scale = largest / max, quant = x * (max / largest) rounded
///    half to even. NaN counts as zero; a largest magnitude below 1e-30 makes every quant and the scale zero.
/// 2. A score is the exact integer dot product; the largest of a row is subtracted as an integer.
/// 3. weight = exp(difference * ((query scale * key scale) * (1 / sqrt(head)))) * 8191, rounded half to even
///    ([`weight`]), an integer.
/// 4. Weight times value is summed as integers for 128 keys at a time; these sums are converted to f32 and added
///    in order, from zero, then multiplied by (value scale / sum of weights).
///
/// # Panics
/// When a slice does not fit the shape, `head` is not a multiple of 8 up to 64, or there are no keys or more than
/// [`MAX_KEYS`].
pub fn attention(out: &mut [f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape, scratch: &mut Scratch) {
    check(out, q, k, v, shape);
    (pick(VARIANTS).run)(out, q, k, v, shape, scratch);
}

/// What every variant may rely on.
pub fn check(out: &[f32], q: &[f32], k: &[f32], v: &[f32], shape: Shape) {
    let Shape { queries, keys, heads, head } = shape;
    assert!(head > 0 && head.is_multiple_of(8) && head <= MAX_HEAD, "a head of {head} values");
    assert!((1..=MAX_KEYS).contains(&keys), "{keys} keys");
    let hidden = heads * head;
    assert!(out.len() == queries * hidden && q.len() == queries * hidden, "queries and output are {shape:?}");
    assert!(k.len() == keys * hidden && v.len() == keys * hidden, "keys and values are {shape:?}");
}
