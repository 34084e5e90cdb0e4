//! Unigram beside the tokenizers crate and beside the ids that SentencePiece's trainer left with the vocabulary.

extern crate lacuna_tokens as tokens;

mod reference;

use reference::{check, dev_texts, pair::Pair, read, texts};

fn unigram() -> Pair {
    reference::pair(&read("eval/unigram31k/tokenizer.json"))
}

#[test]
fn dev_texts_and_fixed_texts() {
    check(&unigram(), dev_texts().into_iter().chain(texts::FIXED.map(String::from)));
}

#[test]
fn random_texts() {
    check(&unigram(), (0..8_000).map(texts::text));
}

#[test]
fn every_code_point() {
    let assigned = |point: &u32| !(0x4_0000..0xe_0000).contains(point) || point.is_multiple_of(97);
    let points = (0..0x11_0000).filter(assigned).filter_map(char::from_u32);
    check(&unigram(), points.map(|c| format!("{c}a{c}\u{301} {c}{c}")));
}

#[test]
fn scores_have_the_same_bits() {
    assert_eq!(unigram().compare_scores(), Ok(31_000));
}

#[test]
fn vocabulary() {
    unigram().compare_vocabulary().unwrap();
}

/// The vectors that came with the tokenizer: ids and code point offsets, without the template.
#[test]
fn committed_vectors() {
    let pair = unigram();
    let ours = pair.ours().unwrap();
    let vectors: serde_json::Value =
        serde_json::from_slice(&read("eval/unigram31k/vectors_dev.json")).unwrap();
    let vectors = vectors.as_array().unwrap();
    assert_eq!(vectors.len(), 462);
    let mut encoding = tokens::Encoding::new();
    for vector in vectors {
        let text = vector["text"].as_str().unwrap();
        ours.encode(text, &mut encoding);
        let numbers = |value: &serde_json::Value| -> Vec<u64> {
            value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
        };
        let ids: Vec<u64> = encoding.ids.iter().map(|&id| u64::from(id)).collect();
        assert_eq!(ids, numbers(&vector["ids"]), "{text:?}");
        let points = |byte: u32| text[..byte as usize].chars().count() as u64;
        let offsets: Vec<Vec<u64>> = vector["offsets"].as_array().unwrap().iter().map(numbers).collect();
        let ours: Vec<Vec<u64>> = encoding.ranges.iter().map(|&(s, e)| vec![points(s), points(e)]).collect();
        assert_eq!(ours, offsets, "{text:?}");
    }
}
