//! The classes of all code points from the crates that the reference asks.

use regex_syntax::hir::{Class, HirKind};
use tokens::layout::class;
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Code points that a regular expression class matches.
fn matches(pattern: &str) -> Vec<bool> {
    let hir = regex_syntax::Parser::new().parse(pattern).expect(pattern);
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else { panic!("{pattern} is no class") };
    let mut found = vec![false; 0x11_0000];
    for range in class.iter() {
        (range.start() as usize..=range.end() as usize).for_each(|point| found[point] = true);
    }
    found
}

/// Next to itself and to plain letters on either side, a cluster of its own. Hangul syllables, ideographs and the
/// alphabets are; anything that could join to a neighbour is not.
fn is_lone(character: char) -> bool {
    if character == '\r' {
        return false;
    }
    let alone = |text: String, clusters: usize| text.graphemes(true).count() == clusters;
    // U+0301 joins to what is before it, U+0600 to what is after it, U+1100/1161/11A8 are Hangul parts; a regional
    // indicator and an emoji with a joiner pair up.
    alone(format!("{character}{character}"), 2)
        && alone(format!("a{character}"), 2)
        && alone(format!("{character}a"), 2)
        && alone(format!("\u{1F600}\u{200d}{character}"), 2)
        && alone(format!("\u{1100}{character}"), if is_syllable(character) { 1 } else { 2 })
        && alone(format!("\u{915}\u{94d}{character}"), 2)
        && alone(format!("{character}\u{1161}"), if is_plain_lv(character) { 1 } else { 2 })
}

fn is_syllable(character: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&character)
}

fn is_plain_lv(character: char) -> bool {
    is_syllable(character) && (u32::from(character) - 0xac00) % 28 == 0
}

/// The class of every code point.
pub fn classes() -> Vec<u8> {
    let (letters, numbers, white, word) =
        (matches(r"\p{L}"), matches(r"\p{N}"), matches(r"\s"), matches(r"\w"));
    (0..0x11_0000)
        .map(|point| {
            let Some(c) = char::from_u32(point as u32) else { return 0 };
            assert_eq!(white[point], c.is_whitespace(), "U+{point:04X}");
            let bit = |is: bool, bit: u8| if is { bit } else { 0 };
            bit(white[point], class::WHITE)
                | bit(c.is_ascii_punctuation() || c.is_punctuation(), class::BERT_PUNCTUATION)
                | bit(letters[point], class::LETTER)
                | bit(numbers[point], class::NUMBER)
                | bit(word[point], class::WORD)
                | bit(c.is_numeric(), class::NUMERIC)
                | bit(is_composed(c), class::COMPOSED)
                | bit(is_lone(c), class::LONE)
        })
        .collect()
}

/// Canonical composition leaves it alone whatever stands beside it: a starter without decomposition that never is the
/// second of a pair.
fn is_composed(character: char) -> bool {
    use unicode_normalization_alignments::char::canonical_combining_class;
    let same = [character].into_iter().nfc().map(|(c, _)| c).eq([character]);
    let second = SECONDS.with(|seconds| seconds.contains(&character));
    same && canonical_combining_class(character) == 0 && !second
}

thread_local! {
    /// Characters that canonical decompositions have in second place.
    static SECONDS: std::collections::BTreeSet<char> = {
        let mut seconds = std::collections::BTreeSet::new();
        for point in 0..0x11_0000 {
            if let Some(character) = char::from_u32(point) {
                seconds.extend([character].into_iter().nfd().skip(1).map(|(c, _)| c));
            }
        }
        seconds
    };
}

/// The file `classes.bin`.
pub fn file() -> Vec<u8> {
    let (index, blocks) = lacuna_tokens_build::compress(&classes());
    let mut bytes: Vec<u8> = index.iter().flat_map(|h| h.to_le_bytes()).collect();
    bytes.extend(blocks);
    bytes
}
