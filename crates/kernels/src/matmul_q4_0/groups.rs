//! How the Wasm variants walk a product: groups of rows, chunks of blocks, panels of outputs.
//!
//! A group's activations are arranged once for a chunk (they then stay in the first cache) and serve every panel;
//! the sums of all panels wait in memory between chunks. Blocks still come in ascending order for each output.

use alloc::vec;
use core::arch::wasm32::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::lanes::Lanes;
use crate::lanes::simd128::F32x4;
use crate::packed::{PANEL, Packed, q4_0_block_bytes};

/// Rows of the largest group.
pub(crate) const ROWS: usize = 8;
/// A panel's block of packed bytes.
pub(crate) type Block = [u8; q4_0_block_bytes(PANEL)];
/// One value an output of a panel, for each row of a group.
pub(crate) type Sums = [[v128; VECTORS]; ROWS];
/// Vectors of four outputs a panel.
pub(crate) const VECTORS: usize = PANEL / 4;

/// What a variant adds: how a block of a row is arranged and how a group of rows is multiplied by a panel's block.
pub(crate) trait Tile {
    /// Blocks of the largest chunk, so that eight arranged rows and a panel stay under the 32 KiB of a first cache.
    const CHUNK: usize;
    /// An arranged block of a row.
    type Row: Copy;
    const EMPTY: Self::Row;
    /// Arranges 32 activations, in place: a row returned is a row copied, by a call of Wasmtime's.
    fn arrange(out: &mut Self::Row, quants: &[i8; BLOCK], scale: f32, offset: i32);
    /// Adds the block's products to `sums`. `scratch` is memory to use.
    fn block<const R: usize>(sums: &mut Sums, scratch: &mut Sums, weights: &Block, x: &[Self::Row; R]);
}

pub(crate) fn matmul<T: Tile>(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    let outputs = weights.rows();
    let rows = out.len() / outputs;
    let blocks = x.columns / BLOCK;
    let (packed, _) = weights.as_bytes().as_chunks();
    let chunk = blocks.div_ceil(blocks.div_ceil(T::CHUNK));
    let mut arranged = vec![T::EMPTY; ROWS * chunk];
    let zeros = [[f32x4_splat(0.0); VECTORS]; ROWS];
    let mut sums: vec::Vec<Sums> = vec![zeros; outputs.div_ceil(PANEL)];
    let mut scratch = zeros;
    let mut t = 0;
    while t < rows {
        let live = (rows - t).min(ROWS);
        // A group of 5 to 7 rows runs as 8: the rows past the last are leftovers, computed and never read.
        let group = if live > 4 { ROWS } else { live.next_power_of_two() };
        sums.as_flattened_mut().as_flattened_mut().fill(f32x4_splat(0.0));
        for begin in (0..blocks).step_by(chunk) {
            let count = chunk.min(blocks - begin);
            for r in 0..live {
                arrange::<T>(&mut arranged[r..], group, x, t + r, begin, count);
            }
            let x = &arranged[..count * group];
            for (panel, sums) in packed.chunks_exact(blocks).zip(&mut sums) {
                let panel = &panel[begin..begin + count];
                match group {
                    1 => tile::<T, 1>(sums, &mut scratch, panel, x),
                    2 => tile::<T, 2>(sums, &mut scratch, panel, x),
                    4 => tile::<T, 4>(sums, &mut scratch, panel, x),
                    _ => tile::<T, ROWS>(sums, &mut scratch, panel, x),
                }
            }
        }
        for (out, r) in out[t * outputs..].chunks_exact_mut(outputs).zip(0..live) {
            finish(out, &sums, r, bias);
        }
        t += live;
    }
}

fn arrange<T: Tile>(out: &mut [T::Row], group: usize, x: &Activations, t: usize, begin: usize, count: usize) {
    let blocks = x.columns / BLOCK;
    let (quants, _) = x.quants(t).as_chunks::<BLOCK>();
    let scales = &x.scales[t * blocks + begin..][..count];
    let offsets = &x.offsets[t * blocks + begin..][..count];
    let quants = &quants[begin..][..count];
    for (((out, quants), scale), offset) in out.iter_mut().step_by(group).zip(quants).zip(scales).zip(offsets)
    {
        T::arrange(out, quants, *scale, *offset);
    }
}

#[inline(always)]
fn tile<T: Tile, const R: usize>(sums: &mut Sums, scratch: &mut Sums, panel: &[Block], x: &[T::Row]) {
    let (x, _) = x.as_chunks::<R>();
    for (weights, x) in panel.iter().zip(x) {
        T::block::<R>(sums, scratch, weights, x);
    }
}

/// Writes row `r` of the group.
fn finish(out: &mut [f32], sums: &[Sums], r: usize, bias: Option<&[f32]>) {
    write(out, bias, |panel| sums[panel][r]);
}

/// Writes a row whose panel `p` is `values(p)`, plus the bias.
#[inline(always)]
pub(crate) fn write(out: &mut [f32], bias: Option<&[f32]>, values: impl Fn(usize) -> [v128; VECTORS]) {
    let (panels, last) = out.as_chunks_mut::<PANEL>();
    let whole = panels.len();
    match bias {
        Some(bias) => {
            let (biases, bias) = bias.as_chunks::<PANEL>();
            for (p, (out, bias)) in panels.iter_mut().zip(biases).enumerate() {
                for (v, value) in values(p).into_iter().enumerate() {
                    let value = F32x4::from_bits(value).add(F32x4::load(&bias[4 * v..][..4]));
                    value.store(&mut out[4 * v..][..4]);
                }
            }
            if !last.is_empty() {
                let values = values(whole).map(lanes);
                for ((out, sum), bias) in last.iter_mut().zip(values.as_flattened()).zip(bias) {
                    *out = sum + bias;
                }
            }
        }
        None => {
            for (p, out) in out.chunks_mut(PANEL).enumerate() {
                out.copy_from_slice(&values(p).map(lanes).as_flattened()[..out.len()]);
            }
        }
    }
}

#[inline(always)]
pub(crate) fn lanes(v: v128) -> [f32; 4] {
    [
        f32x4_extract_lane::<0>(v),
        f32x4_extract_lane::<1>(v),
        f32x4_extract_lane::<2>(v),
        f32x4_extract_lane::<3>(v),
    ]
}

/// 32 quants in sixteen bits, by eights.
#[inline(always)]
pub(crate) fn widened(quants: &[i8; BLOCK]) -> [v128; 4] {
    // SAFETY: the reference covers the 32 bytes; Wasm loads need no alignment.
    let low = unsafe { v128_load(quants.as_ptr().cast()) };
    // SAFETY: as above.
    let high = unsafe { v128_load(quants[16..].as_ptr().cast()) };
    [
        i16x8_extend_low_i8x16(low),
        i16x8_extend_high_i8x16(low),
        i16x8_extend_low_i8x16(high),
        i16x8_extend_high_i8x16(high),
    ]
}

/// Each 32-bit lane four times.
#[inline(always)]
pub(crate) fn repeated(lanes: v128) -> [v128; 4] {
    [
        i32x4_shuffle::<0, 0, 0, 0>(lanes, lanes),
        i32x4_shuffle::<1, 1, 1, 1>(lanes, lanes),
        i32x4_shuffle::<2, 2, 2, 2>(lanes, lanes),
        i32x4_shuffle::<3, 3, 3, 3>(lanes, lanes),
    ]
}

/// A vector of the packed block.
#[inline(always)]
pub(crate) fn bytes(block: &Block, at: usize) -> v128 {
    let bytes: &[u8; 16] = block[at..].first_chunk().expect("inside the block");
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

/// A read LLVM may not move or leave out.
#[inline(always)]
pub(crate) fn load(from: &v128) -> v128 {
    // SAFETY: a reference is valid to read.
    unsafe { core::ptr::from_ref(from).read_volatile() }
}

/// A write LLVM may not move or leave out.
#[inline(always)]
pub(crate) fn store(to: &mut v128, value: v128) {
    // SAFETY: an exclusive reference is valid to write.
    unsafe { core::ptr::from_mut(to).write_volatile(value) };
}

/// Calls `body` with 0..R in straight-line code: LLVM keeps a loop of eight, whose back-edges cost epoch checks and
/// whose invariants Cranelift spills.
#[inline(always)]
pub(crate) fn each<const R: usize>(mut body: impl FnMut(usize)) {
    const { assert!(R <= ROWS) };
    body(0);
    if R > 1 {
        body(1);
    }
    if R > 2 {
        body(2);
        body(3);
    }
    if R > 4 {
        body(4);
        body(5);
        body(6);
        body(7);
    }
}
