//! Added tokens beyond the vocabulary, of every kind of tokenizer, beside the tokenizers crate.

extern crate lacuna_tokens as tokens;

mod reference;

use reference::{Pair, check, dev_texts, read, texts};
use serde_json::{Value, json};

const FILES: [&str; 3] = [
    "tokenizers/rampart/tokenizer.json",
    "eval/unigram31k/tokenizer.json",
    "tokenizers/smollm2/tokenizer.json",
];

/// Content, and which of single_word, lstrip, rstrip, normalized, special are set.
const ADDED: [(&str, [bool; 5]); 9] = [
    ("<mask>", [false, true, false, false, true]),
    ("<|user|>", [false, false, false, false, true]),
    ("Anna Lacuna", [false, false, false, false, false]),
    ("standalone7", [true, false, false, false, false]),
    ("Grüße", [false, false, false, true, false]),
    ("\u{2581}<gap>", [false, true, true, false, false]),
    ("##added", [false, false, true, false, false]),
    ("  ", [false, false, true, false, false]),
    ("日本", [false, true, true, true, false]),
];

/// The tokenizer of `file` with the tokens of [`ADDED`] behind its own.
fn with_added(file: &str) -> (Pair, u32) {
    let mut json: Value = serde_json::from_slice(&read(file)).unwrap();
    let size = tokenizers::Tokenizer::from_bytes(json.to_string()).unwrap().get_vocab_size(true) as u32;
    let list = json["added_tokens"].as_array_mut().unwrap();
    for (id, (content, set)) in (size..).zip(ADDED) {
        list.push(
            json!({"id": id, "content": content, "single_word": set[0], "lstrip": set[1], "rstrip": set[2],
            "normalized": set[3], "special": set[4]}),
        );
    }
    (reference::pair(json.to_string().as_bytes()), size)
}

/// Texts with added tokens between all kinds of neighbours.
fn mixed() -> impl Iterator<Item = String> {
    let words = [
        " ",
        "",
        "a",
        "  ",
        "\n",
        "Anna",
        "standalone7",
        "\u{2581}",
        "日本語",
        "e\u{301}",
        "GRÜSSE",
        "[MASK]",
        "\u{a0}",
    ];
    (0..4_000).map(move |seed| {
        let random = &mut texts::Random::new(seed);
        let mut text = String::new();
        for _ in 0..random.below(9) {
            text.push_str(ADDED[random.below(ADDED.len())].0);
            text.push_str(words[random.below(words.len())]);
        }
        text
    })
}

#[test]
fn tokens_behind_the_vocabulary() {
    for file in FILES {
        let (pair, size) = with_added(file);
        let ours = pair.ours().unwrap_or_else(|error| panic!("{file}: {error}"));
        for (id, (content, set)) in (size..).zip(ADDED) {
            let mut encoding = tokens::Encoding::new();
            ours.encode(content, &mut encoding);
            assert_eq!(encoding.ids, [id], "{file}: {content:?}");
            assert_eq!(ours.id_of(content), Some(id), "{file}: {content:?}");
            assert_eq!(ours.is_special(id), set[4], "{file}: {content:?}");
            assert_eq!(ours.decode(&[id], true).is_empty(), set[4], "{file}: {content:?}");
            assert_eq!(ours.score(id), None, "{file}: an added token has no score");
            pair.compare_decoded(&ours, &[id]).unwrap();
            pair.compare_decoded(&ours, &[size - 1, id, 5, id, id, 300]).unwrap();
        }
        check(&pair, mixed().chain(dev_texts().into_iter().step_by(9)));
    }
}

#[test]
fn scores_and_vocabulary_stay() {
    let (unigram, size) = with_added("eval/unigram31k/tokenizer.json");
    assert_eq!(unigram.compare_scores(), Ok(31_000));
    let all = size as usize + ADDED.len();
    assert_eq!(unigram.compare_vocabulary(), Ok(all));
    let (wordpiece, size) = with_added("tokenizers/rampart/tokenizer.json");
    let all = size as usize + ADDED.len();
    assert_eq!(wordpiece.compare_vocabulary(), Ok(all));
}
