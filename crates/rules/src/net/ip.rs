//! IPv4 and IPv6 addresses. `core::net` parses; this file decides what is offered to it.

use crate::text::{byte, byte_before, word_at, word_before};
use core::net::Ipv6Addr;

/// Longest text of an IPv6 address: eight groups, or six and a dotted quad.
const V6_LIMIT: usize = 45;

/// The IPv4 address that starts at the digit at `start`, with its CIDR suffix; a port stays outside.
pub fn v4(text: &str, start: usize) -> Option<(usize, usize)> {
    if word_before(text, start) || (byte_before(text, start) == b'.' && byte_before(text, start - 1) != b'.')
    {
        return None;
    }
    let end = quad_end(text, start)?;
    let dotted_on = byte(text, end) == b'.' && byte(text, end + 1).is_ascii_digit();
    let hyphened = byte(text, end) == b'-'
        && byte(text, end + 1).is_ascii_alphanumeric()
        && !byte(text, end + 1).is_ascii_digit();
    // Five numbers are a version or an object identifier, but nobody counts versions up from 192.168.
    let dotted_on = dotted_on && !text[start..].starts_with("192.168.");
    if word_at(text, end) || dotted_on || hyphened || is_version(text, start) {
        return None;
    }
    Some((start, suffix_end(text, end, 32)))
}

fn quad_end(text: &str, start: usize) -> Option<usize> {
    let mut at = start;
    for octet in 0..4 {
        if octet > 0 {
            if byte(text, at) != b'.' {
                return None;
            }
            at += 1;
        }
        let from = at;
        let mut value = 0u32;
        while at - from < 4 && byte(text, at).is_ascii_digit() {
            value = value * 10 + u32::from(byte(text, at) - b'0');
            at += 1;
        }
        let padded = at - from > 1 && byte(text, from) == b'0';
        if at == from || value > 255 || padded {
            return None;
        }
    }
    Some(at)
}

/// `/24` behind an address belongs to it.
fn suffix_end(text: &str, end: usize, most: u32) -> usize {
    let Some(rest) = text[end..].strip_prefix('/') else { return end };
    let digits = rest.bytes().take(4).take_while(u8::is_ascii_digit).count();
    match rest[..digits].parse::<u32>() {
        Ok(n)
            if n <= most
                && digits <= 3
                && !word_at(text, end + 1 + digits)
                && byte(text, end + 1 + digits) != b'/' =>
        {
            end + 1 + digits
        }
        _ => end,
    }
}

/// Does the word before say that dotted numbers are a version?
fn is_version(text: &str, start: usize) -> bool {
    let head = &text[text.ceil_char_boundary(start.saturating_sub(24))..start];
    let head = head.trim_end_matches([' ', ':', '=', '"', '\'', '(', '#', '~', '^', '>', '<', '\u{a0}']);
    let word = head.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("").to_lowercase();
    matches!(
        word.as_str(),
        "version"
            | "versions"
            | "ver"
            | "v"
            | "release"
            | "build"
            | "upgrade"
            | "firmware"
            | "versión"
            | "versão"
            | "versione"
            | "wersja"
            | "wersji"
            | "versie"
            | "section"
            | "chapter"
            | "clause"
            | "kapitel"
            | "abschnitt"
            | "oid"
            | "sdk"
            | "kernel"
    )
}

/// The IPv6 address around the first `::` or hex group at `start`; `context` says that a word of IP is near.
pub fn v6(text: &str, start: usize, context: impl Fn() -> bool) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let limit = text.len().min(start + V6_LIMIT + 1);
    let run =
        bytes[start..limit].iter().take_while(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.')).count();
    let mut end = start + run;
    if run > V6_LIMIT || word_at(text, end) || word_before(text, start) || byte_before(text, start) == b':' {
        return None;
    }
    // A full stop or a colon after the address ends the sentence or names a port.
    while end > start && (bytes[end - 1] == b'.' || (bytes[end - 1] == b':' && !text[..end].ends_with("::")))
    {
        end -= 1;
    }
    let address: Ipv6Addr = text[start..end].parse().ok()?;
    let filled = address.segments().iter().filter(|s| **s != 0).count();
    let digits = bytes[start..end].iter().any(u8::is_ascii_digit);
    // `dead::` and `::` alone are code unless the text speaks of addresses.
    if (filled == 0 && end - start == 2 && !context()) || (!digits && (1..=2).contains(&filled)) {
        return None;
    }
    Some((start, suffix_end(text, end, 128)))
}

#[cfg(test)]
mod tests {
    use crate::tests::{labels, none, only};

    #[test]
    fn v4() {
        only("192.168.0.1", "IP_ADDRESS", "192.168.0.1");
        only("binds 203.0.113.45:8443.", "IP_ADDRESS", "203.0.113.45");
        only("from 10.20.0.0/16, yes", "IP_ADDRESS", "10.20.0.0/16");
        only("ip=251.216.167.203", "IP_ADDRESS", "251.216.167.203");
        only("http://203.0.113.9/x", "IP_ADDRESS", "203.0.113.9");
        only("Ends on 198.51.100.23.", "IP_ADDRESS", "198.51.100.23");
    }

    #[test]
    fn not_v4() {
        none("Upgraded from version 4.18.2.0 to v4.18.3.1");
        none("192.168.1.256 and 192.168.1 and 1.2.3.4.5");
        none("section 3.2.1.4 says");
        none("at 12.30.45.999 h");
    }

    #[test]
    fn v6() {
        only(
            "2001:0db8:4e10:0000:0000:9a3c:0b77:51df is.",
            "IP_ADDRESS",
            "2001:0db8:4e10:0000:0000:9a3c:0b77:51df",
        );
        only("ip: fe80::1.", "IP_ADDRESS", "fe80::1");
        only("[2001:db8::1]:443", "IP_ADDRESS", "2001:db8::1");
        only("::ffff:192.168.1.1", "IP_ADDRESS", "::ffff:192.168.1.1");
        only("2001:db8:1::192.0.2.1", "IP_ADDRESS", "2001:db8:1::192.0.2.1");
        only("route 2001:db8::/32 now", "IP_ADDRESS", "2001:db8::/32");
        only("Loopback ::1", "IP_ADDRESS", "::1");
        only("Use local ipv6 ::", "IP_ADDRESS", "::");
        assert_eq!(labels("text::ffff:192.0.2.1"), [("IP_ADDRESS", "192.0.2.1".into())]);
    }

    #[test]
    fn not_v6() {
        none("std::vector and fab::make and dead:: and a::b");
        none("Time 12:34:56, ratio 1:2:3:4, abc:def:ghi, MyClass::toString");
        none("x :: Int -> Int");
    }
}
