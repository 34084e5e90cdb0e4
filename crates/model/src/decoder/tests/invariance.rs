//! The same bits however a text is fed.

use kernels::variant::{Needs, restrict, unrestrict};

use super::*;

fn assert_same(got: &[f32], want: &[f32], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    let differ = got.iter().zip(want).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    assert_eq!(differ, 0, "{what}: {differ} of {} logits differ", want.len());
}

/// Runs `check` on every tiny model with a text long enough for several pages and pieces.
fn on_all(check: impl Fn(&str, &Decoder<'_>, &[u32], &[f32])) {
    for name in NAMES {
        let tiny = tiny(name);
        let decoder = Decoder::from_gguf(&Gguf::parse(&tiny.bytes).unwrap()).unwrap();
        let ids: Vec<u32> = tiny.ids.iter().cycle().take(75).copied().collect();
        let want = every(&decoder, &ids);
        check(name, &decoder, &ids, &want);
    }
}

#[test]
fn token_by_token_or_in_pieces() {
    on_all(|name, decoder, ids, want| {
        for piece in [1, 2, 3, 31, 32, 33, 74] {
            let (mut cache, mut workspace, mut got) = (decoder.cache(), Workspace::new(), Vec::new());
            for ids in ids.chunks(piece) {
                let run = Run { cache: &mut cache, ids, every: true };
                got.extend_from_slice(decoder.forward(&mut [run], &mut workspace).unwrap());
            }
            assert_same(&got, want, &format!("{name} in pieces of {piece}"));
        }
    });
}

/// The prompt is longer than one pass takes.
#[test]
fn a_prompt_longer_than_a_pass() {
    let tiny = tiny("qwen3");
    let mut decoder = Decoder::from_gguf(&Gguf::parse(&tiny.bytes).unwrap()).unwrap();
    decoder.config.context = 700;
    let ids: Vec<u32> = tiny.ids.iter().cycle().take(600).copied().collect();
    let want = every(&decoder, &ids);
    let (mut cache, mut workspace, mut got) = (decoder.cache(), Workspace::new(), Vec::new());
    for id in &ids {
        let run = Run { cache: &mut cache, ids: &[*id], every: false };
        got.extend_from_slice(decoder.forward(&mut [run], &mut workspace).unwrap());
    }
    assert_same(&got, &want, "600 ids");
    let vocabulary = decoder.config.vocabulary;
    let mut cache = decoder.cache();
    let last =
        decoder.forward(&mut [Run { cache: &mut cache, ids: &ids, every: false }], &mut workspace).unwrap();
    assert_same(last, &want[599 * vocabulary..], "the last row alone");
}

/// A cache that held another text before, as a server's prompt cache does.
#[test]
fn a_warm_cache() {
    on_all(|name, decoder, ids, want| {
        let (mut cache, mut workspace) = (decoder.cache(), Workspace::new());
        let other: Vec<u32> = ids.iter().rev().copied().collect();
        for keep in [0, 1, 30, 32, 50] {
            cache.truncate(keep.min(cache.len()));
            let kept = cache.len();
            if kept < keep {
                let run = Run { cache: &mut cache, ids: &ids[kept..keep], every: false };
                decoder.forward(&mut [run], &mut workspace).unwrap();
            }
            decoder
                .forward(&mut [Run { cache: &mut cache, ids: &other, every: false }], &mut workspace)
                .unwrap();
            cache.truncate(keep);
            let run = Run { cache: &mut cache, ids: &ids[keep..], every: true };
            let got = decoder.forward(&mut [run], &mut workspace).unwrap();
            let vocabulary = decoder.config().vocabulary;
            assert_same(got, &want[keep * vocabulary..], &format!("{name} after {keep} kept positions"));
        }
    });
}

#[test]
fn beside_seven_others() {
    on_all(|name, decoder, ids, want| {
        let mut caches: Vec<Cache> = (0..8).map(|_| decoder.cache()).collect();
        let mut workspace = Workspace::new();
        let mut got = Vec::new();
        for (step, id) in ids.iter().enumerate() {
            // The others take other ids, some of them several at once.
            let others: Vec<Vec<u32>> = (0..8)
                .map(|i| ids.iter().skip((i * 7 + step) % 60).take(1 + i % 3).copied().collect())
                .collect();
            let mut runs: Vec<Run<'_>> = caches
                .iter_mut()
                .zip(&others)
                .enumerate()
                .map(|(i, (cache, other))| {
                    let ids = if i == 3 { core::slice::from_ref(id) } else { other };
                    Run { cache, ids, every: false }
                })
                .collect();
            let logits = decoder.forward(&mut runs, &mut workspace).unwrap();
            let vocabulary = decoder.config().vocabulary;
            got.extend_from_slice(&logits[3 * vocabulary..4 * vocabulary]);
        }
        assert_same(&got, want, name);
    });
}

/// Read in place from a file packed ahead of time, which knows no ggml block any more.
#[test]
fn packed_ahead_of_time() {
    for name in NAMES {
        let tiny = tiny(name);
        let file = Gguf::parse(&tiny.bytes).unwrap();
        let want = every(&Decoder::from_gguf(&file).unwrap(), &tiny.ids);
        let bytes = packed(&file, std::env::consts::ARCH, &["general.name"]).unwrap().to_vec();
        let file = Gguf::parse(&bytes).unwrap();
        assert!(file.get("general.name").is_none());
        let got = every(&Decoder::from_gguf(&file).unwrap(), &tiny.ids);
        assert_same(&got, &want, name);
        let again = packed(&file, std::env::consts::ARCH, &[]).unwrap().to_vec();
        assert_eq!(again, bytes, "{name}: packing what is packed changes nothing");
    }
}

#[test]
fn definitions_alone() {
    on_all(|name, decoder, ids, want| {
        restrict(&[Needs::Nothing]);
        let got = every(decoder, ids);
        unrestrict();
        assert_same(&got, want, name);
    });
}

/// Products and attention on several threads, long prompts and single ids, every type of weights.
#[test]
fn on_any_number_of_threads() {
    let tiny = tiny("llama-types");
    let decoder = Decoder::from_gguf(&Gguf::parse(&tiny.bytes).unwrap()).unwrap();
    let ids: Vec<u32> = tiny.ids.iter().cycle().take(200).copied().collect();
    let want = every(&decoder, &ids);
    for threads in [1, 2, 3, 4, 7, 64, 1000] {
        let (mut cache, mut workspace) = (decoder.cache(), Workspace::with_threads(threads));
        let got = decoder
            .forward(&mut [Run { cache: &mut cache, ids: &ids, every: true }], &mut workspace)
            .unwrap();
        assert_same(got, &want, &format!("{threads} threads"));
    }
}

/// One row of a product that is large enough for threads.
#[test]
fn a_large_product_on_any_number_of_threads() {
    for kind in [weights::Kind::Q4_0, weights::Kind::Q8_0, weights::Kind::Q4_1, weights::Kind::F16] {
        let (rows, columns) = (9000, 1024);
        let values: Vec<f32> =
            (0..rows * columns).map(|i| ((i * 7919 % 4093) as f32 - 2000.0) * 1e-3).collect();
        let mut writer = weights::Writer::new();
        writer.tensor("w", kind, &[columns, rows], weights::quantize(kind, &values).unwrap()).unwrap();
        let bytes = writer.to_vec();
        let matrix = Matrix::from_gguf(&Gguf::parse(&bytes).unwrap(), "w", rows, columns).unwrap();
        for count in [1, 3] {
            let x: Vec<f32> = (0..count * columns).map(|i| (i % 31) as f32 * 0.1 - 1.0).collect();
            let mut quantized = matrix::Quantized::default();
            let x = matrix::quantize(&[&matrix], &x, &mut quantized);
            let mut want = vec![0.0; count * rows];
            matrix.multiply(&mut want, x, 1);
            for threads in [2, 3, 4] {
                let mut got = vec![f32::NAN; count * rows];
                matrix.multiply(&mut got, x, threads);
                assert_same(&got, &want, &format!("{} rows of {}, {threads} threads", count, kind.name()));
            }
        }
    }
}

/// FNV-1a over the bits of all logits: the values of the first build, on every machine since.
#[test]
fn digests_are_pinned() {
    let mut digests = Vec::new();
    for name in NAMES {
        let tiny = tiny(name);
        let decoder = Decoder::from_gguf(&Gguf::parse(&tiny.bytes).unwrap()).unwrap();
        let digest = every(&decoder, &tiny.ids)
            .iter()
            .flat_map(|logit| logit.to_bits().to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
        digests.push((name, digest));
    }
    assert_eq!(digests, DIGESTS);
}

const DIGESTS: [(&str, u64); 6] = [
    ("llama", 0x3e03fee586e8dae6),
    ("llama-linear", 0xdc71a72c11c13a60),
    ("qwen2-yarn", 0x53d76904b9076df6),
    ("qwen3", 0xe9b91a5b222bd4c2),
    ("gemma3", 0xfd47ab0d02d5601c),
    ("llama-types", 0x8bbfcad272e10f1b),
];
