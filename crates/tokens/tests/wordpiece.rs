//! WordPiece beside the tokenizers crate.

extern crate lacuna_tokens as tokens;

mod reference;

use reference::{check, dev_texts, pair::Pair, read, texts};

fn rampart() -> Pair {
    reference::pair(&read("tokenizers/rampart/tokenizer.json"))
}

#[test]
fn dev_texts_and_fixed_texts() {
    check(&rampart(), dev_texts().into_iter().chain(texts::FIXED.map(String::from)));
}

#[test]
fn random_texts() {
    check(&rampart(), (0..8_000).map(texts::text));
}

#[test]
fn random_code_points() {
    let random = &mut texts::Random::new(5);
    check(&rampart(), (0..5_000).map(|_| texts::any_characters(random)));
}

#[test]
fn every_code_point_alone() {
    check(&rampart(), (0..0x11_0000).filter_map(char::from_u32).map(String::from));
}

/// Every assigned plane in full; of the ten planes without characters every 97th code point.
fn assigned() -> impl Iterator<Item = char> {
    (0..0x11_0000u32)
        .filter(|point| !(0x4_0000..0xe_0000).contains(point) || point.is_multiple_of(97))
        .filter_map(char::from_u32)
}

#[test]
fn code_points_between_letters() {
    check(&rampart(), assigned().map(|c| format!("a{c}b")));
}

#[test]
fn code_points_among_combining_marks() {
    check(&rampart(), assigned().map(|c| format!("e\u{323}{c}\u{301}\u{302e}{c}")));
}

#[test]
fn vocabulary() {
    rampart().compare_vocabulary().unwrap();
}
