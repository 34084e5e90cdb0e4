//! What stands beside a candidate: word characters and boundaries.

/// Is there a letter, a digit or `_` right before byte `at`?
pub fn word_before(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    match at.checked_sub(1).map(|i| bytes[i]) {
        None => false,
        Some(b) if b < 0x80 => b.is_ascii_alphanumeric() || b == b'_',
        Some(_) => text.get(..at).and_then(|t| t.chars().next_back()).is_some_and(is_cased_word),
    }
}

/// Is there a letter, a digit or `_` right at byte `at`?
pub fn word_at(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None => false,
        Some(&b) if b < 0x80 => b.is_ascii_alphanumeric() || b == b'_',
        Some(_) => text.get(at..).and_then(|t| t.chars().next()).is_some_and(is_cased_word),
    }
}

/// Letters of scripts that separate words. A value may touch Han, Kana, Hangul or Thai: those scripts write
/// particles without a space (`010-5836-0622로`).
pub fn is_cased_word(c: char) -> bool {
    c.is_alphanumeric()
        && !matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1100}'..='\u{11FF}' | '\u{3040}'..='\u{30FF}'
            | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{FF66}'..='\u{FF9F}')
}

/// The byte at `at`, or 0 past either end.
pub fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

/// The byte before `at`, or 0 at the start.
pub fn byte_before(text: &str, at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |i| text.as_bytes()[i])
}

/// Is the candidate the whole text, but for white space and enclosing punctuation?
pub fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let free = |s: &str| s.len() <= 64 && s.chars().all(|c| !c.is_alphanumeric());
    free(&text[..start]) && free(&text[end..])
}

/// Is there a letter at byte `at`?
pub fn is_letter_at(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None => false,
        Some(&b) if b < 0x80 => b.is_ascii_alphabetic(),
        Some(_) => text
            .get(at..)
            .and_then(|t| t.chars().next())
            .is_some_and(|c| c.is_alphabetic() && is_cased_word(c)),
    }
}

/// Does the value at `start` continue something to its left (`4b-1234`, `1,234`, `$99`, `+1`)?
pub fn joined_left(text: &str, start: usize) -> bool {
    let before = byte_before(text, start);
    let further = if start >= 2 { text.as_bytes()[start - 2] } else { 0 };
    match before {
        b'-' | b'.' | b'_' | b'\\' | b'/' => further.is_ascii_alphanumeric() || further >= 0x80,
        b'@' | b'+' | b'$' | b'^' | b'~' | b'%' => true,
        b',' => further.is_ascii_digit(),
        0xac | 0xa3 => text[..start].ends_with(['€', '£']),
        _ => word_before(text, start),
    }
}

/// Does the value that ends at `end` go on to the right?
pub fn joined_right(text: &str, end: usize) -> bool {
    let next = byte(text, end);
    let further = byte(text, end + 1);
    match next {
        b'-' | b'_' | b'\\' | b'/' => further.is_ascii_alphanumeric(),
        b'.' => further.is_ascii_digit() || further.is_ascii_lowercase(),
        b':' => further.is_ascii_digit(),
        b'@' | b'%' => true,
        b',' => {
            let group = text.as_bytes()[end + 1..].iter().take(4).take_while(|b| b.is_ascii_digit()).count();
            group == 3
        }
        _ => word_at(text, end),
    }
}
