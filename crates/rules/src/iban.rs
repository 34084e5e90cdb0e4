//! International bank account numbers (ISO 13616): length per country and mod 97.

/// Countries and lengths of the SWIFT registry of IBAN formats (release 99), Kosovo included.
const LENGTHS: [(&[u8; 2], usize); 87] = [
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BI", 27),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DJ", 27),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FK", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HN", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MN", 20),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NI", 28),
    (b"NL", 18),
    (b"NO", 15),
    (b"OM", 23),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"RU", 33),
    (b"SA", 24),
    (b"SC", 31),
    (b"SD", 18),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"SO", 23),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
];
const KOSOVO: (&[u8; 2], usize) = (b"XK", 20);

/// Characters an IBAN of this country has, without spaces.
pub fn length(country: [u8; 2]) -> Option<usize> {
    let country = country.map(|b| b.to_ascii_uppercase());
    LENGTHS.iter().chain([&KOSOVO]).find(|(c, _)| **c == country).map(|&(_, n)| n)
}

/// The IBAN that starts at `start`: its end, if the country, the length and the check digits agree.
pub fn at(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let head = bytes.get(start..start + 4)?;
    // The cheap question first: most words are not two letters and two digits.
    if !head[2].is_ascii_digit()
        || !head[3].is_ascii_digit()
        || !head[..2].iter().all(u8::is_ascii_alphabetic)
    {
        return None;
    }
    let wanted = length([head[0], head[1]])?;
    let mut compact = [0u8; 34];
    let (mut n, mut at) = (0, start);
    while n < wanted {
        let b = *bytes.get(at)?;
        if b.is_ascii_alphanumeric() {
            compact[n] = b.to_ascii_uppercase();
            n += 1;
        } else {
            // One separator between groups, or the end of a line: the check tells whether the next one goes on.
            let inside = matches!(b, b' ' | b'-' | b'\n' | b'\r') && bytes[at - 1].is_ascii_alphanumeric();
            let line_ends = b == b'\n' && bytes[at - 1] == b'\r';
            if n < 4 || !(inside || line_ends) {
                return None;
            }
        }
        at += 1;
    }
    let compact = &compact[..wanted];
    let digits = compact[2].is_ascii_digit() && compact[3].is_ascii_digit();
    (digits && mod97(compact) == 1 && !crate::text::word_at(text, at)).then_some(at)
}

/// ISO 7064 mod 97-10 with the first four characters moved behind the rest and letters as 10 to 35.
pub fn mod97(compact: &[u8]) -> u32 {
    compact[4..].iter().chain(&compact[..4]).fold(0, |sum, &b| match b {
        b'0'..=b'9' => (sum * 10 + u32::from(b - b'0')) % 97,
        _ => (sum * 100 + u32::from(b.to_ascii_uppercase().wrapping_sub(b'A')) + 10) % 97,
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::{none, only};

    #[test]
    fn numbers() {
        only("IBAN: NL57TEST0731940586", "BANK_ACCOUNT", "NL57TEST0731940586");
        only(
            "this is an iban VG96 VPVG 0000 0123 4567 8901 X in",
            "BANK_ACCOUNT",
            "VG96 VPVG 0000 0123 4567 8901",
        );
        only("gb29nwbk60161331926819", "BANK_ACCOUNT", "gb29nwbk60161331926819");
        only("GB29-NWBK-6016-1331-9268-19.", "BANK_ACCOUNT", "GB29-NWBK-6016-1331-9268-19");
        only("GB29 NWBK 6016\n1331 9268 19 is it", "BANK_ACCOUNT", "GB29 NWBK 6016\n1331 9268 19");
        only("GB29 NWBK 60\r\n16 1331 9268 19", "BANK_ACCOUNT", "GB29 NWBK 60\r\n16 1331 9268 19");
        only("XK051212012345678906", "BANK_ACCOUNT", "XK051212012345678906");
    }

    #[test]
    fn not_numbers() {
        none("DE89 A704 0044 0532 0130 00");
        none("CR05 0152 0200 1026 2840 6");
        none("AM47212110090000000235698740");
        none("AL47/2121/1009/0000/0002/3569/8741");
        none("GB29 NWBK 6016 1331 9268 18");
        none("GB29 NWBK 6016\n\n1331 9268 19");
    }
}
