//! The file of context words: `group: word, word, ...`, a group on as many lines as it likes; `one+other: word, ...`
//! for words of two groups.
//!
//! Words match either case, with or without their accents. A space matches any run of up to three of space, `_`, `-`
//! and `.`; `*` at the end lets the word go on.

use crate::Error;
use std::collections::BTreeMap;

/// Groups in the order of their bits, and one pattern a group and kind of ending.
#[derive(Debug)]
pub struct Words {
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Patterns.
    pub patterns: Vec<String>,
    /// Bits of the groups each pattern speaks for.
    pub bits: Vec<u128>,
    /// May a letter follow?
    pub open: Vec<bool>,
}

pub fn parse(text: &str) -> Result<Words, Error> {
    let mut groups: Vec<String> = Vec::new();
    // One pattern for each set of groups a word belongs to: few patterns, small sets.
    let mut words: BTreeMap<(String, bool), u128> = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let (group, list) = line.split_once(':').ok_or(Error(format!("words, line {}: no colon", i + 1)))?;
        let mut bits = 0;
        for group in group.split('+') {
            let bit = groups.iter().position(|g| g == group).unwrap_or_else(|| {
                groups.push(group.to_string());
                groups.len() - 1
            });
            if bit >= 128 {
                return Err(Error(format!("words, line {}: more than 128 groups", i + 1)));
            }
            bits |= 1 << bit;
        }
        for word in list.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            let open = word.ends_with('*');
            *words.entry((pattern(word.trim_end_matches('*')), open)).or_default() |= bits;
        }
    }
    let mut by_bits: BTreeMap<(u128, bool), Vec<String>> = BTreeMap::new();
    for ((word, open), bits) in words {
        by_bits.entry((bits, open)).or_default().push(word);
    }
    let mut out = Words { groups, patterns: Vec::new(), bits: Vec::new(), open: Vec::new() };
    for ((bits, open), alternatives) in by_bits {
        out.patterns.push(format!("(?i-u:{})", alternatives.join("|")));
        out.bits.push(bits);
        out.open.push(open);
    }
    Ok(out)
}

fn pattern(word: &str) -> String {
    word.chars()
        .map(|c| match c {
            ' ' => "[ _.-]{0,3}".to_string(),
            'a'..='z' | '0'..='9' => c.to_string(),
            _ if c.is_ascii() => format!("\\x{:02x}", c as u32),
            _ => {
                let upper: String = c.to_uppercase().collect();
                let mut forms = vec![bytes(&c.to_string()), bytes(&upper)];
                if let Some(plain) = plain(c) {
                    forms.push(plain.to_string());
                }
                format!("(?:{})", forms.join("|"))
            }
        })
        .collect()
}

fn bytes(text: &str) -> String {
    text.bytes().map(|b| format!("\\x{b:02x}")).collect()
}

/// The letter people type when they leave the accent out.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'á' | 'à' | 'â' | 'ã' | 'ą' | 'å' | 'ă' | 'ā' => "a",
        'ä' => "ae?",
        'č' | 'ć' | 'ç' => "c",
        'ď' => "d",
        'é' | 'è' | 'ê' | 'ë' | 'ę' | 'ě' | 'ē' | 'ė' => "e",
        'í' | 'ì' | 'î' | 'ï' | 'ı' | 'ī' => "i",
        'ł' | 'ľ' | 'ĺ' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ó' | 'ò' | 'ô' | 'õ' | 'ø' | 'ő' => "o",
        'ö' => "oe?",
        'ř' | 'ŕ' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ț' => "t",
        'ú' | 'ù' | 'û' | 'ů' | 'ű' | 'ū' => "u",
        'ü' => "ue?",
        'ý' => "y",
        'ż' | 'ź' | 'ž' => "z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn groups_and_endings() {
        let words = parse("tax: tax id, steuer*\nid: tax id\n").unwrap();
        assert_eq!(words.groups, ["tax", "id"]);
        assert_eq!(words.patterns, ["(?i-u:steuer)", "(?i-u:tax[ _.-]{0,3}id)"]);
        assert_eq!((words.bits, words.open), (vec![1, 3], vec![true, false]));
    }
}
