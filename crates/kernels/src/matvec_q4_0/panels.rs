//! How the Wasm variants walk a row: panels of eight outputs, a chunk of blocks a call.

use alloc::vec::Vec;
use core::arch::wasm32::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::matmul_q4_0::groups::{Block, lanes};
use crate::packed::{PANEL, Packed};

const _: () = assert!(PANEL == 8);

/// The eight outputs of a panel.
pub(super) type Sums = [v128; 2];

/// What a variant adds: `N` blocks are one call in straight-line code.
pub(super) trait Tile<const N: usize> {
    /// An arranged block of activations.
    type Row: Copy;
    /// Arranges 32 activations.
    fn arrange(quants: &[i8; BLOCK], scale: f32, offset: i32) -> Self::Row;
    /// Adds the products of `N` blocks to `sums`. `scratch` is memory to use.
    fn chunk(sums: &mut Sums, scratch: &mut Sums, weights: &[Block; N], x: &[Self::Row; N]);
    /// The same of one block.
    fn one(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &Self::Row);
}

pub(super) fn matvec<T: Tile<N>, const N: usize>(out: &mut [f32], weights: &Packed<'_>, x: &Activations) {
    let blocks = x.columns / BLOCK;
    let (quants, _) = x.quants(0).as_chunks::<BLOCK>();
    let arranged: Vec<T::Row> = quants
        .iter()
        .zip(&x.scales[..blocks])
        .zip(&x.offsets[..blocks])
        .map(|((quants, scale), offset)| T::arrange(quants, *scale, *offset))
        .collect();
    let (x, x_rest) = arranged.as_chunks::<N>();
    let (packed, _) = weights.as_bytes().as_chunks();
    let mut scratch = [f32x4_splat(0.0); 2];
    for (out, panel) in out.chunks_mut(PANEL).zip(packed.chunks_exact(blocks)) {
        let mut sums = [f32x4_splat(0.0); 2];
        let (panel, panel_rest) = panel.as_chunks::<N>();
        for (weights, x) in panel.iter().zip(x) {
            T::chunk(&mut sums, &mut scratch, weights, x);
        }
        for (weights, x) in panel_rest.iter().zip(x_rest) {
            T::one(&mut sums, &mut scratch, weights, x);
        }
        // Not by a slice of a length known at run time alone: that is a call of Wasmtime's, a panel.
        match out.as_chunks_mut::<4>() {
            ([low, high], _) => (*low, *high) = (lanes(sums[0]), lanes(sums[1])),
            _ => {
                for (out, sum) in out.iter_mut().zip(sums.map(lanes).as_flattened()) {
                    *out = *sum;
                }
            }
        }
    }
}
