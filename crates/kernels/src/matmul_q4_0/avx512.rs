//! AVX-512 VNNI: eight rows by sixteen outputs. Two panels lie in a vector, and `vpdpbusd` repeats four quants of a
//! row itself as it reads them.
//!
//! No closures here: LLVM kept some as functions, a call each time.

use core::arch::x86_64::*;

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::{PANEL, Packed, q4_0_block_bytes};

const _: () = assert!(PANEL == 8);

/// Rows of a tile: eight sums of integers, eight of floats, two vectors of nibbles and the mask are 19 of 32 registers.
const ROWS: usize = 8;
/// Outputs of a tile.
const OUTPUTS: usize = 2 * PANEL;
/// A panel's block.
type Block = [u8; q4_0_block_bytes(PANEL)];

/// Two panels; where a matrix has an odd number of them, the last twice.
#[derive(Clone, Copy)]
struct Panels<'a> {
    low: &'a [Block],
    high: &'a [Block],
}

pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    // SAFETY: dispatch and `runnable` call a variant only where its features are met.
    unsafe { product(out, weights, x, bias) }
}

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
fn product(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    let outputs = weights.rows();
    let (packed, _) = weights.as_bytes().as_chunks();
    let blocks = x.columns / BLOCK;
    for (group, out) in out.chunks_mut(ROWS * outputs).enumerate() {
        let t = group * ROWS;
        for (pair, panels) in packed.chunks(2 * blocks).enumerate() {
            let (low, high) = panels.split_at(blocks);
            let panels = Panels { low, high: if high.is_empty() { low } else { high } };
            let o = pair * OUTPUTS;
            match out.len() / outputs {
                1 => tile::<1>(out, outputs, o, panels, x, t, bias),
                2 => tile::<2>(out, outputs, o, panels, x, t, bias),
                3 => tile::<3>(out, outputs, o, panels, x, t, bias),
                4 => tile::<4>(out, outputs, o, panels, x, t, bias),
                5 => tile::<5>(out, outputs, o, panels, x, t, bias),
                6 => tile::<6>(out, outputs, o, panels, x, t, bias),
                7 => tile::<7>(out, outputs, o, panels, x, t, bias),
                _ => tile::<ROWS>(out, outputs, o, panels, x, t, bias),
            }
        }
    }
}

/// `out` begins at row `t` of the product.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
fn tile<const R: usize>(
    out: &mut [f32],
    outputs: usize,
    o: usize,
    panels: Panels<'_>,
    x: &Activations,
    t: usize,
    bias: Option<&[f32]>,
) {
    let blocks = panels.low.len();
    let (quants, _) = x.quants[t * x.columns..][..R * x.columns].as_chunks::<4>();
    let (quants, _) = quants.as_chunks::<{ BLOCK / 4 }>();
    let scales = &x.scales[t * blocks..][..R * blocks];
    let offsets = &x.offsets[t * blocks..][..R * blocks];
    let mask = _mm512_set1_epi8(15);
    let mut sums = [_mm512_setzero_ps(); R];
    for (b, (low, high)) in panels.low.iter().zip(panels.high).enumerate() {
        let mut dots = [_mm512_setzero_si512(); R];
        for (r, dots) in dots.iter_mut().enumerate() {
            *dots = _mm512_set1_epi32(offsets[r * blocks + b]);
        }
        for step in 0..4 {
            let raw = both(low, high, 4 * PANEL + 4 * PANEL * step);
            let even = _mm512_and_si512(raw, mask);
            let odd = _mm512_and_si512(_mm512_srli_epi16::<4>(raw), mask);
            for r in 0..R {
                let words = &quants[r * blocks + b];
                dots[r] = _mm512_dpbusd_epi32(dots[r], even, four(words[2 * step]));
                dots[r] = _mm512_dpbusd_epi32(dots[r], odd, four(words[2 * step + 1]));
            }
        }
        let d = _mm512_castsi512_ps(both(low, high, 0));
        for r in 0..R {
            let scale = _mm512_mul_ps(d, _mm512_set1_ps(scales[r * blocks + b]));
            sums[r] = _mm512_add_ps(sums[r], _mm512_mul_ps(_mm512_cvtepi32_ps(dots[r]), scale));
        }
    }
    let width = OUTPUTS.min(outputs - o);
    for (out, sums) in out.chunks_exact_mut(outputs).zip(sums) {
        finish(&mut out[o..o + width], sums, bias, o);
    }
}

/// 32 bytes of each panel.
#[inline]
#[target_feature(enable = "avx512f")]
fn both(low: &Block, high: &Block, at: usize) -> __m512i {
    let (low, high) = (bytes(low, at), bytes(high, at));
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn bytes(block: &Block, at: usize) -> __m256i {
    let bytes: &[u8; 32] = block[at..].first_chunk().expect("inside the block");
    // SAFETY: the reference covers the 32 bytes of an unaligned load.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// Four quants, repeated.
#[inline]
#[target_feature(enable = "avx512f")]
fn four(quants: [i8; 4]) -> __m512i {
    let [a, b, c, d] = quants;
    _mm512_set1_epi32(i32::from_le_bytes([a as u8, b as u8, c as u8, d as u8]))
}

/// Writes up to sixteen outputs of a row, of which `o` is the first.
#[inline]
#[target_feature(enable = "avx512f")]
fn finish(out: &mut [f32], sums: __m512, bias: Option<&[f32]>, o: usize) {
    let mask = (u32::MAX >> (32 - out.len())) as __mmask16;
    let sums = match bias {
        Some(bias) => {
            let bias = &bias[o..o + out.len()];
            // SAFETY: the mask has as many lanes as `bias` and `out` have values.
            _mm512_add_ps(sums, unsafe { _mm512_maskz_loadu_ps(mask, bias.as_ptr()) })
        }
        None => sums,
    };
    // SAFETY: as above.
    unsafe { _mm512_mask_storeu_ps(out.as_mut_ptr(), mask, sums) };
}
