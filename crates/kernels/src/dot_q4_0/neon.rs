//! NEON, with the dot product extension and without: four blocks at a time, their sums in the lanes of one vector.

use core::arch::aarch64::*;

use super::scalar;
use crate::block::{BlockQ4_0, BlockQ8_0};
use crate::neon::{dot, load, load_u8};

const _: () = assert!(4 * 8 * 128 < 1 << 15);

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $parts:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn dot_q4_0_q8_0(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { rows(weights, x) }
            }

            #[target_feature(enable = $features)]
            fn rows(weights: &[BlockQ4_0], x: &[BlockQ8_0]) -> f32 {
                let (weights, weights_rest) = weights.as_chunks::<4>();
                let (x, x_rest) = x.as_chunks::<4>();
                let mut sum = 0.0;
                for (w, x) in weights.iter().zip(x) {
                    let parts: [int32x4_t; 4] = core::array::from_fn(|i| {
                        let (quants, _) = x[i].qs.as_chunks::<16>();
                        $parts(weights_of(&w[i].qs), [load(&quants[0]), load(&quants[1])])
                    });
                    let pairs = [vpaddq_s32(parts[0], parts[1]), vpaddq_s32(parts[2], parts[3])];
                    let dots = vcvtq_f32_s32(vpaddq_s32(pairs[0], pairs[1]));
                    let halves = |d: [[u8; 2]; 4]| decode(d.map(|d| u16::from_le_bytes(d)));
                    let scales = vmulq_f32(
                        halves([w[0].d, w[1].d, w[2].d, w[3].d]),
                        halves([x[0].d, x[1].d, x[2].d, x[3].d]),
                    );
                    let products = vmulq_f32(dots, scales);
                    sum += vgetq_lane_f32::<0>(products);
                    sum += vgetq_lane_f32::<1>(products);
                    sum += vgetq_lane_f32::<2>(products);
                    sum += vgetq_lane_f32::<3>(products);
                }
                scalar::dot_from(sum, weights_rest, x_rest)
            }
        }
    };
}

variant!(
    /// `sdot`.
    dot_product,
    "neon,dotprod",
    |w: [int8x16_t; 2], x: [int8x16_t; 2]| dot(dot(vdupq_n_s32(0), w[0], x[0]), w[1], x[1])
);
variant!(
    /// `smull` and `smlal`: four products of 8 * 128 a 16-bit lane.
    plain,
    "neon",
    |w: [int8x16_t; 2], x: [int8x16_t; 2]| {
        let sums = vmull_s8(vget_low_s8(w[0]), vget_low_s8(x[0]));
        let sums = vmlal_high_s8(sums, w[0], x[0]);
        let sums = vmlal_s8(sums, vget_low_s8(w[1]), vget_low_s8(x[1]));
        vpaddlq_s16(vmlal_high_s8(sums, w[1], x[1]))
    }
);

/// 32 weights, -8..=7, in the order of the activations.
#[inline]
#[target_feature(enable = "neon")]
fn weights_of(quants: &[u8; 16]) -> [int8x16_t; 2] {
    let raw = load_u8(quants);
    [vandq_u8(raw, vdupq_n_u8(15)), vshrq_n_u8::<4>(raw)]
        .map(|nibbles| vsubq_s8(vreinterpretq_s8_u8(nibbles), vdupq_n_s8(8)))
}

/// Halves to f32: the fraction and exponent in place are 2^-112 times a finite value, subnormals included, and the
/// product is exact; an exponent of 31 gets the exponent of infinities and NaNs.
#[inline]
#[target_feature(enable = "neon")]
fn decode(halves: [u16; 4]) -> float32x4_t {
    // SAFETY: the array covers the eight bytes.
    let halves = vreinterpretq_u32_s32(vmovl_s16(vreinterpret_s16_u16(unsafe { vld1_u16(halves.as_ptr()) })));
    let bits = vandq_u32(vshlq_n_u32::<13>(halves), vdupq_n_u32(0x8fff_e000));
    let exponent = vdupq_n_u32(0x7c00);
    let special = vceqq_u32(vandq_u32(halves, exponent), exponent);
    let value = vmulq_n_f32(vreinterpretq_f32_u32(bits), f32::from_bits((112 + 127) << 23));
    let infinity = vandq_u32(special, vdupq_n_u32(0x7f80_0000));
    vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(value), infinity))
}
