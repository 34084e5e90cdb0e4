//! `eval[decoder]` and `invariance[decoder]`: tiny models of every architecture and type against a baseline that the
//! scalar definitions made, and the same bits however a text is fed.

use model::decoder::{Cache, Decoder, Run, Workspace};
use weights::Gguf;

use crate::encoder::{Root, defined, read};
use crate::eval::{Agreement, floats};
use crate::invariance::same;
use crate::part::{Part, bits};

/// `testdata/decoder/tiny`: four architectures, linear and YaRN scaling, a window, every type of weights.
const MODELS: [&str; 7] = ["llama", "llama-linear", "qwen2-yarn", "qwen3", "gemma3", "llama-types", "chat"];

/// Ids that are read: one page of the cache and a part of the next.
const IDS: usize = 40;

/// Ids of the invariance proof: two pages and a part of the third.
const LONG: usize = 67;

/// Sequences side by side.
const BATCH: usize = 8;

const BASELINE: &str = "eval-decoder.f32";

fn file(root: &Root, name: &str) -> Result<Vec<u8>, String> {
    root.read(&format!("testdata/decoder/tiny/{name}.gguf"))
}

fn ids(decoder: &Decoder<'_>, count: usize) -> Vec<u32> {
    (0..count).map(|i| ((i * 7 + 3) % decoder.config().vocabulary) as u32).collect()
}

/// Runs `f` on the decoder of `bytes`.
fn with<T>(
    name: &str,
    bytes: &[u8],
    f: impl FnOnce(&Decoder<'_>) -> Result<T, model::decoder::Error>,
) -> Result<T, String> {
    let wrong = |why: &dyn std::fmt::Display| format!("{name}: {why}");
    let file = Gguf::parse(bytes).map_err(|why| wrong(&why))?;
    let decoder = Decoder::from_gguf(&file).map_err(|why| wrong(&why))?;
    f(&decoder).map_err(|why| wrong(&why))
}

/// Logits after each of `ids`, which follow what `cache` holds.
fn every(
    decoder: &Decoder<'_>,
    cache: &mut Cache,
    ids: &[u32],
    workspace: &mut Workspace,
) -> Result<Vec<f32>, model::decoder::Error> {
    decoder.forward(&mut [Run { cache, ids, every: true }], workspace).map(<[f32]>::to_vec)
}

/// All models in turn: how many logits a row has, and the logits.
fn logits(root: &Root) -> Result<Vec<(usize, Vec<f32>)>, String> {
    let model = |name: &&str| {
        with(name, &file(root, name)?, |decoder| {
            let ids = ids(decoder, IDS);
            let logits = every(decoder, &mut decoder.cache(), &ids, &mut Workspace::new())?;
            Ok((decoder.config().vocabulary, logits))
        })
    };
    MODELS.iter().map(model).collect()
}

/// Compares the logits of all models with the baseline.
pub fn eval(root: &Root) -> Result<Part, String> {
    let path = root.baseline(BASELINE);
    let want = floats(&read(&path)?)?;
    let got = logits(root)?;
    let count: usize = got.iter().map(|(_, logits)| logits.len()).sum();
    if want.len() != count {
        return Err(format!("{}: {} logits, not {count}", path.display(), want.len()));
    }
    let (mut part, mut agreement, mut rest) = (Part::new(), Agreement::default(), &want[..]);
    for (name, (vocabulary, got)) in MODELS.iter().zip(&got) {
        let (want, after) = rest.split_at(got.len());
        rest = after;
        agreement.add(&mut part, name, got, want, *vocabulary);
        part.count("texts", 1);
        part.count("tokens", IDS as u64);
    }
    part.line = Some(agreement.line());
    Ok(part)
}

/// The baseline as the scalar definitions make it.
pub fn bless(root: &Root) -> Result<(String, Vec<u8>), String> {
    let all = defined(|| logits(root))?;
    let bytes = all.iter().flat_map(|(_, logits)| logits).flat_map(|logit| bits(*logit).to_le_bytes());
    Ok((BASELINE.into(), bytes.collect()))
}

/// One pass over a text against everything else that must be the same.
pub fn invariance(root: &Root) -> Result<Part, String> {
    let mut part = Part::new();
    for name in MODELS {
        with(name, &file(root, name)?, |decoder| {
            let ids = ids(decoder, LONG);
            let want = every(decoder, &mut decoder.cache(), &ids, &mut Workspace::new())?;
            alone(&mut part, name, decoder, &ids, &want)?;
            beside_others(&mut part, name, decoder, &ids, &want)
        })?;
    }
    Ok(part)
}

/// By definition, in pieces, after other texts in the same cache, by several threads.
fn alone(
    part: &mut Part,
    name: &str,
    decoder: &Decoder<'_>,
    ids: &[u32],
    want: &[f32],
) -> Result<(), model::decoder::Error> {
    let got = defined(|| every(decoder, &mut decoder.cache(), ids, &mut Workspace::new()))?;
    same(part, &got, want, || format!("{name} by definition"));
    let mut workspace = Workspace::new();
    for piece in [1, 2, 31, 32, 33] {
        let (mut cache, mut got) = (decoder.cache(), Vec::new());
        for ids in ids.chunks(piece) {
            got.extend(every(decoder, &mut cache, ids, &mut workspace)?);
        }
        same(part, &got, want, || format!("{name} in pieces of {piece}"));
    }
    let other: Vec<u32> = ids.iter().rev().copied().collect();
    let vocabulary = decoder.config().vocabulary;
    let mut cache = decoder.cache();
    for keep in [0, 1, 31, 32, 50] {
        cache.truncate(0);
        every(decoder, &mut cache, &ids[..keep.max(1)], &mut workspace)?;
        cache.truncate(keep);
        every(decoder, &mut cache, &other, &mut workspace)?;
        cache.truncate(keep);
        let got = every(decoder, &mut cache, &ids[keep..], &mut workspace)?;
        same(part, &got, &want[keep * vocabulary..], || format!("{name} after {keep} kept positions"));
    }
    // In Wasm there is one thread whatever is asked for: the answer must not depend on it either.
    for threads in 2..=4 {
        let mut workspace = Workspace::with_threads(threads);
        let got = every(decoder, &mut decoder.cache(), ids, &mut workspace)?;
        same(part, &got, want, || format!("{name} with {threads} threads"));
    }
    Ok(())
}

/// Token by token at every place of a batch whose other sequences grow at their own pace.
fn beside_others(
    part: &mut Part,
    name: &str,
    decoder: &Decoder<'_>,
    ids: &[u32],
    want: &[f32],
) -> Result<(), model::decoder::Error> {
    let vocabulary = decoder.config().vocabulary;
    let mut workspace = Workspace::new();
    for place in 0..BATCH {
        let mut caches: Vec<Cache> = (0..BATCH).map(|_| decoder.cache()).collect();
        let mut got = Vec::new();
        for (step, id) in ids.iter().enumerate() {
            let others: Vec<&[u32]> = (0..BATCH).map(|i| &ids[(i * 5 + step) % 60..][..1 + i % 3]).collect();
            let mut runs: Vec<Run<'_>> = caches
                .iter_mut()
                .enumerate()
                .map(|(i, cache)| {
                    let ids = if i == place { core::slice::from_ref(id) } else { others[i] };
                    Run { cache, ids, every: false }
                })
                .collect();
            let logits = decoder.forward(&mut runs, &mut workspace)?;
            got.extend_from_slice(&logits[place * vocabulary..][..vocabulary]);
        }
        same(part, &got, want, || format!("{name} at place {place} of {BATCH}"));
    }
    Ok(())
}
