//! Times every variant this machine can run: one line each, GMAC/s from the fastest and the median run.

use std::time::Instant;

use lacuna_kernels::{
    Activations, BlockQ4_0, BlockQ8_0, Packed, dot_q4_0, dots_q4_0, int8_rows_from_q4_0, matmul_int8,
    matmul_q4_0, quantize_int8, quantize_q8_0, variant,
};

fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *seed >> 33
}

fn blocks(seed: &mut u64, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..count {
        bytes.extend_from_slice(
            &lacuna_kernels::f16::encode(0.01 + (random(seed) % 1000) as f32 * 1e-5).to_le_bytes(),
        );
        bytes.extend((0..16).map(|_| random(seed) as u8));
    }
    bytes
}

fn measure<F>(
    name: &str,
    shape: (usize, usize, usize),
    only: &Option<String>,
    variants: &'static [variant::Variant<F>],
    call: impl Fn(&F, &mut [f32]),
) {
    let (rows, columns, outputs) = shape;
    let mut want = vec![0.0; rows * outputs];
    call(&variants.last().unwrap().run, &mut want);
    let variants: Vec<_> = variant::runnable(variants)
        .filter(|v| only.as_ref().is_none_or(|only| v.name.contains(only.as_str())))
        .collect();
    let mut times = vec![Vec::new(); variants.len()];
    let mut out = vec![0.0; rows * outputs];
    let begin = Instant::now();
    while !times.is_empty()
        && times[0].len() < 400
        && (times[0].len() < 3 || begin.elapsed().as_secs_f64() < 0.6)
    {
        for (v, times) in variants.iter().zip(&mut times) {
            let start = Instant::now();
            call(&v.run, &mut out);
            times.push(start.elapsed().as_secs_f64());
            assert!(out.iter().zip(&want).all(|(a, b)| a.to_bits() == b.to_bits()), "{}", v.name);
        }
    }
    for (v, times) in variants.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let work = (rows * columns * outputs) as f64 / 1e9;
        println!(
            "{name} {rows}x{columns}x{outputs} {:10} best {:6.2} median {:6.2} GMAC/s",
            v.name,
            work / times[0],
            work / times[times.len() / 2]
        );
    }
}

/// One dot of 4,096 again and again: nanoseconds each, from the fastest and the median of 25 times 4,000.
fn dots() {
    let mut seed = 3;
    let bytes = blocks(&mut seed, 128);
    let w: Vec<BlockQ4_0> = bytes.as_chunks().0.iter().map(BlockQ4_0::from_bytes).collect();
    let d = lacuna_kernels::f16::encode(0.02).to_le_bytes();
    let x: Vec<BlockQ8_0> = (0..128)
        .map(|_| BlockQ8_0 { d, qs: std::array::from_fn(|_| ((random(&mut seed) % 255) as i32 - 127) as i8) })
        .collect();
    for v in variant::runnable(dot_q4_0::VARIANTS) {
        let mut times = Vec::new();
        for _ in 0..25 {
            let start = Instant::now();
            for _ in 0..4000 {
                std::hint::black_box((v.run)(std::hint::black_box(&w), std::hint::black_box(&x)));
            }
            times.push(start.elapsed().as_secs_f64() / 4000.0 * 1e9);
        }
        times.sort_by(f64::total_cmp);
        println!("dot_q4_0 4096 {:10} best {:7.1} median {:7.1} ns", v.name, times[0], times[12]);
    }
}

/// Eight rows and one, 4,096 long: nanoseconds a dot.
fn rows() {
    let mut seed = 5;
    let bytes = blocks(&mut seed, 8 * 128);
    let w: Vec<BlockQ4_0> = bytes.as_chunks().0.iter().map(BlockQ4_0::from_bytes).collect();
    let d = lacuna_kernels::f16::encode(0.02).to_le_bytes();
    let x: Vec<BlockQ8_0> = (0..128)
        .map(|_| BlockQ8_0 { d, qs: std::array::from_fn(|_| ((random(&mut seed) % 255) as i32 - 127) as i8) })
        .collect();
    for v in variant::runnable(dots_q4_0::VARIANTS) {
        let mut times = Vec::new();
        let mut out = [0.0; 8];
        for _ in 0..25 {
            let start = Instant::now();
            for _ in 0..500 {
                (v.run)(&mut out, std::hint::black_box(&w), std::hint::black_box(&x));
            }
            times.push(start.elapsed().as_secs_f64() / 4000.0 * 1e9);
        }
        times.sort_by(f64::total_cmp);
        println!("dots_q4_0 8x4096 {:10} best {:7.1} median {:7.1} ns", v.name, times[0], times[12]);
    }
}

fn main() {
    dots();
    rows();
    let mut seed = 1;
    let mut args = std::env::args().skip(1);
    let only = args.next();
    for (rows, columns, outputs) in
        [(256, 384, 1536), (256, 1536, 384), (256, 384, 384), (24, 384, 1536), (1, 384, 1536)]
    {
        let shape = (rows, columns, outputs);
        let bytes = blocks(&mut seed, outputs * columns / 32);
        let weights = Packed::pack_q4_0(outputs, columns, &bytes).unwrap();
        let x: Vec<f32> = (0..rows * columns).map(|_| random(&mut seed) as f32 / 1e9 - 1.0).collect();
        let mut y = Activations::new();
        quantize_q8_0(&mut y, &x, columns);
        measure("matmul_q4_0", shape, &only, matmul_q4_0::VARIANTS, |run, out| run(out, &weights, &y, None));
        let (quants, scales) = int8_rows_from_q4_0(outputs, columns, &bytes).unwrap();
        let weights = Packed::pack_int8(outputs, columns, &quants, &scales).unwrap();
        quantize_int8(&mut y, &x, columns);
        measure("matmul_int8", shape, &only, matmul_int8::VARIANTS, |run, out| run(out, &weights, &y, None));
    }
}
