//! One pass over the text: offers each place to the recognisers that can start there.

use crate::candidate::{Candidate, settle};
use crate::context::Context;
use crate::shadow::Shadow;
use crate::tables::group;
use crate::text::{byte, byte_before, word_before};
use crate::{Found, dates, iban, net, phone, secrets, shapes};

/// All candidates of `text`, settled among themselves, sorted by start.
pub fn scan(text: &str, out: &mut Vec<Found>) {
    let mut all = Vec::new();
    match Shadow::of(text) {
        None => candidates(text, &mut all),
        Some(shadow) => {
            if shadow.decoded {
                candidates(text, &mut all);
            }
            let mut read = Vec::new();
            candidates(&shadow.text, &mut read);
            for c in &mut read {
                (c.start, c.end) = shadow.original(c.start, c.end);
                if let Some(spoken) = &mut c.spoken {
                    spoken.range = shadow.original(spoken.range.0, spoken.range.1);
                }
            }
            all.append(&mut read);
        }
    }
    settle(all, out);
}

fn candidates(text: &str, out: &mut Vec<Candidate>) {
    let context = Context::of(text);
    for hit in context.hits() {
        out.extend(dates::behind(text, &context, hit));
        out.extend(secrets::behind(text, &context, hit));
    }
    let bytes = text.as_bytes();
    let mut in_word = false;
    // Digits before this byte belong to a telephone number already.
    let mut dialled = 0;
    for (at, &b) in bytes.iter().enumerate() {
        let word = b.is_ascii_alphanumeric() || b >= 0x80;
        if word && !in_word && text.is_char_boundary(at) {
            word_start(text, &context, at, out);
        }
        in_word = word;
        match b {
            b'0'..=b'9' | b'+' | b'(' if at >= dialled => {
                let fresh = !byte_before(text, at).is_ascii_digit();
                if fresh && let Some(number) = phone::at(text, &context, at) {
                    dialled = number.end;
                    out.push(number);
                }
            }
            b'@' => {
                let found = net::email::around(text, at);
                out.extend(found.map(|range| Candidate::new(range, "EMAIL", "email", 0.98)));
            }
            b':' => colon(text, &context, at, out),
            b'-' if bytes[at..].starts_with(b"-----BEGIN ") && byte_before(text, at) != b'-' => {
                out.extend(secrets::private_key(text, at))
            }
            _ => {}
        }
    }
}

fn colon(text: &str, context: &Context, at: usize, out: &mut Vec<Candidate>) {
    let next = byte(text, at + 1);
    if next == b'/' && byte(text, at + 2) == b'/' {
        out.extend(net::url::with_scheme(text, at).map(|range| Candidate::new(range, "URL", "url", 0.98)));
    } else if next == b':' && byte_before(text, at) != b':' && !word_before(text, at) {
        let speaks = || context.before(at, group::IP, 24).is_some();
        out.extend(net::ip::v6(text, at, speaks).map(|range| address(range, "IPV6", "ipv6")));
    }
}

fn address(range: (usize, usize), subtype: &'static str, rule: &'static str) -> Candidate {
    Candidate {
        subtype: Some(subtype),
        check: Some("parsed"),
        ..Candidate::new(range, "IP_ADDRESS", rule, 0.95)
    }
}

fn word_start(text: &str, context: &Context, at: usize, out: &mut Vec<Candidate>) {
    let b = byte(text, at);
    if shapes::may_start(text, at) {
        shapes::at(text, context, at, out);
    }
    if b.is_ascii_hexdigit() {
        out.extend(net::mac::at(text, at).map(|r| Candidate {
            subtype: Some("MAC"),
            check: None,
            ..address(r, "MAC", "mac")
        }));
        out.extend(net::ip::v6(text, at, || false).map(|range| address(range, "IPV6", "ipv6")));
    }
    if b.is_ascii_digit() {
        out.extend(net::ip::v4(text, at).map(|range| address(range, "IPV4", "ipv4")));
    }
    if b.is_ascii_alphabetic() {
        out.extend(secrets::at(text, at));
        let www = text.as_bytes()[at..].get(..4).is_some_and(|p| p.eq_ignore_ascii_case(b"www."));
        if www && !word_before(text, at) && byte_before(text, at) != b'/' {
            out.extend(
                net::url::with_www(text, at).map(|range| Candidate::new(range, "URL", "url_www", 0.95)),
            );
        }
        if !word_before(text, at)
            && let Some(end) = iban::at(text, at)
        {
            let spoken = context.near(at, end, group::ACCOUNT);
            let new = Candidate::new((at, end), "BANK_ACCOUNT", "iban", 0.99);
            out.push(Candidate { subtype: Some("IBAN"), check: Some("mod97"), spoken, ..new });
        }
    }
    if (b.is_ascii_alphanumeric() || b >= 0x80)
        && !text.as_bytes()[at..].get(..4).is_some_and(|p| p.eq_ignore_ascii_case(b"www."))
    {
        out.extend(net::url::bare(text, at).map(|range| Candidate::new(range, "URL", "url_bare", 0.8)));
    }
}
