//! One pass over the text: offers each place to the recognisers that can start there.

use crate::text::{byte, byte_before, is_whole, word_before};
use crate::{Found, card, iban, net, ssn};

pub fn scan(text: &str, out: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut in_word = false;
    let mut free = 0; // numbers before this byte belong to a candidate already
    for (at, &b) in bytes.iter().enumerate() {
        let word = b.is_ascii_alphanumeric();
        if word && !in_word {
            word_start(text, at, &mut free, out);
        }
        in_word = word;
        match b {
            b'@' => push(out, net::email::around(text, at), "EMAIL", None, "email", None, 0.98),
            b':' if text[at..].starts_with("://") => {
                push(out, net::url::with_scheme(text, at), "URL", None, "url", None, 0.98);
            }
            b':' if byte(text, at + 1) == b':' && byte_before(text, at) != b':' && !word_before(text, at) => {
                push(
                    out,
                    net::ip::v6(text, at, || speaks_of_ip(text, at)),
                    "IP_ADDRESS",
                    Some("IPV6"),
                    "ipv6",
                    Some("parsed"),
                    0.95,
                );
            }
            _ => {}
        }
    }
}

fn speaks_of_ip(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(24));
    let near = text[from..at].to_ascii_lowercase();
    near.split(|c: char| !c.is_alphanumeric())
        .any(|w| matches!(w, "ip" | "ipv6" | "unspecified" | "address" | "listen" | "bind"))
}

fn word_start(text: &str, at: usize, free: &mut usize, out: &mut Vec<Found>) {
    let b = byte(text, at);
    if b.is_ascii_hexdigit() {
        push(out, net::mac::at(text, at), "IP_ADDRESS", Some("MAC"), "mac", None, 0.95);
        push(out, net::ip::v6(text, at, || false), "IP_ADDRESS", Some("IPV6"), "ipv6", Some("parsed"), 0.95);
    }
    if b.is_ascii_digit() {
        push(out, net::ip::v4(text, at), "IP_ADDRESS", Some("IPV4"), "ipv4", Some("parsed"), 0.95);
        if at >= *free {
            *free = number(text, at, out).unwrap_or(*free);
        }
    } else if b.is_ascii_alphabetic() {
        let www = text.get(at..at + 4).is_some_and(|p| p.eq_ignore_ascii_case("www."));
        if www && !word_before(text, at) && byte_before(text, at) != b'/' {
            push(out, net::url::with_www(text, at), "URL", None, "url", None, 0.95);
        } else {
            push(out, net::url::bare(text, at), "URL", None, "url_bare", None, 0.8);
        }
        if !word_before(text, at) {
            let found = iban::at(text, at).map(|end| (at, end));
            push(out, found, "BANK_ACCOUNT", Some("IBAN"), "iban", Some("mod97"), 0.99);
        }
    }
}

/// Cards and SSNs among digits with separators that start at `at`; the end of what was taken.
fn number(text: &str, at: usize, out: &mut Vec<Found>) -> Option<usize> {
    let joined = matches!(byte_before(text, at), b'-' | b'.')
        && byte_before(text, at.saturating_sub(1)).is_ascii_alphanumeric();
    if word_before(text, at) || joined {
        return None;
    }
    let run = Digits::at(text, at);
    for groups in (1..=run.groups.len()).rev() {
        let (digits, end, separator) = run.head(groups);
        if crate::text::word_at(text, end) {
            continue;
        }
        let sizes = &run.sizes()[..groups];
        if let Some(issuer) = card::issuer(digits)
            && separator.is_some()
            && (groups == 1 || card::grouped(sizes))
            && card::luhn(digits)
        {
            let said = said_before(
                text,
                at,
                &["card", "cc", "credit", "visa", "carte", "karte", "tarjeta", "carta"],
            );
            if issuer == card::Issuer::Sure || groups > 1 || said || is_whole(text, at, end) {
                push(out, Some((at, end)), "CREDIT_CARD", None, "card", Some("luhn"), 0.97);
                return Some(end);
            }
        }
        let typical = sizes == [3, 2, 4] && separator.is_some();
        let bare =
            sizes == [9] && (said_before(text, at, &["ssn", "social security"]) || is_whole(text, at, end));
        if (typical || bare) && ssn::valid(digits) {
            push(
                out,
                Some((at, end)),
                "SSN",
                None,
                "us_ssn",
                Some("issued"),
                if typical { 0.9 } else { 0.7 },
            );
            return Some(end);
        }
    }
    None
}

fn said_before(text: &str, at: usize, words: &[&str]) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(40));
    let near = text[from..at].to_ascii_lowercase();
    words.iter().any(|w| near.contains(w))
}

/// Digits in groups joined by single separators, at most 19 of them.
struct Digits {
    digits: Vec<u8>,
    groups: Vec<(usize, usize, u8)>, // digits so far, end byte, separator before the group
}

impl Digits {
    fn at(text: &str, start: usize) -> Digits {
        let mut run = Digits { digits: Vec::with_capacity(24), groups: Vec::new() };
        let (mut at, mut separator) = (start, 0);
        loop {
            let before = run.digits.len();
            while byte(text, at).is_ascii_digit() && run.digits.len() < 20 {
                run.digits.push(byte(text, at) - b'0');
                at += 1;
            }
            if run.digits.len() == before || run.digits.len() > 19 {
                return run;
            }
            run.groups.push((run.digits.len(), at, separator));
            separator = byte(text, at);
            if !matches!(separator, b' ' | b'-' | b'.') {
                return run;
            }
            at += 1;
        }
    }

    fn sizes(&self) -> Vec<usize> {
        let mut last = 0;
        self.groups.iter().map(|g| g.0 - core::mem::replace(&mut last, g.0)).collect()
    }

    /// The first `n` groups: digits, end byte and their one separator (0 for a single group), none if mixed.
    fn head(&self, n: usize) -> (&[u8], usize, Option<u8>) {
        let (count, end, _) = self.groups[n - 1];
        let separators = &self.groups[1..n.max(1)];
        let same = separators.windows(2).all(|w| w[0].2 == w[1].2);
        (&self.digits[..count], end, same.then(|| separators.first().map_or(0, |g| g.2)))
    }
}

fn push(
    out: &mut Vec<Found>,
    range: Option<(usize, usize)>,
    label: &'static str,
    subtype: Option<&'static str>,
    rule: &'static str,
    check: Option<&'static str>,
    confidence: f32,
) {
    if let Some((start, end)) = range {
        let new = Found { start, end, label, subtype, rule, check, context: None, confidence };
        if out.last() != Some(&new) {
            out.push(new);
        }
    }
}
