//! Any text at all: never a panic, items in order and apart, ranges on characters, and the way back.
#![cfg(feature = "rampart")]

use lacuna::{Consistency, Mode, Options, Redaction, Redactor, RestoreMode, restore};

/// xorshift64*, seeded: the same texts in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    /// A character of the whole code space; surrogates become U+FFFD.
    fn character(&mut self) -> char {
        char::from_u32(self.below(0x11_0000) as u32).unwrap_or('\u{fffd}')
    }
}

/// Pieces that met faults before or that join, decompose, vanish or grow on the way to tokens.
const PIECES: &[&str] = &[
    "우진 서",
    "각",
    "\u{1112}\u{1161}\u{11ab}",
    "👩\u{200d}👩\u{200d}👧",
    "🇩🇪",
    "e\u{301}\u{301}\u{327}",
    "\u{200b}",
    "\u{200d}",
    "\u{ad}",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\r\n",
    "\t",
    "\u{2028}",
    "\u{feff}",
    "İSTANBUL",
    "ﬁle",
    "№5",
    "ß",
    "ẞ",
    "王小明",
    "สมชาย",
    "राहुल",
    "שלום",
    "\u{202e}abc\u{202c}",
    "Ａｎａ",
    "𝐀𝐧𝐚",
    "Ana Lima",
    "O'Malley",
    "van der Heijden",
    "ana@example.org",
    "+49 30 23125 044",
    "4111 1111 1111 1111",
    "12 Main St., Apt 4B",
    "10115 Berlin",
    "http://x.org/(a)",
    "[GIVEN_NAME_1]",
    "[CREDIT_CARD]",
    "[PHONE_",
    "'s",
    "’s",
    "(",
    ")",
    ".",
    ",",
    "-",
    "\"",
    "{\"name\":\"Ana\"}",
    "a=b",
];

fn random_text(random: &mut Random, pieces: usize) -> String {
    let mut text = String::new();
    for _ in 0..pieces {
        match random.below(4) {
            0 => text.push(random.character()),
            1 => text.push_str(random.pick(&[" ", " ", "\n", ""])),
            _ => text.push_str(random.pick(PIECES)),
        }
    }
    text
}

fn check(text: &str, answer: &Redaction) {
    let mut end = 0;
    for item in &answer.items {
        assert!(item.bytes.start >= end && item.bytes.start < item.bytes.end, "{text:?}: {item:?}");
        end = item.bytes.end;
        let value =
            text.get(item.bytes.clone()).unwrap_or_else(|| panic!("{text:?}: {item:?} cuts a character"));
        let before = &text[..item.bytes.start];
        assert_eq!(item.chars.start, before.chars().count(), "{text:?}");
        assert_eq!(item.utf16.start, before.encode_utf16().count(), "{text:?}");
        assert_eq!(item.chars.len(), value.chars().count(), "{text:?}");
        assert_eq!(item.utf16.len(), value.encode_utf16().count(), "{text:?}");
    }
}

fn run(redactor: &Redactor<'_>, text: &str) {
    for mode in [Mode::Full, Mode::Rules] {
        for consistency in [Consistency::Exact, Consistency::IgnoreCase, Consistency::Off] {
            let options = Options { mode, consistency, ..Options::default() };
            let answer = redactor.redact(text, &options).unwrap();
            check(text, &answer);
            if consistency != Consistency::IgnoreCase {
                let back = restore(&answer.text, &answer.map, RestoreMode::Strict);
                assert_eq!(back.text, text, "{mode:?} {consistency:?}");
            }
        }
    }
}

#[test]
fn random_texts_of_every_plane() {
    let redactor = Redactor::embedded().unwrap();
    let mut random = Random(0x1acc_0de5_eed1);
    for _ in 0..60 {
        let pieces = 1 + random.below(40);
        run(&redactor, &random_text(&mut random, pieces));
    }
}

#[test]
fn random_texts_of_several_windows() {
    let redactor = Redactor::embedded().unwrap();
    let mut random = Random(0x5ca1_ab1e_0000_0001);
    for _ in 0..3 {
        let text = random_text(&mut random, 400);
        let answer = redactor.redact(&text, &Options::default()).unwrap();
        assert!(answer.windows > 1, "{} windows", answer.windows);
        run(&redactor, &text);
    }
}

#[test]
fn a_character_of_many_tokens() {
    let redactor = Redactor::embedded().unwrap();
    for text in
        ["| Name | 우진 서 |\n| Email | 우진.서3@fastmail.com |", "각각각", "🙏🙏🙏", "e\u{301}\u{301}", ""]
    {
        run(&redactor, text);
    }
}
