//! `tokcheck[wordpiece|unigram|bpe]`: ids, tokens, byte ranges, special masks, vocabulary and decoded text of our
//! tokenizer equal those of the tokenizers crate on real vocabularies.

mod pair;
mod texts;

use pair::Pair;
use tokens::Encoding;

use crate::part::Part;

/// Generated texts of each kind of tokenizer.
const TEXTS: usize = 40_003;

/// Code points of one text of the exhaustive part.
const POINTS: u32 = 16;

/// A tokenizer kind and the vocabulary it is proved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    WordPiece,
    Unigram,
    Bpe,
}

impl Kind {
    fn json(self) -> &'static [u8] {
        match self {
            Kind::WordPiece => include_bytes!("../../../testdata/tokenizers/rampart/tokenizer.json"),
            Kind::Unigram => include_bytes!("../../../testdata/eval/unigram31k/tokenizer.json"),
            Kind::Bpe => include_bytes!("../../../testdata/tokenizers/smollm2/tokenizer.json"),
        }
    }
}

/// Compares part `part.0` of `part.1` of all texts. `quick` leaves out the walk over all code points.
///
/// # Errors
/// A kind that is not there.
pub fn part(kind: &str, quick: bool, part: (usize, usize)) -> Result<Part, String> {
    let kind = match kind {
        "wordpiece" => Kind::WordPiece,
        "unigram" => Kind::Unigram,
        "bpe" => Kind::Bpe,
        other => return Err(format!("no kind of tokenizer {other:?}")),
    };
    let mut outcome = Part::new();
    let compared =
        Pair::from_json(kind.json()).and_then(|pair| compare(&pair, kind, quick, part, &mut outcome));
    if let Err(difference) = compared {
        outcome.differs(|| difference);
    }
    Ok(outcome)
}

fn compare(
    pair: &Pair,
    kind: Kind,
    quick: bool,
    part: (usize, usize),
    outcome: &mut Part,
) -> Result<(), String> {
    if part.0 == 0 {
        pair.compare_vocabulary()?;
        if kind == Kind::Unigram {
            pair.compare_scores()?;
        }
    }
    let generated = (0..TEXTS).map(texts::text);
    let exhaustive = (0..if quick { 0 } else { 0x11_0000 / POINTS }).map(every_point);
    let fixed = texts::FIXED.map(String::from).into_iter();
    compare_texts(pair, fixed.chain(dev_texts()?).chain(generated).chain(exhaustive), part, outcome)?;
    if kind == Kind::Unigram {
        let pair = Pair::from_json(&without_letters(kind.json())?)?;
        compare_texts(&pair, dev_texts()?.into_iter(), part, outcome)?;
    }
    Ok(())
}

/// Compares the texts of one part.
fn compare_texts(
    pair: &Pair,
    all: impl Iterator<Item = String>,
    part: (usize, usize),
    outcome: &mut Part,
) -> Result<(), String> {
    let ours = pair.ours()?;
    let mut encoding = Encoding::new();
    for text in all.enumerate().filter(|(at, _)| at % part.1 == part.0).map(|(_, text)| text) {
        outcome.count("texts", 1);
        match pair.compare(&ours, &text, &mut encoding) {
            Ok(tokens) => outcome.count("tokens", tokens as u64),
            Err(difference) => outcome.differs(|| difference),
        }
    }
    Ok(())
}

/// A Unigram file whose single small letters are other pieces. Every character of the real vocabulary is a piece or in
/// none, so that what an unknown one costs never decides; without letters it does.
fn without_letters(json: &[u8]) -> Result<Vec<u8>, String> {
    let mut file: serde_json::Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let vocabulary = file["model"]["vocab"].as_array_mut().ok_or("no vocabulary")?;
    for entry in vocabulary {
        let letter = entry[0].as_str().filter(|piece| matches!(piece.as_bytes(), [b'a'..=b'z']));
        if let Some(hidden) = letter.map(|letter| format!("\u{10fffd}{letter}")) {
            entry[0] = hidden.into();
        }
    }
    Ok(file.to_string().into_bytes())
}

/// Sixteen neighbours, each alone, between letters and doubled.
fn every_point(block: u32) -> String {
    let points = (block * POINTS..(block + 1) * POINTS).filter_map(char::from_u32);
    points.map(|c| format!("{c} a{c}b 1{c}{c}\u{301} ")).collect()
}

/// The texts of the evaluation set.
fn dev_texts() -> Result<Vec<String>, String> {
    include_str!("../../../testdata/eval/dev.jsonl")
        .lines()
        .map(|line| {
            let item: serde_json::Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
            item["text"].as_str().map(String::from).ok_or_else(|| format!("no text in {line}"))
        })
        .collect()
}
