//! Rows of blocks to the small quants that products take.

use kernels::dots_grouped::{Form, FourBlocks, ROWS, Scales};

use crate::Kind;
use crate::dequantize::{half_at, scale_and_min};

/// How values of `kind` follow from their quants, for the types that [`unpack`] knows.
pub fn form(kind: Kind) -> Option<Form> {
    let (zero, scales) = match kind {
        Kind::Q4_1 | Kind::Q5_1 => (0, Scales::RoundedOffset),
        Kind::Q5_0 => (16, Scales::Whole),
        Kind::Q4_K | Kind::Q5_K => (0, Scales::Offset),
        Kind::Q6_K => (32, Scales::Halves),
        _ => return None,
    };
    Some(Form { zero, scales })
}

/// Writes row `row` of the four of `out` from its blocks in a file: quant, scale and offset of every value of
/// [`crate::dequantize`].
///
/// **Shape**: `bytes` `[blocks, kind.block_bytes()]`, `out` `[blocks * kind.block_size() / 32]`.
///
/// # Panics
/// When [`form`] does not know the type, `row` is no row of four, or the lengths differ.
pub fn unpack(kind: Kind, bytes: &[u8], row: usize, out: &mut [FourBlocks]) {
    let columns = 32 * out.len();
    let blocks = columns / kind.block_size();
    let whole = columns.is_multiple_of(kind.block_size()) && bytes.len() == blocks * kind.block_bytes();
    assert!(whole && row < ROWS, "{} bytes for {columns} columns, row {row}", bytes.len());
    match kind {
        Kind::Q4_1 => each(bytes, row, out, q4_1),
        Kind::Q5_0 => each(bytes, row, out, q5_0),
        Kind::Q5_1 => each(bytes, row, out, q5_1),
        Kind::Q4_K => each(bytes, row, out, q4_k),
        Kind::Q5_K => each(bytes, row, out, q5_k),
        Kind::Q6_K => each(bytes, row, out, q6_k),
        kind => panic!("{} has no small quants", kind.name()),
    }
}

/// Calls `block` with every block's bytes and the columns they hold.
#[inline(always)]
fn each<const BYTES: usize, const EACH: usize>(
    bytes: &[u8],
    row: usize,
    out: &mut [FourBlocks],
    block: impl Fn(&[u8; BYTES], usize, &mut [FourBlocks; EACH]),
) {
    for (bytes, out) in bytes.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
        block(bytes, row, out);
    }
}

/// The 32 nibbles of sixteen bytes: the low ones first.
#[inline(always)]
fn nibbles(quants: &[u8]) -> [u8; 32] {
    let quants: &[u8; 16] = quants.first_chunk().expect("sixteen bytes");
    let mut out = [0; 32];
    let (low, high) = out.split_at_mut(16);
    for ((low, high), quant) in low.iter_mut().zip(high).zip(quants) {
        (*low, *high) = (quant & 15, quant >> 4);
    }
    out
}

/// The same with bit `i` of four bytes as the fifth of quant `i`.
#[inline(always)]
fn five_bits(high: &[u8], quants: &[u8]) -> [u8; 32] {
    let mut out = nibbles(quants);
    for (out, high) in out.as_chunks_mut::<8>().0.iter_mut().zip(high) {
        for (i, out) in out.iter_mut().enumerate() {
            *out |= (high >> i & 1) << 4;
        }
    }
    out
}

#[inline(always)]
fn q4_1(bytes: &[u8; 20], row: usize, out: &mut [FourBlocks; 1]) {
    set(&mut out[0], row, half_at(bytes, 0), half_at(bytes, 2), nibbles(&bytes[4..]));
}

#[inline(always)]
fn q5_0(bytes: &[u8; 22], row: usize, out: &mut [FourBlocks; 1]) {
    set(&mut out[0], row, half_at(bytes, 0), 0.0, five_bits(&bytes[2..6], &bytes[6..]));
}

#[inline(always)]
fn q5_1(bytes: &[u8; 24], row: usize, out: &mut [FourBlocks; 1]) {
    set(&mut out[0], row, half_at(bytes, 0), half_at(bytes, 2), five_bits(&bytes[4..8], &bytes[8..]));
}

#[inline(always)]
fn set(out: &mut FourBlocks, row: usize, scale: f32, offset: f32, quants: [u8; 32]) {
    (out.scales[0][row], out.offsets[row], out.quants[row]) = (scale, offset, quants);
}

#[inline(always)]
fn q4_k(bytes: &[u8; 144], row: usize, out: &mut [FourBlocks; 8]) {
    k(bytes, row, out, |j, i| bytes[16 + j / 2 * 32 + i] >> (4 * (j % 2)) & 15);
}

#[inline(always)]
fn q5_k(bytes: &[u8; 176], row: usize, out: &mut [FourBlocks; 8]) {
    k(bytes, row, out, |j, i| {
        bytes[48 + j / 2 * 32 + i] >> (4 * (j % 2)) & 15 | (bytes[16 + i] >> j & 1) << 4
    });
}

/// Scales and minima of a K block's eight sub-blocks, and quant `i` of sub-block `j` as `quant` says.
#[inline(always)]
fn k(bytes: &[u8], row: usize, out: &mut [FourBlocks], quant: impl Fn(usize, usize) -> u8) {
    let (d, dmin) = (half_at(bytes, 0), half_at(bytes, 2));
    for (j, out) in out.iter_mut().enumerate() {
        let (scale, min) = scale_and_min(&bytes[4..16], j);
        let (scale, offset) = (d * f32::from(scale), -(dmin * f32::from(min)));
        set(out, row, scale, offset, core::array::from_fn(|i| quant(j, i)));
    }
}

#[inline(always)]
fn q6_k(bytes: &[u8; 210], row: usize, out: &mut [FourBlocks; 8]) {
    let (low, high, scales, d) = (&bytes[..128], &bytes[128..192], &bytes[192..208], half_at(bytes, 208));
    for (j, out) in out.iter_mut().enumerate() {
        // Two halves of 128 values; in each, 32 bytes hold four groups of 32.
        let (half, group) = (j / 4, j % 4);
        let four = &low[half * 64 + group % 2 * 32..][..32];
        let two = &high[half * 32..][..32];
        for ((quant, four), two) in out.quants[row].iter_mut().zip(four).zip(two) {
            *quant = four >> (4 * (group / 2)) & 15 | (two >> (2 * group) & 3) << 4;
        }
        for (half, scales_of) in out.scales.iter_mut().enumerate() {
            scales_of[row] = d * f32::from(scales[2 * j + half] as i8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dequantize, is_dequantizable};

    /// Every type whose values are made of small quants.
    const KINDS: [Kind; 6] = [Kind::Q4_1, Kind::Q5_0, Kind::Q5_1, Kind::Q4_K, Kind::Q5_K, Kind::Q6_K];

    #[test]
    fn quants_scales_and_offsets_are_those_of_dequantised_values() {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 24) as u8
        };
        for kind in KINDS {
            let form = form(kind).unwrap();
            assert!(is_dequantizable(kind));
            let columns = 2 * kind.block_size();
            let mut four = vec![FourBlocks::EMPTY; columns / 32];
            for row in 0..ROWS {
                let mut bytes: Vec<u8> = (0..2 * kind.block_bytes()).map(|_| next()).collect();
                // Scales are finite: the upper of the two bytes of a half has no exponent of all ones.
                for at in if kind == Kind::Q6_K { vec![209, 419] } else { vec![1, 3] } {
                    bytes[at] &= 0x3f;
                    let second = at + kind.block_bytes();
                    if second < bytes.len() {
                        bytes[second] &= 0x3f;
                    }
                }
                unpack(kind, &bytes, row, &mut four);
                let mut want = vec![0.0; columns];
                dequantize(kind, &bytes, &mut want).unwrap();
                for (c, want) in want.iter().enumerate() {
                    let (block, i) = (&four[c / 32], c % 32);
                    let half = if form.scales == Scales::Halves { i / 16 } else { 0 };
                    let quant = i32::from(block.quants[row][i]) - i32::from(form.zero);
                    let mut value = quant as f32 * block.scales[half][row];
                    if matches!(form.scales, Scales::Offset | Scales::RoundedOffset) {
                        value += block.offsets[row];
                    }
                    assert_eq!(value, *want, "{} row {row} column {c}", kind.name());
                    assert!(block.quants[row][i] <= kernels::dots_grouped::LARGEST);
                }
            }
        }
    }
}
