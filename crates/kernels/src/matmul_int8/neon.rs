//! NEON, with the dot product extension and without: a tile of rows by one panel, two vectors of four outputs.
//!
//! Without the extension two products of bytes are added in 16-bit lanes (2 * 128 * 127 fits), then in 32 bits.

use alloc::vec;
use core::arch::aarch64::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::neon::{add_dot, add_products, at, finish, load, load_f32, load_u8};
use crate::packed::{PANEL, Packed, int8_panel_bytes};

const _: () = assert!(PANEL == 8 && 2 * 128 * 127 < 1 << 15);

/// Rows of a tile.
const ROWS: usize = 4;
/// Sixteen columns of a panel: four steps of two vectors.
const SIXTEEN: usize = 16 * PANEL;

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $features:literal, $zero:expr, $add:expr, $finish:expr) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            pub fn matmul_int8(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
                // SAFETY: dispatch and `runnable` call a variant only where its features are met.
                unsafe { product(out, weights, x, bias) }
            }

            #[target_feature(enable = $features)]
            fn product(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
                let outputs = weights.rows();
                let rows = out.len() / outputs;
                let panel_bytes = int8_panel_bytes(PANEL, x.columns);
                // Whole blocks, as the weights are.
                let padded = x.columns.next_multiple_of(BLOCK);
                let mut arranged = vec![0; ROWS * padded];
                for t in (0..rows).step_by(ROWS) {
                    let live = ROWS.min(rows - t);
                    for (r, row) in arranged.chunks_exact_mut(padded).take(live).enumerate() {
                        row[..x.columns].copy_from_slice(x.quants(t + r));
                    }
                    let (x, scales) = (arranged.as_chunks::<16>().0, &x.scales[t..]);
                    let out = &mut out[t * outputs..];
                    for (panel, bytes) in weights.as_bytes().chunks_exact(panel_bytes).enumerate() {
                        let o = panel * PANEL;
                        match live {
                            1 => tile::<1>(out, outputs, o, bytes, x, scales, bias),
                            2 => tile::<2>(out, outputs, o, bytes, x, scales, bias),
                            3 => tile::<3>(out, outputs, o, bytes, x, scales, bias),
                            _ => tile::<4>(out, outputs, o, bytes, x, scales, bias),
                        }
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn tile<const R: usize>(
                out: &mut [f32],
                outputs: usize,
                o: usize,
                panel: &[u8],
                x: &[[i8; 16]],
                scales: &[f32],
                bias: Option<&[f32]>,
            ) {
                let (steps, _) = panel[4 * PANEL..].as_chunks::<SIXTEEN>();
                let x: [&[[i8; 16]]; R] = core::array::from_fn(|r| &x[r * steps.len()..][..steps.len()]);
                let mut dots = [[$zero; 2]; R];
                for (s, step) in steps.iter().enumerate() {
                    for v in 0..2 {
                        let w = [0, 1, 2, 3].map(|i| {
                            vreinterpretq_s8_u8(load_u8(at(step, 4 * PANEL * i + 16 * v)))
                        });
                        for r in 0..R {
                            dots[r][v] = $add(dots[r][v], w, load(&x[r][s]));
                        }
                    }
                }
                let d = [load_f32(at(panel, 0)), load_f32(at(panel, 16))];
                let width = PANEL.min(outputs - o);
                for r in 0..R {
                    let sums = [0, 1].map(|v| {
                        let dot = vcvtq_f32_s32($finish(dots[r][v]));
                        vmulq_f32(vmulq_n_f32(dot, scales[r]), d[v])
                    });
                    finish(&mut out[r * outputs + o..][..width], sums, bias.map(|bias| &bias[o..]));
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
    |dots, w: [int8x16_t; 4], x| {
        let dots = add_dot::<1>(add_dot::<0>(dots, w[0], x), w[1], x);
        add_dot::<3>(add_dot::<2>(dots, w[2], x), w[3], x)
    },
    |dots| dots
);
variant!(
    /// `smlal` and `sadalp`.
    plain,
    "neon",
    [vdupq_n_s32(0); 2],
    |dots: [int32x4_t; 2], w: [int8x16_t; 4], x| {
        let zero = [vdupq_n_s16(0); 2];
        let first = add_products::<1>(add_products::<0>(zero, w[0], x), w[1], x);
        let second = add_products::<3>(add_products::<2>(zero, w[2], x), w[3], x);
        [0, 1].map(|i| vpadalq_s16(vpadalq_s16(dots[i], first[i]), second[i]))
    },
    |[low, high]: [int32x4_t; 2]| vpaddq_s32(low, high)
);
