//! How the Wasm variants walk a product: groups of rows, chunks of blocks, panels of outputs.
//!
//! A group's activations are arranged once for a chunk (they then stay in the first cache) and serve every panel;
//! the sums of all panels wait in memory between chunks, if there are several. Blocks still come in ascending order for
//! each output.

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
    let panels = if chunk < blocks { outputs.div_ceil(PANEL) } else { 1 };
    let mut sums: vec::Vec<Sums> = vec![zeros; panels];
    let mut scratch = zeros;
    let mut t = 0;
    while t < rows {
        let live = (rows - t).min(ROWS);
        // A group of 5 to 7 rows runs as 8: the rows past the last are leftovers, computed and never read.
        let group = if live > 4 { ROWS } else { live.next_power_of_two() };
        let out = &mut out[t * outputs..][..live * outputs];
        for begin in (0..blocks).step_by(chunk) {
            let count = chunk.min(blocks - begin);
            for r in 0..live {
                arrange::<T>(&mut arranged[r..], group, x, t + r, begin, count);
            }
            let x = &arranged[..count * group];
            for (p, panel) in packed.chunks_exact(blocks).enumerate() {
                let sums = &mut sums[p.min(panels - 1)];
                if begin == 0 {
                    // Not `*sums = zeros`, which is a call of Wasmtime's.
                    sums.as_flattened_mut().iter_mut().for_each(|sum| store(sum, f32x4_splat(0.0)));
                }
                let panel = &panel[begin..begin + count];
                match group {
                    1 => tile::<T, 1>(sums, &mut scratch, panel, x),
                    2 => tile::<T, 2>(sums, &mut scratch, panel, x),
                    4 => tile::<T, 4>(sums, &mut scratch, panel, x),
                    _ => tile::<T, ROWS>(sums, &mut scratch, panel, x),
                }
                if begin + count == blocks {
                    finish(out, outputs, p, sums, bias);
                }
            }
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

/// Writes panel `p` of a group's rows.
fn finish(out: &mut [f32], outputs: usize, p: usize, sums: &Sums, bias: Option<&[f32]>) {
    for (out, sums) in out.chunks_exact_mut(outputs).zip(sums) {
        write_panel(out, bias, p, *sums);
    }
}

/// Writes a row whose panel `p` is `values(p)`, plus the bias.
#[inline(always)]
pub(crate) fn write(out: &mut [f32], bias: Option<&[f32]>, values: impl Fn(usize) -> [v128; VECTORS]) {
    for p in 0..out.len().div_ceil(PANEL) {
        write_panel(out, bias, p, values(p));
    }
}

/// Writes panel `p` of a row, plus the bias.
#[inline(always)]
fn write_panel(out: &mut [f32], bias: Option<&[f32]>, p: usize, values: [v128; VECTORS]) {
    let out = &mut out[p * PANEL..];
    let bias = bias.map(|bias| &bias[p * PANEL..]);
    if out.len() >= PANEL {
        for (v, value) in values.into_iter().enumerate() {
            let mut value = F32x4::from_bits(value);
            if let Some(bias) = bias {
                value = value.add(F32x4::load(&bias[4 * v..][..4]));
            }
            value.store(&mut out[4 * v..][..4]);
        }
        return;
    }
    for (i, (out, value)) in out.iter_mut().zip(values.map(lanes).as_flattened()).enumerate() {
        *out = bias.map_or(*value, |bias| value + bias[i]);
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
