//! The text as the rules read it: zero-width characters gone, look-alikes and encoded characters replaced, with a way
//! back to the original's bytes. Made only where such characters stand.

use crate::work;
use core::ops::Range;

/// A text and where its bytes come from.
pub struct Shadow {
    /// What the rules read.
    pub text: String,
    /// Stretches of the original to be read as they stand, too, each up to the white space around it: something was
    /// decoded that means another thing undecoded (`%20` in a URL), or is gone that may have parted two words. They do
    /// not overlap.
    pub both: Vec<Range<usize>>,
    pieces: Vec<Piece>,
}

/// Bytes of the shadow from `at` on come from `from..to` of the original: one to one if `plain`, else as a whole.
#[derive(Clone, Copy)]
struct Piece {
    at: usize,
    from: usize,
    to: usize,
    plain: bool,
}

/// What stands at a place of the original.
enum Change {
    Gone(usize),
    As(char, usize),
    Decoded(char, usize),
}

/// White space is looked for so far on either side of such a place: no value is longer.
const REACH: usize = 4352;

impl Shadow {
    /// The shadow, if it differs from the text.
    pub fn of(text: &str) -> Option<Shadow> {
        let mut shadow = Shadow { text: String::new(), both: Vec::new(), pieces: Vec::new() };
        let bytes = text.as_bytes();
        work::add(bytes.len());
        let (mut at, mut copied) = (0, 0);
        loop {
            // Most texts are ASCII without `%` and `&`.
            let suspicious = |b: &u8| *b >= 0x80 || *b == b'%' || *b == b'&';
            let Some(skip) = bytes[at..].iter().position(suspicious) else { break };
            at += skip;
            let Some(change) = change_at(text, at) else {
                at += 1;
                continue;
            };
            shadow.copy(text, copied, at);
            let (c, n) = match change {
                Change::Gone(n) => {
                    shadow.note(text, at, at + n);
                    (None, n)
                }
                Change::As(c, n) => (Some(c), n),
                Change::Decoded(c, n) => {
                    shadow.note(text, at, at + n);
                    (Some(c), n)
                }
            };
            if let Some(c) = c {
                shadow.pieces.push(Piece { at: shadow.text.len(), from: at, to: at + n, plain: false });
                shadow.text.push(c);
            }
            at += n;
            copied = at;
        }
        if copied == 0 {
            return None;
        }
        shadow.copy(text, copied, text.len());
        Some(shadow)
    }

    /// Notes that `from..to` means something as it stands. White space behind the last stretch is looked for once, not at every note.
    fn note(&mut self, text: &str, from: usize, to: usize) {
        let bytes = text.as_bytes();
        let floor = self.both.last().map_or(0, |d| d.end).max(from.saturating_sub(REACH));
        let inside = self.both.last().is_some_and(|d| d.end > from);
        if inside && self.both.last().is_some_and(|d| d.end >= to) {
            return;
        }
        let start = (floor..from).rev().find(|&i| bytes[i].is_ascii_whitespace()).map_or(floor, |i| i + 1);
        let room = bytes[to..].iter().take(REACH);
        let end = to + room.take_while(|b| !b.is_ascii_whitespace()).count();
        let end = text.ceil_char_boundary(end);
        work::add(end - start);
        match self.both.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => self.both.push(text.ceil_char_boundary(start)..end),
        }
    }

    fn copy(&mut self, text: &str, from: usize, to: usize) {
        if from < to {
            self.pieces.push(Piece { at: self.text.len(), from, to, plain: true });
            self.text.push_str(&text[from..to]);
        }
    }

    /// The original's bytes behind `start..end` of the shadow.
    pub fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let piece = |at: usize| self.pieces[self.pieces.partition_point(|p| p.at <= at) - 1];
        let (first, last) = (piece(start), piece(end - 1));
        let from = if first.plain { first.from + (start - first.at) } else { first.from };
        let to = if last.plain { last.from + (end - last.at) } else { last.to };
        (from, to)
    }
}

fn change_at(text: &str, at: usize) -> Option<Change> {
    let bytes = text.as_bytes();
    match bytes[at] {
        b'%' => {
            let high = char::from(*bytes.get(at + 1)?).to_digit(16)?;
            let low = char::from(*bytes.get(at + 2)?).to_digit(16)?;
            let byte = (high * 16 + low) as u8;
            matches!(byte, 0x20..=0x7e).then_some(Change::Decoded(char::from(byte), 3))
        }
        b'&' => entity(&bytes[at + 1..]).map(|(c, n)| match char_change(c) {
            Some(Some(c)) => Change::Decoded(c, n + 1),
            Some(None) => Change::Gone(n + 1),
            None => Change::Decoded(c, n + 1),
        }),
        0xc2..=0xf4 => {
            let c = text.get(at..)?.chars().next()?;
            match char_change(c) {
                Some(Some(new)) => Some(Change::As(new, c.len_utf8())),
                Some(None) => Some(Change::Gone(c.len_utf8())),
                None => {
                    let end = at + c.len_utf8();
                    let beside = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
                    let mixed = (at > 0 && beside(bytes.get(at - 1))) || beside(bytes.get(end));
                    mixed.then(|| look_alike(c)).flatten().map(|new| Change::As(new, c.len_utf8()))
                }
            }
        }
        _ => None,
    }
}

/// A character reference behind its `&`: the character and the bytes it takes.
fn entity(rest: &[u8]) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 16] = [
        ("commat", '@'),
        ("period", '.'),
        ("nbsp", ' '),
        ("hyphen", '-'),
        ("dash", '-'),
        ("plus", '+'),
        ("lowbar", '_'),
        ("colon", ':'),
        ("sol", '/'),
        ("lpar", '('),
        ("rpar", ')'),
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("shy", '\u{ad}'),
    ];
    if rest.first() != Some(&b'#') {
        let (name, c) = NAMED.iter().find(|(name, _)| {
            rest.get(..name.len()).is_some_and(|r| r.eq_ignore_ascii_case(name.as_bytes()))
                && rest.get(name.len()) == Some(&b';')
        })?;
        return Some((*c, name.len() + 1));
    }
    let (radix, from) = if matches!(rest.get(1), Some(b'x' | b'X')) { (16, 2) } else { (10, 1) };
    let digits = rest[from..].iter().take(7).take_while(|b| char::from(**b).is_digit(radix)).count();
    let number = core::str::from_utf8(&rest[from..from + digits])
        .ok()
        .and_then(|d| u32::from_str_radix(d, radix).ok())?;
    let closed = usize::from(rest.get(from + digits) == Some(&b';'));
    let c = char::from_u32(number).filter(|c| !c.is_control())?;
    Some((c, from + digits + closed))
}

/// What a character counts as: another one, or nothing.
fn char_change(c: char) -> Option<Option<char>> {
    let digit = |zero: u32| char::from_digit(c as u32 - zero, 10);
    Some(match c {
        '\u{ad}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => None,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => Some(' '),
        '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => Some('-'),
        '\u{ff10}'..='\u{ff19}' => digit(0xff10),
        '\u{660}'..='\u{669}' => digit(0x660),
        '\u{6f0}'..='\u{6f9}' => digit(0x6f0),
        '\u{966}'..='\u{96f}' => digit(0x966),
        '\u{9e6}'..='\u{9ef}' => digit(0x9e6),
        '\u{e50}'..='\u{e59}' => digit(0xe50),
        '\u{1d7ce}'..='\u{1d7ff}' => char::from_digit((c as u32 - 0x1d7ce) % 10, 10),
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => char::from_u32(c as u32 - 0xfee0),
        '\u{ff20}' | '\u{fe6b}' => Some('@'),
        '\u{ff0e}' | '\u{2024}' | '\u{fe52}' => Some('.'),
        '\u{ff0b}' | '\u{ff0f}' | '\u{ff1a}' | '\u{ff3f}' | '\u{ff05}' | '\u{ff03}' | '\u{ff1d}' => {
            char::from_u32(c as u32 - 0xfee0)
        }
        _ => return None,
    })
}

/// Cyrillic and Greek letters that are drawn like Latin ones (Unicode TR 39); used beside Latin letters or digits only.
fn look_alike(c: char) -> Option<char> {
    const PAIRS: &str = "АAВBЕEКKМMНHОOРPСCТTУYХXЅSІIЈJаaеeоoрpсcуyхxѕsіiјjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοo";
    if !matches!(c, '\u{391}'..='\u{3bf}' | '\u{400}'..='\u{458}') {
        return None;
    }
    let mut pairs = PAIRS.chars();
    while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
        if from == c {
            return Some(to);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Shadow;
    use crate::tests::{labels, none, only};

    #[test]
    fn plain_text_has_no_shadow() {
        for text in ["plain", "Größe – nein", "100 % sure & fine", "日本語", "Привет мир", "a&b;"]
        {
            assert!(Shadow::of(text).is_none() || text.contains('–'), "{text}");
        }
    }

    #[test]
    fn ranges_lead_back() {
        let text = "a\u{200b}b\u{ff20}c&#64;d";
        let shadow = Shadow::of(text).unwrap();
        assert_eq!(shadow.text, "ab@c@d");
        assert_eq!(shadow.original(0, 2), (0, 5));
        assert_eq!(&text[shadow.original(2, 3).0..shadow.original(2, 3).1], "\u{ff20}");
        assert_eq!(&text[shadow.original(4, 5).0..shadow.original(4, 5).1], "&#64;");
    }

    #[test]
    fn hidden_values() {
        only("mail: iris@\u{200b}example.com", "EMAIL", "iris@\u{200b}example.com");
        only(
            "card 4120\u{200b}3846\u{200b}5771\u{200b}9204.",
            "CREDIT_CARD",
            "4120\u{200b}3846\u{200b}5771\u{200b}9204",
        );
        only("uma＠example.org", "EMAIL", "uma＠example.org");
        only("аgnes@example.org", "EMAIL", "аgnes@example.org");
        only("SSN ５３１-６２-８８０７", "SSN", "５３１-６２-８８０７");
        only("SSN 531‑62‑8807", "SSN", "531‑62‑8807");
        only("SSN 531\u{a0}62\u{a0}8807", "SSN", "531\u{a0}62\u{a0}8807");
        only("q=iris%40example.com&x=1", "EMAIL", "iris%40example.com");
        only("write iris&#64;example&#46;com now", "EMAIL", "iris&#64;example&#46;com");
        only("write iris&commat;example.com", "EMAIL", "iris&commat;example.com");
        only("card 4120%203846%205771%209204", "CREDIT_CARD", "4120%203846%205771%209204");
        only("IBAN DЕ89370400440532013000", "BANK_ACCOUNT", "DЕ89370400440532013000");
        only("٠٩-٧٦٢٥٤٠٠", "PHONE", "٠٩-٧٦٢٥٤٠٠");
        // A zero-width space between two words.
        only("871220-2384\u{200b}Elizabeth", "GOVERNMENT_ID", "871220-2384");
        only("see https://example.org/a%20b/c?q=%40x ok", "URL", "https://example.org/a%20b/c?q=%40x");
    }

    #[test]
    fn nothing_hidden() {
        none("100%20 off, 5%ab &amp; more &#60;");
        assert_eq!(labels("№5 – Zoë").len(), 0);
    }
}
