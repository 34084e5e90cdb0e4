//! Rows of blocks to the small quants that products take.

use kernels::dots_grouped::{Form, FourBlocks, ROWS, Scales};
use kernels::f16;

use crate::Kind;
use crate::dequantize::scale_and_min;

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

/// Writes four rows of blocks in a file: quant, scale and offset of every value of [`crate::dequantize`].
///
/// **Shape**: each of `rows` `[blocks, kind.block_bytes()]`, `out` `[blocks * kind.block_size() / 32]`.
///
/// # Panics
/// When [`form`] does not know the type, or the lengths differ.
pub fn unpack(kind: Kind, rows: [&[u8]; ROWS], out: &mut [FourBlocks]) {
    let columns = 32 * out.len();
    let bytes = columns / kind.block_size() * kind.block_bytes();
    let whole = columns.is_multiple_of(kind.block_size()) && rows.iter().all(|row| row.len() == bytes);
    assert!(whole, "{columns} columns of {} need {bytes} bytes a row", kind.name());
    match kind {
        Kind::Q4_1 => each(rows, out, q4_1),
        Kind::Q5_0 => each(rows, out, q5_0),
        Kind::Q5_1 => each(rows, out, q5_1),
        Kind::Q4_K => each(rows, out, q4_k),
        Kind::Q5_K => each(rows, out, q5_k),
        Kind::Q6_K => each(rows, out, q6_k),
        kind => panic!("{} has no small quants", kind.name()),
    }
}

/// Calls `block` with the bytes of every four blocks and the columns they hold.
#[inline(always)]
fn each<const BYTES: usize, const EACH: usize>(
    rows: [&[u8]; ROWS],
    out: &mut [FourBlocks],
    block: impl Fn([&[u8; BYTES]; ROWS], &mut [FourBlocks; EACH]),
) {
    let [a, b, c, d] = rows.map(|row| row.as_chunks().0);
    for ((((a, b), c), d), out) in a.iter().zip(b).zip(c).zip(d).zip(out.as_chunks_mut().0) {
        block([a, b, c, d], out);
    }
}

/// The half at `at` of each row.
#[inline(always)]
fn halves<const BYTES: usize>(rows: [&[u8; BYTES]; ROWS], at: usize) -> [f32; ROWS] {
    f16::decode_all(rows.map(|bytes| u16::from_le_bytes([bytes[at], bytes[at + 1]])))
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
fn q4_1(rows: [&[u8; 20]; ROWS], [out]: &mut [FourBlocks; 1]) {
    (out.scales[0], out.offsets) = (halves(rows, 0), halves(rows, 2));
    out.quants = rows.map(|bytes| nibbles(&bytes[4..]));
}

#[inline(always)]
fn q5_0(rows: [&[u8; 22]; ROWS], [out]: &mut [FourBlocks; 1]) {
    out.scales[0] = halves(rows, 0);
    out.quants = rows.map(|bytes| five_bits(&bytes[2..6], &bytes[6..]));
}

#[inline(always)]
fn q5_1(rows: [&[u8; 24]; ROWS], [out]: &mut [FourBlocks; 1]) {
    (out.scales[0], out.offsets) = (halves(rows, 0), halves(rows, 2));
    out.quants = rows.map(|bytes| five_bits(&bytes[4..8], &bytes[8..]));
}

#[inline(always)]
fn q4_k(rows: [&[u8; 144]; ROWS], out: &mut [FourBlocks; 8]) {
    k(rows, out, |bytes, j, i| bytes[16 + j / 2 * 32 + i] >> (4 * (j % 2)) & 15);
}

#[inline(always)]
fn q5_k(rows: [&[u8; 176]; ROWS], out: &mut [FourBlocks; 8]) {
    k(rows, out, |bytes, j, i| {
        bytes[48 + j / 2 * 32 + i] >> (4 * (j % 2)) & 15 | (bytes[16 + i] >> j & 1) << 4
    });
}

/// Scales and minima of K blocks' eight sub-blocks, and quant `i` of sub-block `j` as `quant` says.
#[inline(always)]
fn k<const BYTES: usize>(
    rows: [&[u8; BYTES]; ROWS],
    out: &mut [FourBlocks; 8],
    quant: impl Fn(&[u8; BYTES], usize, usize) -> u8,
) {
    let (d, dmin) = (halves(rows, 0), halves(rows, 2));
    for (j, out) in out.iter_mut().enumerate() {
        for (r, bytes) in rows.into_iter().enumerate() {
            let (scale, min) = scale_and_min(&bytes[4..16], j);
            out.scales[0][r] = d[r] * f32::from(scale);
            out.offsets[r] = -(dmin[r] * f32::from(min));
            out.quants[r] = core::array::from_fn(|i| quant(bytes, j, i));
        }
    }
}

#[inline(always)]
fn q6_k(rows: [&[u8; 210]; ROWS], out: &mut [FourBlocks; 8]) {
    let d = halves(rows, 208);
    for (j, out) in out.iter_mut().enumerate() {
        // Two halves of 128 values; in each, 32 bytes hold four groups of 32.
        let (half, group) = (j / 4, j % 4);
        for (r, bytes) in rows.into_iter().enumerate() {
            let (low, high) = (half * 64 + group % 2 * 32, 128 + half * 32);
            out.quants[r] = core::array::from_fn(|i| {
                bytes[low + i] >> (4 * (group / 2)) & 15 | (bytes[high + i] >> (2 * group) & 3) << 4
            });
            for (side, scales) in out.scales.iter_mut().enumerate() {
                scales[r] = d[r] * f32::from(bytes[192 + 2 * j + side] as i8);
            }
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
            let rows: [Vec<u8>; ROWS] = core::array::from_fn(|_| {
                let mut bytes: Vec<u8> = (0..2 * kind.block_bytes()).map(|_| next()).collect();
                for block in bytes.chunks_exact_mut(kind.block_bytes()) {
                    // Scales are finite: the upper of the two bytes of a half has no exponent of all ones.
                    for at in if kind == Kind::Q6_K { [209, 209] } else { [1, 3] } {
                        block[at] &= 0x3f;
                    }
                }
                bytes
            });
            unpack(kind, rows.each_ref().map(|row| &row[..]), &mut four);
            for (row, bytes) in rows.iter().enumerate() {
                let mut want = vec![0.0; columns];
                dequantize(kind, bytes, &mut want).unwrap();
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
