//! Whatever the text: no panic, ranges on character boundaries, sorted, without overlap; and work that grows no faster
//! than the text.

use lacuna_rules::{Found, find};

/// xorshift64*: the same texts in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % n
    }
}

const PIECES: [&str; 60] = [
    "@",
    ".",
    "..",
    ":",
    "::",
    "://",
    "www.",
    "http://",
    "-",
    "+",
    "(",
    ")",
    " ",
    "\n",
    "/",
    "%40",
    "%2",
    "&#64;",
    "&#x",
    "&amp;",
    "\u{200b}",
    "\u{a0}",
    "０",
    "９",
    "＠",
    "а",
    "é",
    "서",
    "邮箱",
    "😀",
    "1",
    "12",
    "123",
    "4120384657719204",
    "078-05-1120",
    "DE",
    "DE89",
    "GB29 NWBK",
    "passport ",
    "IBAN ",
    "tel ",
    "password: ",
    "born ",
    "März ",
    "eyJ",
    "AKIA",
    "-----BEGIN ",
    "PRIVATE KEY-----",
    "ΑΒ",
    "\u{301}",
    "x",
    "A",
    "z9",
    "SSN ",
    "0",
    "00",
    "2021-03-04",
    "\"",
    "'",
    "#",
];

fn check(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    find(text, &mut found);
    for f in &found {
        assert!(f.start < f.end && f.end <= text.len(), "{f:?} in {text:?}");
        assert!(text.is_char_boundary(f.start) && text.is_char_boundary(f.end), "{f:?} in {text:?}");
        assert!(f.confidence > 0.0 && f.confidence <= 1.0, "{f:?}");
        if let Some((s, e)) = f.context {
            assert!(s < e && text.is_char_boundary(s) && text.is_char_boundary(e), "{f:?} in {text:?}");
        }
    }
    assert!(found.windows(2).all(|w| w[0].end <= w[1].start), "overlap in {text:?}: {found:?}");
    found
}

#[test]
fn random_pieces() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..20_000 {
        let n = random.below(24);
        let text: String = (0..n).map(|_| PIECES[random.below(PIECES.len())]).collect();
        check(&text);
    }
}

#[test]
fn random_code_points() {
    let mut random = Random(7);
    for _ in 0..5_000 {
        let n = random.below(40);
        let text: String = (0..n).filter_map(|_| char::from_u32(random.below(0x11_0000) as u32)).collect();
        check(&text);
    }
}

#[test]
fn mutated_values() {
    let seeds = [
        "Please add Alexander Barker (NI AB 85 78 16 D, UTR 2526954483) to payroll; bank account 60575059, sort code 61-81-63.",
        "Année: N° de sécurité sociale : 278055619953869, IBAN : FR28 2940 8927 5159 9389 9572 542, tél. +33 1 42 68 53 00",
        "Fecha de nacimiento: 27 de marzo de 1990, DNI 12345678Z, correo maría@exámple.es, https://example.org/x_(y)",
    ];
    let mut random = Random(99);
    for _ in 0..6_000 {
        let mut text: Vec<char> = seeds[random.below(seeds.len())].chars().collect();
        for _ in 0..1 + random.below(4) {
            if text.is_empty() {
                break;
            }
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, PIECES[random.below(PIECES.len())].chars().next().unwrap_or('x')),
                _ => text.truncate(at.max(1)),
            }
        }
        check(&text.into_iter().collect::<String>());
    }
}

#[test]
fn nasty_texts_end() {
    for piece in [
        "7.7.7.",
        "88-77-",
        "a.a.a.",
        "1 2 3 ",
        "(0",
        "a@",
        "::",
        "passport ",
        "eyJ.",
        "-----BEGIN PRIVATE KEY-----",
        "%40",
        "www.",
        "é",
        "x:",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        check(&text);
        check(&format!("{text}@"));
    }
}
