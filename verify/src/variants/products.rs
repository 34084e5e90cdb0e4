//! The products and the single dots.

use kernels::packed::Error;
use kernels::{
    Activations, BlockQ4_0, BlockQ8_0, Format, Packed, PanelsQ8_0, dot_f32, dot_q4_0, dots_q4_0, f16,
    matmul_int8, matmul_q4_0, matmul_q8_0, matvec_q4_0, quantize_int8, quantize_q8_0,
};

use super::{Comparison, words};
use crate::random::{EDGES, Random};

/// Columns in whole blocks, from one to more than any unrolled loop takes.
const COLUMNS: [usize; 6] = [32, 64, 96, 512, 544, 1056];
/// Around whole panels.
const OUTPUTS: [usize; 12] = [1, 3, 4, 7, 8, 9, 15, 16, 17, 24, 33, 48];
/// f16 scales: zero, subnormals, the largest, infinity and NaN.
const SCALES: [u16; 7] = [0, 1, 0x03ff, 0x3c00, 0x7bff, 0x7c00, 0x7e00];

pub fn check(all: &mut Comparison<'_>) {
    let mut random = Random::new(0x5eed_3000 + all.seed);
    for columns in COLUMNS {
        for outputs in OUTPUTS {
            let few = if columns > 96 { 9 } else { 18 };
            for rows in (1..=few).chain([if columns == 96 { 67 } else { 0 }]).filter(|rows| *rows > 0) {
                let values = random.f32s(rows * columns);
                let bias = random.f32s(outputs);
                let blocks = random.blocks(outputs * columns / 32, 16);
                let alignment = random.below(16);
                q4_0(all, outputs, columns, &blocks, &values, &bias, alignment);
                let wide = random.blocks(outputs * columns / 32, 32);
                q8_0(all, outputs, columns, &wide, &values);
                // int8 needs no whole blocks.
                let odd = columns - random.below(32);
                let quants: Vec<i8> =
                    (0..outputs * odd).map(|_| (random.below(255) as i32 - 127) as i8).collect();
                let scales = random.f32s(outputs);
                int8(all, odd, &quants, &scales, &values[..rows * odd], &bias, alignment);
            }
        }
    }
    special(all);
    extremes(all);
    dots(all, &mut random);
}

/// A packed matrix read from bytes at any address, as from a file.
fn moved<'a>(
    packed: &Packed<'_>,
    format: Format,
    room: &'a mut Vec<u8>,
    by: usize,
) -> Result<Packed<'a>, Error> {
    let bytes = packed.as_bytes();
    room.clear();
    room.resize(by, 0);
    room.extend_from_slice(bytes);
    Packed::from_bytes(format, packed.rows(), packed.columns(), &room[by..])
}

/// Writes into the middle of a larger buffer and returns all of it: nothing beside the output may change.
fn written(values: usize, alignment: usize, run: impl FnOnce(&mut [f32])) -> Vec<u32> {
    let mut room = vec![99.0; alignment + values + 16];
    run(&mut room[alignment..alignment + values]);
    words(&room)
}

fn q4_0(
    all: &mut Comparison<'_>,
    outputs: usize,
    columns: usize,
    blocks: &[u8],
    values: &[f32],
    bias: &[f32],
    alignment: usize,
) {
    let packed = Packed::pack_q4_0(outputs, columns, blocks).expect("whole blocks");
    let mut room = Vec::new();
    let weights = moved(&packed, Format::Q4_0, &mut room, alignment).expect("bytes of the same shape");
    let mut x = Activations::new();
    quantize_q8_0::quantize_q8_0(&mut x, values, columns);
    let rows = values.len() / columns;
    for (bias, rows) in [(Some(bias), rows), (None, rows.div_ceil(2))] {
        let case = || format!("{rows} x {columns} x {outputs}, moved by {alignment}");
        all.each("matmul_q4_0", matmul_q4_0::VARIANTS, &case, |run| {
            written(rows * outputs, alignment, |out| run(out, &weights, &x, bias))
        });
    }
    all.each("matvec_q4_0", matvec_q4_0::VARIANTS, &|| format!("{columns} x {outputs}"), |run| {
        written(outputs, alignment, |out| run(out, &weights, &x))
    });
}

fn q8_0(all: &mut Comparison<'_>, outputs: usize, columns: usize, blocks: &[u8], values: &[f32]) {
    let weights = PanelsQ8_0::pack(outputs, columns, blocks).expect("whole blocks");
    let mut x = Activations::new();
    quantize_q8_0::quantize_q8_0(&mut x, values, columns);
    let rows = values.len() / columns;
    let case = || format!("{rows} x {columns} x {outputs}");
    all.each("matmul_q8_0", matmul_q8_0::VARIANTS, &case, |run| {
        written(rows * outputs, 3, |out| run(out, &weights, &x))
    });
}

fn int8(
    all: &mut Comparison<'_>,
    columns: usize,
    quants: &[i8],
    scales: &[f32],
    values: &[f32],
    bias: &[f32],
    alignment: usize,
) {
    let outputs = scales.len();
    let packed = Packed::pack_int8(outputs, columns, quants, scales).expect("one scale a row");
    let mut room = Vec::new();
    let weights = moved(&packed, Format::Int8, &mut room, alignment).expect("bytes of the same shape");
    let mut x = Activations::new();
    quantize_int8::quantize_int8(&mut x, values, columns);
    let rows = values.len() / columns;
    for (bias, rows) in [(Some(bias), rows), (None, rows.div_ceil(2))] {
        let case = || format!("{rows} x {columns} x {outputs}, moved by {alignment}");
        all.each("matmul_int8", matmul_int8::VARIANTS, &case, |run| {
            written(rows * outputs, alignment, |out| run(out, &weights, &x, bias))
        });
    }
}

/// Special scales of weights against special activations, and biases of -0.
fn special(all: &mut Comparison<'_>) {
    for scale in SCALES.into_iter().flat_map(|scale| [scale, scale | 0x8000]) {
        for edge in EDGES {
            let mut values = vec![0.5; 32];
            values[3] = edge;
            let mut block = scale.to_le_bytes().to_vec();
            block.extend((0..16).map(|i| i * 17));
            q4_0(all, 9, 32, &block.repeat(9), &values, &[-0.0; 9], 0);
            block.extend((0..16).map(|i| i * 16 + 8));
            q8_0(all, 9, 32, &block.repeat(9), &values);
            let quants: Vec<i8> = (0..9 * 32).map(|i| (i % 255 - 127) as i8).collect();
            int8(all, 32, &quants, &[f16::decode(scale); 9], &values, &[-0.0; 9], 0);
        }
    }
}

/// The largest sums: all quants at their ends, signs by pairs, so that every partial sum reaches its bound.
fn extremes(all: &mut Comparison<'_>) {
    for columns in [32, 1024] {
        for signs in 0..16u32 {
            let sign = |i: usize| if signs >> (i / 2 % 4) & 1 == 0 { 1.0 } else { -1.0 };
            let values: Vec<f32> = (0..columns).map(|i| 127.0 * sign(i)).collect();
            for fill in [0x00u8, 0xff, 0x0f, 0xf0, 0x80, 0x7f] {
                let mut block = vec![0x00, 0x3c];
                block.extend([fill; 16]);
                let blocks = columns / 32 * 8;
                q4_0(all, 8, columns, &block.repeat(blocks), &values, &[0.0; 8], 0);
                block.extend([fill; 16]);
                q8_0(all, 8, columns, &block.repeat(blocks), &values);
                let quant = if fill as i8 == -128 { -127 } else { fill as i8 };
                int8(all, columns, &vec![quant; 8 * columns], &[1.0; 8], &values, &[0.0; 8], 0);
            }
        }
    }
}

fn dots(all: &mut Comparison<'_>, random: &mut Random) {
    for blocks in (0..=20).chain([128]) {
        let x: Vec<BlockQ8_0> = (0..blocks)
            .map(|_| BlockQ8_0 {
                d: f16::encode(random.f32()).to_le_bytes(),
                qs: core::array::from_fn(|_| (random.below(255) as i32 - 127) as i8),
            })
            .collect();
        for rows in 1..=9 {
            let bytes = random.blocks(rows * blocks, 16);
            let (bytes, _) = bytes.as_chunks::<{ BlockQ4_0::BYTES }>();
            let weights: Vec<BlockQ4_0> = bytes.iter().map(BlockQ4_0::from_bytes).collect();
            let case = || format!("{rows} rows of {blocks} blocks");
            all.each("dots_q4_0", dots_q4_0::VARIANTS, &case, |run| {
                written(rows, 0, |out| run(out, &weights, &x))
            });
            all.each("dot_q4_0", dot_q4_0::VARIANTS, &case, |run| words(&[run(&weights[..blocks], &x)]));
        }
    }
    for length in (0..=140).chain([576, 1000]) {
        for alignment in 0..4 {
            let (mut a, b) = (random.f32s(length + alignment), random.f32s(length + alignment));
            if length > 0 && alignment == 3 {
                a[alignment + random.below(length)] = EDGES[random.below(EDGES.len())];
            }
            let case = || format!("{length} values at {alignment}");
            all.each("dot_f32", dot_f32::VARIANTS, &case, |run| {
                words(&[run(&a[alignment..], &b[alignment..])])
            });
        }
    }
}
