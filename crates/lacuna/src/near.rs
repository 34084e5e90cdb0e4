//! What stands beside a place in the text. Every look is bounded, so that a text of any kind is read in linear time.

use std::ops::Range;

/// Bytes looked at on either side.
const LOOK: usize = 64;

/// Whether a character belongs to a word: letters, digits and the marks on them.
pub fn is_inner(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}' | '\u{200c}' | '\u{200d}' | '\u{ad}')
}

/// Spaces that do not end a line.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text before `at`, at most [`LOOK`] bytes.
pub fn head(text: &str, at: usize) -> &str {
    &text[text.floor_char_boundary(at.saturating_sub(LOOK))..at]
}

/// The text from `at`, at most [`LOOK`] bytes.
pub fn tail(text: &str, at: usize) -> &str {
    &text[at..text.floor_char_boundary((at + LOOK).min(text.len()))]
}

/// The nearest word that ends at or before `at`.
pub fn word_before(text: &str, at: usize) -> Option<Range<usize>> {
    let head = head(text, at);
    let trimmed = head.trim_end_matches(|c| !is_inner(c));
    if trimmed.is_empty() {
        return None;
    }
    let start = trimmed.trim_end_matches(is_inner).len();
    let from = at - head.len();
    Some(from + start..from + trimmed.len())
}

/// The nearest word that starts at or behind `at`.
pub fn word_after(text: &str, at: usize) -> Option<Range<usize>> {
    let tail = tail(text, at);
    let start = tail.len() - tail.trim_start_matches(|c| !is_inner(c)).len();
    let length = tail[start..].len() - tail[start..].trim_start_matches(is_inner).len();
    (length > 0).then_some(at + start..at + start + length)
}

/// The words of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_inner(c)).filter(|word| !word.is_empty())
}

/// The next word from `at` on, however far it is and however long: for walks over all words of a text, from the end of
/// one to the next.
pub fn next_word(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + text[at..].find(is_inner)?;
    let end = text[start..].find(|c| !is_inner(c)).map_or(text.len(), |n| start + n);
    Some(start..end)
}

/// The line before `at`, at most [`LOOK`] bytes of it.
pub fn line_before(text: &str, at: usize) -> &str {
    let head = head(text, at);
    head.rfind(['\n', '\r']).map_or(head, |end| &head[end + 1..])
}

/// The run without spaces, quotes and list punctuation around a range, at most [`LOOK`] bytes on either side:
/// the identifier, path or number of which the range may be a piece.
pub fn chunk(text: &str, range: &Range<usize>) -> Range<usize> {
    let inside = |c: char| {
        !c.is_whitespace()
            && !matches!(
                c,
                '"' | '\''
                    | '`'
                    | ','
                    | ';'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | '|'
                    | '='
                    | '&'
                    | '?'
                    | '!'
            )
    };
    let head = head(text, range.start);
    let tail = tail(text, range.end);
    let start = range.start - (head.len() - head.trim_end_matches(inside).len());
    let end = range.end + (tail.len() - tail.trim_start_matches(inside).len());
    // A full stop or colon at the end belongs to the sentence.
    let end = start + text[start..end].trim_end_matches(['.', ':']).len();
    start..end.max(range.end)
}

/// Whether the first letter of a word is a capital.
pub fn is_capitalised(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// Whether a value is in small letters: some, and no capital.
pub fn is_lower(value: &str) -> bool {
    value.chars().any(char::is_lowercase) && !value.chars().any(char::is_uppercase)
}

/// Digits in a value.
pub fn digits(value: &str) -> usize {
    value.chars().filter(|c| c.is_numeric()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_beside_a_place() {
        let text = "Frau Dr. Müller-Lüdenscheidt, 2. OG";
        assert_eq!(word_before(text, 9).map(|r| &text[r]), Some("Dr"));
        assert_eq!(word_after(text, 8).map(|r| &text[r]), Some("Müller"));
        assert_eq!(word_before(text, 0), None);
        assert_eq!(word_after(text, text.len()), None);
        let long = "x".repeat(500);
        assert_eq!(word_before(&long, 400), Some(336..400), "bounded");
    }

    #[test]
    fn chunks_are_identifiers() {
        let text = "pod billing-web-58c7d9f64b-q7rtz: \"a=b\".";
        let at = text.find("58c7").unwrap();
        assert_eq!(&text[chunk(text, &(at..at + 10))], "billing-web-58c7d9f64b-q7rtz");
        let at = text.find("b\"").unwrap();
        assert_eq!(&text[chunk(text, &(at..at + 1))], "b");
    }

    #[test]
    fn the_line_before() {
        assert_eq!(line_before("a\nName: Ana", 8), "Name: ");
    }
}
