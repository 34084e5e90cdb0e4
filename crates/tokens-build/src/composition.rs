//! The data of canonical composition.

use crate::writer::Writer;
use tokens::layout::section;
use unicode_normalization_alignments::char::{canonical_combining_class, compose, decompose_canonical};

/// Code points above have neither decomposition nor combining class, but for two blocks of plane 14 without either.
const END: u32 = 0x3_0000;

/// Hangul is computed.
const HANGUL: std::ops::Range<u32> = 0xac00..0xd7a4;

/// Writes decompositions and pairs.
///
/// **Source**: the tables (Unicode 9) of the crate that the reference composes with.
pub(crate) fn write(writer: &mut Writer) {
    let (mut marks, mut elements, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    let mut parts = Vec::new();
    for point in (0xc0..END).filter(|point| !HANGUL.contains(point)) {
        let Some(character) = char::from_u32(point) else { continue };
        parts.clear();
        decompose_canonical(character, |c| parts.push(c));
        if parts == [character] && canonical_combining_class(character) == 0 {
            continue;
        }
        marks.push(point);
        marks.push((elements.len() as u32) << 8 | parts.len() as u32);
        elements.extend(parts.iter().map(|&c| u32::from(canonical_combining_class(c)) << 24 | u32::from(c)));
        if let Some((first, second)) = pair(character, &parts) {
            pairs.push([u32::from(first), u32::from(second), point]);
        }
    }
    pairs.sort_unstable();
    writer.words(section::MARKS, marks);
    writer.words(section::MARK_ELEMENTS, elements);
    writer.words(section::COMPOSITIONS, pairs.into_iter().flatten());
}

/// The two characters that compose to `character`, from its full decomposition.
fn pair(character: char, parts: &[char]) -> Option<(char, char)> {
    let (&last, rest) = parts.split_last()?;
    let (&start, between) = rest.split_first()?;
    let first = between.iter().try_fold(start, |first, &next| compose(first, next))?;
    (compose(first, last) == Some(character)).then_some((first, last))
}
