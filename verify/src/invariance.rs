//! `invariance`: the same bits alone, in a batch, at any position of a batch, after any other text, with any number
//! of threads.

use kernels::{
    Activations, Packed, gelu, layer_norm, matmul_int8, matmul_q4_0, quantize_int8, quantize_q8_0,
};
use model::{Scheme, Workspace};

use crate::encoder::{Encoders, Root, logits};
use crate::eval;
use crate::part::{Part, bits};
use crate::random::Random;

pub fn check(root: &Root) -> Result<Part, String> {
    let mut part = Part::new();
    rows(&mut part);
    let files = eval::files(root)?;
    let ids = eval::all_ids()?;
    for scheme in [Scheme::Q4_0, Scheme::Int8] {
        let encoders = files.encoders(scheme)?;
        let alone: Vec<Vec<f32>> = ids
            .iter()
            .map(|(ids, attended)| logits(encoders.of(*attended), ids))
            .collect::<Result<_, _>>()?;
        one_after_another(&mut part, &encoders, &ids, &alone)?;
        #[cfg(not(target_family = "wasm"))]
        threads(&mut part, &encoders, &ids, &alone)?;
    }
    Ok(part)
}

pub fn same(part: &mut Part, got: &[f32], want: &[f32], what: impl FnOnce() -> String) {
    part.count("comparisons", 1);
    let differ = got.iter().zip(want).filter(|(got, want)| bits(**got) != bits(**want)).count();
    if differ > 0 || got.len() != want.len() {
        part.differs(|| format!("{}: {differ} of {} values differ", what(), want.len()));
    }
}

/// Texts in one workspace, in orders that put every text after every other kind of text.
fn one_after_another(
    part: &mut Part,
    encoders: &Encoders<'_>,
    ids: &[(Vec<u32>, bool)],
    alone: &[Vec<f32>],
) -> Result<(), String> {
    let mut workspace = Workspace::new();
    let count = ids.len();
    for step in [1, 3, 7, 9] {
        for at in (0..count).map(|i| i * step % count) {
            let (ids, attended) = &ids[at];
            let got = encoders.of(*attended).forward(ids, &mut workspace).map_err(|why| why.to_string())?;
            same(part, got, &alone[at], || format!("text {at} in steps of {step}"));
        }
    }
    Ok(())
}

/// One encoder, used by 1 to 4 threads at once.
#[cfg(not(target_family = "wasm"))]
fn threads(
    part: &mut Part,
    encoders: &Encoders<'_>,
    ids: &[(Vec<u32>, bool)],
    alone: &[Vec<f32>],
) -> Result<(), String> {
    for count in 1..=4 {
        let results: Vec<Result<Vec<Vec<f32>>, String>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..count)
                .map(|_| {
                    scope.spawn(|| {
                        ids.iter().map(|(ids, attended)| logits(encoders.of(*attended), ids)).collect()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("a thread without a panic")).collect()
        });
        for (thread, result) in results.into_iter().enumerate() {
            for (text, (got, want)) in result?.iter().zip(alone).enumerate() {
                same(part, got, want, || format!("text {text} in thread {thread} of {count}"));
            }
        }
    }
    Ok(())
}

/// A row through quantiser, product, norm and GELU: alone, and at every place of batches of all sizes.
fn rows(part: &mut Part) {
    const COLUMNS: usize = 96;
    const OUTPUTS: usize = 35;
    let mut random = Random::new(0x5eed_7000);
    let q4_0 = Packed::pack_q4_0(OUTPUTS, COLUMNS, &random.blocks(OUTPUTS * COLUMNS / 32, 16))
        .expect("whole blocks");
    let quants: Vec<i8> = (0..OUTPUTS * COLUMNS).map(|_| (random.below(255) as i32 - 127) as i8).collect();
    let int8 = Packed::pack_int8(OUTPUTS, COLUMNS, &quants, &random.f32s(OUTPUTS)).expect("one scale a row");
    let (bias, weight) = (random.units(OUTPUTS, 0.5), vec![1.0; OUTPUTS]);
    let run = |x: &[f32], scheme: Scheme| {
        let mut quantised = Activations::new();
        let mut out = vec![0.0; x.len() / COLUMNS * OUTPUTS];
        match scheme {
            Scheme::Q4_0 => {
                quantize_q8_0(&mut quantised, x, COLUMNS);
                matmul_q4_0(&mut out, &q4_0, &quantised, Some(&bias));
            }
            Scheme::Int8 => {
                quantize_int8(&mut quantised, x, COLUMNS);
                matmul_int8(&mut out, &int8, &quantised, Some(&bias));
            }
        }
        // Normalised values are of a size at which GELU's pieces meet.
        layer_norm(&mut out, None, &weight, &bias, 1e-12);
        gelu(&mut out);
        out
    };
    for scheme in [Scheme::Q4_0, Scheme::Int8] {
        let row = random.f32s(COLUMNS);
        let alone = run(&row, scheme);
        for size in 1..=19 {
            for at in 0..size {
                let mut batch = random.f32s(size * COLUMNS);
                batch[at * COLUMNS..][..COLUMNS].copy_from_slice(&row);
                let got = run(&batch, scheme);
                same(part, &got[at * OUTPUTS..][..OUTPUTS], &alone, || {
                    format!("a {} row at {at} of {size}", scheme.name())
                });
            }
        }
    }
}
