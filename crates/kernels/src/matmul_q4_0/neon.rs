//! NEON, with the dot product extension and without: a tile of rows by one panel, two vectors of four outputs.
//!
//! The offset `-8 * Σy` makes weights of nibbles. Without the extension their products are added in 16-bit
//! lanes: eight of 15 * 127 each, 15,240.

use core::arch::aarch64::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::neon::{add_dot, add_products, at, finish, load, load_f32, load_u8};
use crate::packed::{PANEL, Packed, q4_0_block_bytes};

const _: () = assert!(PANEL == 8 && 8 * 15 * 127 < 1 << 15);

/// Rows of a tile: with sums, dots, nibbles and activations 29 of 32 registers.
const ROWS: usize = 4;
const BLOCK_BYTES: usize = q4_0_block_bytes(PANEL);

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $zero:expr, $add:ident, $finish:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { product(out, weights, x, bias) }
            }

            #[target_feature(enable = $features)]
            fn product(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
                let outputs = weights.rows();
                let rows = out.len() / outputs;
                let (blocks, _) = weights.as_bytes().as_chunks::<BLOCK_BYTES>();
                for t in (0..rows).step_by(ROWS) {
                    for (panel, blocks) in blocks.chunks_exact(x.columns / BLOCK).enumerate() {
                        let o = panel * PANEL;
                        match rows - t {
                            1 => tile::<1>(out, outputs, t, o, blocks, x, bias),
                            2 => tile::<2>(out, outputs, t, o, blocks, x, bias),
                            3 => tile::<3>(out, outputs, t, o, blocks, x, bias),
                            _ => tile::<4>(out, outputs, t, o, blocks, x, bias),
                        }
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn tile<const R: usize>(
                out: &mut [f32],
                outputs: usize,
                t: usize,
                o: usize,
                panel: &[[u8; BLOCK_BYTES]],
                x: &Activations,
                bias: Option<&[f32]>,
            ) {
                let blocks = panel.len();
                let mut sums = [[vdupq_n_f32(0.0); 2]; R];
                let quants: [&[[[i8; 16]; 2]]; R] = core::array::from_fn(|r| halves(x.quants(t + r), blocks));
                let scales: [&[f32]; R] = core::array::from_fn(|r| &x.scales[(t + r) * blocks..][..blocks]);
                let offsets: [&[i32]; R] = core::array::from_fn(|r| &x.offsets[(t + r) * blocks..][..blocks]);
                for (b, block) in panel.iter().enumerate() {
                    let mut dots = [[$zero; 2]; R];
                    for half in 0..2 {
                        let [first, second] = [nibbles(block, 2 * half), nibbles(block, 2 * half + 1)];
                        for r in 0..R {
                            let y = load(&quants[r][b][half]);
                            for v in 0..2 {
                                dots[r][v] = $add::<0>(dots[r][v], first[v][0], y);
                                dots[r][v] = $add::<1>(dots[r][v], first[v][1], y);
                                dots[r][v] = $add::<2>(dots[r][v], second[v][0], y);
                                dots[r][v] = $add::<3>(dots[r][v], second[v][1], y);
                            }
                        }
                    }
                    let d = [load_f32(at(block, 0)), load_f32(at(block, 16))];
                    for r in 0..R {
                        for v in 0..2 {
                            let dot = vaddq_s32($finish(dots[r][v]), vdupq_n_s32(offsets[r][b]));
                            let product = vmulq_f32(vcvtq_f32_s32(dot), vmulq_n_f32(d[v], scales[r][b]));
                            sums[r][v] = vaddq_f32(sums[r][v], product);
                        }
                    }
                }
                let width = PANEL.min(outputs - o);
                for r in 0..R {
                    finish(&mut out[(t + r) * outputs + o..][..width], sums[r], bias.map(|bias| &bias[o..]));
                }
            }
        }
    };
}

variant!(
    /// `sdot` by a lane.
    dot_product,
    "neon,dotprod",
    vdupq_n_s32(0),
    add_dot,
    |dots| dots
);
variant!(
    /// `smlal`.
    plain,
    "neon",
    [vdupq_n_s16(0); 2],
    add_products,
    |[low, high]: [int16x8_t; 2]| vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high))
);

/// A row's quants as blocks of two halves.
fn halves(quants: &[i8], blocks: usize) -> &[[[i8; 16]; 2]] {
    &quants.as_chunks::<16>().0.as_chunks::<2>().0[..blocks]
}

/// Step `step` of a block: for each vector of outputs the low and the high nibbles.
#[inline]
#[target_feature(enable = "neon")]
fn nibbles(block: &[u8; BLOCK_BYTES], step: usize) -> [[int8x16_t; 2]; 2] {
    [0, 16].map(|vector| {
        let raw = load_u8(at(block, 4 * PANEL + 4 * PANEL * step + vector));
        [vandq_u8(raw, vdupq_n_u8(15)), vshrq_n_u8::<4>(raw)].map(|nibbles| vreinterpretq_s8_u8(nibbles))
    })
}
