//! SIMD128: `i32x4.dot_i16x8` on bytes widened in place, weights in registers, rows passing by (see
//! `matmul_q4_0/relaxed.rs` for why the sums are stored between rows). Cranelift reads the operands of `i32x4.dot_i16x8`
//! twice and so never where they lie in memory: a vector of activations is loaded once, for both vectors of outputs.
//!
//! A 32-bit lane of the packed matrix holds four columns of one output; shifts within 16-bit lanes leave the pairs of
//! columns (0, 2) and (1, 3), and the activations are arranged in the same pairs.

use alloc::vec;
use core::arch::wasm32::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::matmul_q4_0::groups::{ROWS, Sums, VECTORS, each, load, repeated, store, widened, write};
use crate::packed::{PANEL, Packed, int8_panel_bytes};

/// 32 columns of a panel.
type Block = [u8; BLOCK * PANEL];
/// 32 columns of a row: sixteen pairs, repeated.
type Row = [v128; 16];
/// Blocks of the largest chunk: eight rows of eight blocks take 16 KiB.
const CHUNK: usize = 8;

pub fn matmul_int8(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    let outputs = weights.rows();
    let rows = out.len() / outputs;
    let blocks = x.columns.div_ceil(BLOCK);
    let panel_bytes = int8_panel_bytes(PANEL, x.columns);
    let chunk = blocks.div_ceil(blocks.div_ceil(CHUNK));
    let zeros = [[i32x4_splat(0); VECTORS]; ROWS];
    let mut arranged = vec![[i32x4_splat(0); 16]; ROWS * chunk];
    let mut sums: vec::Vec<Sums> = vec![zeros; outputs.div_ceil(PANEL)];
    let mut t = 0;
    while t < rows {
        let live = (rows - t).min(ROWS);
        // As in the q4_0 product: a group of 5 to 7 rows runs as 8.
        let group = if live > 4 { ROWS } else { live.next_power_of_two() };
        sums.as_flattened_mut().as_flattened_mut().fill(i32x4_splat(0));
        for begin in (0..blocks).step_by(chunk) {
            let count = chunk.min(blocks - begin);
            for r in 0..live {
                arrange(&mut arranged[r..], group, x.quants(t + r), begin, count);
            }
            let x = &arranged[..count * group];
            for (panel, sums) in weights.as_bytes().chunks_exact(panel_bytes).zip(&mut sums) {
                let (panel, _) = panel[4 * PANEL..].as_chunks();
                let panel = &panel[begin..begin + count];
                match group {
                    1 => tile::<1>(sums, panel, x),
                    2 => tile::<2>(sums, panel, x),
                    4 => tile::<4>(sums, panel, x),
                    _ => tile::<ROWS>(sums, panel, x),
                }
            }
        }
        for (r, out) in out[t * outputs..].chunks_exact_mut(outputs).take(live).enumerate() {
            finish(out, weights.as_bytes(), panel_bytes, &sums, r, x.scales[t + r], bias);
        }
        t += live;
    }
}

fn arrange(out: &mut [Row], group: usize, quants: &[i8], begin: usize, count: usize) {
    let blocks = quants[begin * BLOCK..].chunks(BLOCK).take(count);
    for (out, quants) in out.iter_mut().step_by(group).zip(blocks) {
        let mut whole = [0; BLOCK];
        whole[..quants.len()].copy_from_slice(quants);
        for (out, eight) in out.as_chunks_mut::<4>().0.iter_mut().zip(widened(&whole)) {
            *out = repeated(i16x8_shuffle::<0, 2, 1, 3, 4, 6, 5, 7>(eight, eight));
        }
    }
}

#[inline(always)]
fn tile<const R: usize>(sums: &mut Sums, panel: &[Block], x: &[Row]) {
    let (x, _) = x.as_chunks::<R>();
    for (weights, x) in panel.iter().zip(x) {
        block::<R>(sums, weights, x);
    }
}

#[inline(never)]
fn block<const R: usize>(sums: &mut Sums, weights: &Block, x: &[Row; R]) {
    quarter::<0, R>(sums, weights, x);
    quarter::<1, R>(sums, weights, x);
    quarter::<2, R>(sums, weights, x);
    quarter::<3, R>(sums, weights, x);
}

#[inline(always)]
fn quarter<const Q: usize, const R: usize>(sums: &mut Sums, weights: &Block, x: &[Row; R]) {
    let quants: [[v128; 4]; VECTORS] = core::array::from_fn(|v| {
        core::array::from_fn(|j| {
            let raw = bytes(weights, (2 * Q + j / 2) * 4 * PANEL + 16 * v);
            if j % 2 == 0 { i16x8_shr(i16x8_shl(raw, 8), 8) } else { i16x8_shr(raw, 8) }
        })
    });
    each::<R>(|r| {
        for v in 0..VECTORS {
            let p: [v128; 4] = core::array::from_fn(|j| i32x4_dot_i16x8(x[r][4 * Q + j], quants[v][j]));
            let dot = i32x4_add(i32x4_add(p[0], p[1]), i32x4_add(p[2], p[3]));
            let sum = i32x4_add(load(&sums[r][v]), dot);
            store(&mut sums[r][v], sum);
        }
    });
}

#[inline(always)]
fn bytes(block: &Block, at: usize) -> v128 {
    let bytes: &[u8; 16] = block[at..].first_chunk().expect("inside the block");
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

/// Writes row `r` of the group.
fn finish(
    out: &mut [f32],
    packed: &[u8],
    panel_bytes: usize,
    sums: &[Sums],
    r: usize,
    scale: f32,
    bias: Option<&[f32]>,
) {
    let scale = f32x4_splat(scale);
    write(out, bias, |p| {
        let weights: &[u8; 4 * PANEL] = packed[p * panel_bytes..].first_chunk().expect("a panel's scales");
        core::array::from_fn(|v| {
            let weight: &[u8; 16] = weights[16 * v..].first_chunk().expect("four scales");
            // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
            let weight = unsafe { v128_load(weight.as_ptr().cast()) };
            f32x4_mul(f32x4_mul(f32x4_convert_i32x4(sums[p][r][v]), scale), weight)
        })
    });
}
