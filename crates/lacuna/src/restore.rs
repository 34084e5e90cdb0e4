//! The way back: placeholders in a text to the values they stand for.

use std::collections::BTreeMap;

/// Placeholder (`[EMAIL_1]`) to value.
pub type Map = BTreeMap<String, String>;

/// How closely a placeholder must be spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestoreMode {
    /// Also as language models mangle them: `given_name_1`, `[GIVEN_NAME 1]`, `\[PHONE_1\]`, `&#91;PHONE_1&#93;`.
    #[default]
    Tolerant,
    /// Only `[LABEL_N]`, letter for letter.
    Strict,
}

/// A text with its values back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The text.
    pub text: String,
    /// How many placeholders were replaced.
    pub restored: usize,
    /// Placeholders in the text that the map does not hold, each once, in order, written `[LABEL_N]`.
    pub unknown: Vec<String>,
}

/// Puts the values of `map` back into `text`. Values are not searched for placeholders again, and what is no
/// placeholder stays as it is.
///
/// ```
/// use lacuna::{restore, RestoreMode};
/// let map = [("[GIVEN_NAME_1]".to_string(), "Ravi".to_string())].into();
/// assert_eq!(restore("Dear given_name_1,", &map, RestoreMode::Tolerant).text, "Dear Ravi,");
/// assert_eq!(restore("Dear given_name_1,", &map, RestoreMode::Strict).text, "Dear given_name_1,");
/// ```
pub fn restore(text: &str, map: &Map, mode: RestoreMode) -> Restored {
    let labels = labels_of(map);
    let mut out = Restored { text: String::with_capacity(text.len()), restored: 0, unknown: Vec::new() };
    let mut at = 0;
    while at < text.len() {
        let found = match mode {
            RestoreMode::Strict => strict(&text[at..]),
            RestoreMode::Tolerant => tolerant(text, at, &labels),
        };
        match found {
            Some((length, name)) => {
                match map.get(&name) {
                    Some(value) => {
                        out.text.push_str(value);
                        out.restored += 1;
                    }
                    None => {
                        out.text.push_str(&text[at..at + length]);
                        if !out.unknown.contains(&name) {
                            out.unknown.push(name);
                        }
                    }
                }
                at += length;
            }
            None => {
                let next = text[at..].chars().next().map_or(1, char::len_utf8);
                out.text.push_str(&text[at..at + next]);
                at += next;
            }
        }
    }
    out
}

/// The labels a bare `label_1` may name: the map's and the built-in ones, longest first.
fn labels_of(map: &Map) -> Vec<String> {
    let mut labels: Vec<String> = crate::labels::LABELS.iter().map(|label| label.name.to_string()).collect();
    for key in map.keys() {
        if let Some((_, name)) = strict(key) {
            let label = &name[1..name.rfind('_').unwrap_or(1)];
            if !labels.iter().any(|known| known == label) {
                labels.push(label.to_string());
            }
        }
    }
    labels.sort_by_key(|label| std::cmp::Reverse(label.len()));
    labels
}

/// Reads `[LABEL_N]` at the start of `text`: its length and itself.
fn strict(text: &str) -> Option<(usize, String)> {
    let inner = text.strip_prefix('[')?;
    let end = inner.bytes().take(80).position(|b| b == b']')?;
    let (label, number) = inner[..end].rsplit_once('_')?;
    let right_label = label.starts_with(|c: char| c.is_ascii_uppercase())
        && label.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let right_number =
        !number.is_empty() && !number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
    (right_label && right_number).then(|| (end + 2, text[..end + 2].to_string()))
}

const OPEN: &[&str] =
    &["\\[", "&#91;", "&#x5B;", "&#x5b;", "&lbrack;", "&lsqb;", "%5B", "%5b", "[", "{", "<", "("];
const CLOSE: &[&str] =
    &["\\]", "&#93;", "&#x5D;", "&#x5d;", "&rbrack;", "&rsqb;", "%5D", "%5d", "]", "}", ">", ")"];
/// The first brackets of each list are the square one in disguise, up to and with the plain one.
const SQUARE: usize = 9;

/// Reads a placeholder in any spelling at `at`: its length and its right spelling.
fn tolerant(text: &str, at: usize, labels: &[String]) -> Option<(usize, String)> {
    let here = &text[at..];
    let first = *here.as_bytes().first()?;
    if !(first.is_ascii_alphabetic() || b"\\&%[{<(".contains(&first)) {
        return None;
    }
    if let Some(open) = OPEN.iter().position(|open| here.starts_with(open)) {
        let inner = &here[OPEN[open].len()..];
        let blank = inner.len() - inner.trim_start_matches(' ').len();
        if let Some((length, name)) = bare(&inner[blank..], labels) {
            let rest = &inner[blank + length..];
            let tail = rest.len() - rest.trim_start_matches(' ').len();
            let closing = if open < SQUARE { &CLOSE[..SQUARE] } else { &CLOSE[open..=open] };
            if let Some(close) = closing.iter().find(|close| rest[tail..].starts_with(**close)) {
                return Some((OPEN[open].len() + blank + length + tail + close.len(), name));
            }
        }
        if first != b'[' {
            return None;
        }
        return strict(here);
    }
    let before = text[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let (length, name) = bare(here, labels)?;
    let after = here[length..].chars().next();
    (!after.is_some_and(|c| c.is_alphanumeric() || c == '_')).then_some((length, name))
}

/// Reads `label_1`, `LABEL 1`, `Given-Name-1`, `GIVEN\_NAME\_1`: its length and its right spelling.
fn bare(text: &str, labels: &[String]) -> Option<(usize, String)> {
    labels.iter().find_map(|label| {
        let mut at = 0;
        for part in label.split('_') {
            at += if at > 0 { separator(&text[at..])? } else { 0 };
            let word = text.get(at..at + part.len())?;
            if !word.eq_ignore_ascii_case(part) {
                return None;
            }
            at += part.len();
        }
        at += separator(&text[at..])?;
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
        let number = &text[at..at + digits];
        (digits > 0 && digits <= 9 && !number.starts_with('0'))
            .then(|| (at + digits, format!("[{label}_{number}]")))
    })
}

fn separator(text: &str) -> Option<usize> {
    ["\\_", "_", " ", "-"].iter().find(|s| text.starts_with(**s)).map(|s| s.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> Map {
        [
            ("[GIVEN_NAME_1]", "Ravi"),
            ("[PHONE_1]", "+1 212 555 0119"),
            ("[EMAIL_1]", "a@b.c"),
            ("[EMAIL_10]", "ten"),
        ]
        .map(|(k, v)| (k.to_string(), v.to_string()))
        .into()
    }

    #[test]
    fn mangled_placeholders_come_back_in_tolerant_mode_only() {
        for (mangled, value) in [
            ("given_name_1", "Ravi"),
            ("Given Name 1", "Ravi"),
            ("[GIVEN_NAME 1]", "Ravi"),
            ("[ given-name-1 ]", "Ravi"),
            ("\\[PHONE_1\\]", "+1 212 555 0119"),
            ("[GIVEN\\_NAME\\_1]", "Ravi"),
            ("&#91;PHONE_1&#93;", "+1 212 555 0119"),
            ("%5BEMAIL_10%5D", "ten"),
            ("<EMAIL_1>", "a@b.c"),
            ("{EMAIL_1}", "a@b.c"),
        ] {
            let text = format!("Ping {mangled}, now.");
            let back = restore(&text, &map(), RestoreMode::Tolerant);
            assert_eq!(back.text, format!("Ping {value}, now."), "{mangled}");
            assert_eq!((back.restored, back.unknown.len()), (1, 0), "{mangled}");
            assert_eq!(restore(&text, &map(), RestoreMode::Strict).text, text, "{mangled}");
        }
    }

    #[test]
    fn exact_placeholders_come_back_in_both_modes() {
        for mode in [RestoreMode::Tolerant, RestoreMode::Strict] {
            let back = restore("[EMAIL_10] and [EMAIL_1][EMAIL_9] [EMAIL_9]", &map(), mode);
            assert_eq!(back.text, "ten and a@b.c[EMAIL_9] [EMAIL_9]");
            assert_eq!(back.unknown, ["[EMAIL_9]"]);
        }
    }

    #[test]
    fn what_is_no_placeholder_stays() {
        for text in [
            "my_given_name_1",
            "given_name_1st",
            "phone 0",
            "[PHONE_]",
            "phones_1",
            "é[",
            "\\",
            "&#91;",
            "[[",
            "",
        ] {
            for mode in [RestoreMode::Tolerant, RestoreMode::Strict] {
                assert_eq!(restore(text, &map(), mode).text, text);
            }
        }
    }

    #[test]
    fn values_are_not_read_again() {
        let map: Map = [("[CITY_1]".into(), "[CITY_2]".into()), ("[CITY_2]".into(), "Oslo".into())].into();
        assert_eq!(restore("[CITY_1]", &map, RestoreMode::Tolerant).text, "[CITY_2]");
    }
}
