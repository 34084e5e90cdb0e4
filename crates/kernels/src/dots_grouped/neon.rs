//! NEON, with the dot product extension and without.

use core::arch::aarch64::*;

use super::arranged::sum_of;
use super::{ArrangedBlock, Form, FourBlocks, ROWS, Scales};
use crate::neon::{dot, load, load_u8};

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $half:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn dots_grouped(
                out: &mut [f32; ROWS],
                weights: &[FourBlocks],
                form: Form,
                x: &[ArrangedBlock],
            ) {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { blocks(out, weights, form, x) }
            }

            #[target_feature(enable = $features)]
            fn blocks(out: &mut [f32; ROWS], weights: &[FourBlocks], form: Form, x: &[ArrangedBlock]) {
                let zero = i32::from(form.zero);
                let mut sums = vdupq_n_f32(0.0);
                for (w, x) in weights.iter().zip(x) {
                    let (values, _) = x.quants.as_chunks::<16>();
                    let dots: [int32x4_t; 2] = core::array::from_fn(|half| {
                        let parts = w.quants.each_ref().map(|quants| {
                            let (quants, _) = quants.as_chunks::<16>();
                            $half(vreinterpretq_s8_u8(load_u8(&quants[half])), load(&values[half]))
                        });
                        let pairs = [vpaddq_s32(parts[0], parts[1]), vpaddq_s32(parts[2], parts[3])];
                        let offset = vdupq_n_s32(zero * x.halves[half]);
                        vsubq_s32(vpaddq_s32(pairs[0], pairs[1]), offset)
                    });
                    let product = |dots: int32x4_t, scales: &[f32; ROWS]| {
                        vmulq_f32(vcvtq_f32_s32(dots), vmulq_n_f32(floats(scales), x.scale))
                    };
                    if form.scales == Scales::Halves {
                        sums = vaddq_f32(sums, product(dots[0], &w.scales[0]));
                        sums = vaddq_f32(sums, product(dots[1], &w.scales[1]));
                        continue;
                    }
                    let mut product = product(vaddq_s32(dots[0], dots[1]), &w.scales[0]);
                    if form.scales != Scales::Whole {
                        let sum = x.sums[sum_of(form.scales)];
                        product = vaddq_f32(product, vmulq_n_f32(floats(&w.offsets), sum));
                    }
                    sums = vaddq_f32(sums, product);
                }
                // SAFETY: the array covers the 16 bytes.
                unsafe { vst1q_f32(out.as_mut_ptr(), sums) };
            }
        }
    };
}

variant!(
    /// `sdot`.
    dot_product,
    "neon,dotprod",
    |w: int8x16_t, x: int8x16_t| dot(vdupq_n_s32(0), w, x)
);
variant!(
    /// `smull` and `smlal2`: two products of 63 * 127 a 16-bit lane.
    plain,
    "neon",
    |w: int8x16_t, x: int8x16_t| {
        vpaddlq_s16(vmlal_high_s8(vmull_s8(vget_low_s8(w), vget_low_s8(x)), w, x))
    }
);

#[inline]
#[target_feature(enable = "neon")]
fn floats(values: &[f32; ROWS]) -> float32x4_t {
    // SAFETY: the reference covers the 16 bytes.
    unsafe { vld1q_f32(values.as_ptr()) }
}
