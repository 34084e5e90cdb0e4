//! One pass over the text: offers each place to the recognisers that can start there.
//!
//! **Time**. Every byte is looked at a bounded number of times. The pass goes from word to word; what a word must look
//! like for a recogniser to take interest (a digit, a full stop behind it, a letter a key begins with) is asked here,
//! of a few bytes, and most words of a text answer no. Context words are found once, before the pass.

use crate::candidate::{Candidate, settle};
use crate::context::Context;
use crate::net::url::Stretch;
use crate::shadow::Shadow;
use crate::tables::group;
use crate::text::{byte, byte_before, word_before};
use crate::{Found, dates, iban, net, phone, secrets, shapes, work};
use core::ops::Range;

/// Context words begin at most this far outside of a range that is read on its own.
const MARGIN: usize = 160;

/// All candidates of `text`, settled among themselves, sorted by start.
pub fn scan(text: &str, out: &mut Vec<Found>) {
    let mut all = Vec::new();
    match Shadow::of(text) {
        None => candidates(text, 0..text.len(), &mut all),
        Some(shadow) => {
            candidates(&shadow.text, 0..shadow.text.len(), &mut all);
            for c in &mut all {
                (c.start, c.end) = shadow.original(c.start, c.end);
                if let Some(spoken) = &mut c.spoken {
                    spoken.range = shadow.original(spoken.range.0, spoken.range.1);
                }
            }
            for range in shadow.both {
                candidates(text, range, &mut all);
            }
        }
    }
    settle(all, out);
}

/// Candidates that begin in `range`.
fn candidates(text: &str, range: Range<usize>, out: &mut Vec<Candidate>) {
    let around =
        text.floor_char_boundary(range.start.saturating_sub(MARGIN))..text.len().min(range.end + MARGIN);
    let context = Context::within(text, around);
    for hit in context.hits() {
        if hit.groups & group::DOB != 0 {
            out.extend(dates::behind(text, &context, hit));
        }
        if hit.groups & group::SECRET != 0 {
            out.extend(secrets::behind(text, &context, hit));
        }
    }
    Pass { text, context, dialled: 0, stretch: Stretch::default(), out }.run(range);
}

/// What the pass carries from place to place.
struct Pass<'a> {
    text: &'a str,
    context: Context<'a>,
    /// Digits before this byte belong to a telephone number already.
    dialled: usize,
    stretch: Stretch,
    out: &'a mut Vec<Candidate>,
}

impl Pass<'_> {
    fn run(&mut self, range: Range<usize>) {
        let bytes = self.text.as_bytes();
        let mut at = range.start;
        work::add(range.len());
        while at < range.end {
            match KINDS[usize::from(bytes[at])] {
                Kind::Other => at += 1,
                Kind::Word => at = self.word(at),
                Kind::Mark => {
                    self.mark(at);
                    at += 1;
                }
            }
        }
    }

    /// Reads the words from `at` to the next ASCII character that is neither letter nor digit, and returns its place.
    /// Quotes and dashes outside ASCII, Han, Hangul and Thai end a word, too.
    fn word(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let (mut start, mut end, mut digit) = (at, at, usize::MAX);
        let mut before = byte_before(self.text, at);
        while end < bytes.len() && KINDS[usize::from(bytes[end])] == Kind::Word {
            let b = bytes[end];
            if before >= 0x80 && b < 0x80 && end > start && !word_before(self.text, end) {
                self.word_start(start, end, digit);
                (start, digit) = (end, usize::MAX);
            }
            if b.is_ascii_digit() {
                digit = digit.min(end);
                if !before.is_ascii_alphanumeric() && end >= self.dialled {
                    self.number(end);
                }
            }
            before = b;
            end += 1;
        }
        self.word_start(start, end, digit);
        end
    }

    fn number(&mut self, at: usize) {
        if let Some(number) = phone::at(self.text, &self.context, at) {
            self.dialled = number.end;
            self.out.push(number);
        }
    }

    fn mark(&mut self, at: usize) {
        let text = self.text;
        match byte(text, at) {
            b'+' | b'(' if at >= self.dialled && !byte_before(text, at).is_ascii_digit() => self.number(at),
            b'@' => {
                let found = net::email::around(text, at);
                self.out.extend(found.map(|range| Candidate::new(range, "EMAIL", "email", 0.98)));
            }
            b':' => self.colon(at),
            b'-' if text.as_bytes()[at..].starts_with(b"-----BEGIN ") && byte_before(text, at) != b'-' => {
                self.out.extend(secrets::private_key(text, at));
            }
            _ => {}
        }
    }

    fn colon(&mut self, at: usize) {
        let text = self.text;
        let next = byte(text, at + 1);
        if next == b'/' && byte(text, at + 2) == b'/' {
            let found = net::url::with_scheme(text, at, &mut self.stretch);
            self.out.extend(found.map(|range| Candidate::new(range, "URL", "url", 0.98)));
        } else if next == b':' && byte_before(text, at) != b':' && !word_before(text, at) {
            let speaks = || self.context.before(at, group::IP, 24).is_some();
            self.out.extend(net::ip::v6(text, at, speaks).map(|range| address(range, "IPV6", "ipv6")));
        }
    }

    /// The word from `start` to `end`, whose first digit (if any) is at `digit`.
    fn word_start(&mut self, start: usize, end: usize, digit: usize) {
        let text = self.text;
        let b = byte(text, start);
        if shapes::may_start(text, start, end, digit, &self.context) {
            shapes::at(text, &self.context, start, self.out);
        }
        if b.is_ascii_hexdigit() {
            self.hex(start, b);
        }
        if b.is_ascii_alphabetic() {
            if secrets::may_start(text, start, end) {
                self.out.extend(secrets::at(text, start));
            }
            if !word_before(text, start)
                && let Some(end) = iban::at(text, start)
            {
                let spoken = self.context.near(start, end, group::ACCOUNT);
                let new = Candidate::new((start, end), "BANK_ACCOUNT", "iban", 0.99);
                self.out.push(Candidate { subtype: Some("IBAN"), check: Some("mod97"), spoken, ..new });
            }
        }
        let www = end - start == 3 && matches!(b, b'w' | b'W') && net::url::is_www(text, start);
        if www && !word_before(text, start) && byte_before(text, start) != b'/' {
            let found = net::url::with_www(text, start, &mut self.stretch);
            self.out.extend(found.map(|range| Candidate::new(range, "URL", "url_www", 0.95)));
        } else if !www && matches!(byte(text, end), b'.' | b'-') {
            let found = net::url::bare(text, start, end, &mut self.stretch);
            self.out.extend(found.map(|range| Candidate::new(range, "URL", "url_bare", 0.8)));
        }
    }

    /// Addresses that begin with the hexadecimal digit `b`: the separators stand within the next five bytes.
    fn hex(&mut self, start: usize, b: u8) {
        let text = self.text;
        let head = &text.as_bytes()[start..text.len().min(start + 5)];
        if head.len() < 5 && !head.contains(&b':') {
            return;
        }
        if matches!(head.get(2), Some(b':' | b'-')) || head.get(4) == Some(&b'.') {
            self.out.extend(net::mac::at(text, start).map(|r| Candidate {
                subtype: Some("MAC"),
                check: None,
                ..address(r, "MAC", "mac")
            }));
        }
        if head.contains(&b':') {
            self.out.extend(net::ip::v6(text, start, || false).map(|range| address(range, "IPV6", "ipv6")));
        }
        if b.is_ascii_digit() && head.iter().skip(1).take(3).any(|b| *b == b'.') {
            self.out.extend(net::ip::v4(text, start).map(|range| address(range, "IPV4", "ipv4")));
        }
    }
}

fn address(range: (usize, usize), subtype: &'static str, rule: &'static str) -> Candidate {
    Candidate {
        subtype: Some(subtype),
        check: Some("parsed"),
        ..Candidate::new(range, "IP_ADDRESS", rule, 0.95)
    }
}

/// What the pass does at a byte.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Nothing begins here.
    Other,
    /// A word: ASCII letters and digits, and bytes of longer characters.
    Word,
    /// A character that recognisers start from.
    Mark,
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut b = 0;
    while b < 256 {
        kinds[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | 0x80.. => Kind::Word,
            b'@' | b':' | b'+' | b'(' | b'-' => Kind::Mark,
            _ => Kind::Other,
        };
        b += 1;
    }
    kinds
};
