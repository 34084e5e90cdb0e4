//! India, South Korea, Thailand, China, Japan, Singapore, Israel.

use super::primitives::{Value, base36, is_date, luhn_sum, two, verhoeff, weighted};

/// Aadhaar: Verhoeff; no palindrome, no leading 0 or 1.
pub fn aadhaar(v: &Value) -> bool {
    let palindrome = v.text.iter().eq(v.text.iter().rev());
    v.text.len() == 12 && v.digit(0) >= 2 && !palindrome && verhoeff(v.text)
}

/// Indian PAN: its four digits count from 0001.
pub fn pan(v: &Value) -> bool {
    v.number(5..9) != 0
}

/// GSTIN: a state, a PAN, and modulo 36 with weights 1 and 2.
pub fn gstin(v: &Value) -> bool {
    const CHARACTERS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let Some((&last, head)) = v.text.split_last() else { return false };
    let sum: u32 = head
        .iter()
        .zip([1, 2].into_iter().cycle())
        .map(|(&b, w)| base36(b) * w)
        .map(|p| p / 36 + p % 36)
        .sum();
    let state = two(v, 0);
    matches!(state, 1..=38 | 97 | 99) && CHARACTERS[((36 - sum % 36) % 36) as usize] == last
}

/// Day of birth in front of a Korean number, the century from the seventh digit.
fn korean_birth(v: &Value) -> bool {
    let century = match v.digit(6) {
        1 | 2 | 5 | 6 => 1900,
        3 | 4 | 7 | 8 => 2000,
        _ => 1800,
    };
    v.text.len() == 13 && is_date(century + two(v, 0), two(v, 2), two(v, 4))
}

fn korean_sum(v: &Value) -> u32 {
    weighted(v.text, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11
}

/// Korean resident number: a date and modulus 11; numbers given since October 2020 are random behind the sex.
pub fn rrn(v: &Value) -> bool {
    let classic = (11 - korean_sum(v)) % 10 == v.digit(12) && two(v, 7) <= 95;
    let random = matches!(v.digit(6), 3 | 4) && two(v, 0) >= 20;
    korean_birth(v) && (classic || random)
}

/// Korean number of a foreigner: a date and modulus 11.
pub fn frn(v: &Value) -> bool {
    korean_birth(v) && (13 - korean_sum(v)) % 10 == v.digit(12)
}

/// A Korean number whose check digit tells nothing: those given since October 2020 are random behind the sex, those of
/// foreigners, too. Those look like South African numbers, which have 0 or 1 in the eleventh place.
pub fn kr_birth(v: &Value) -> bool {
    let sex = v.digit(6);
    korean_birth(v) && (matches!(sex, 1..=4) || (matches!(sex, 5..=8) && v.digit(10) > 1))
}

/// Korean driving licence: a region from 11 to 28.
pub fn kr_licence(v: &Value) -> bool {
    (11..=28).contains(&two(v, 0))
}

/// Korean business number: weights 137137135 modulo 10.
pub fn brn(v: &Value) -> bool {
    let sum = weighted(v.text, &[1, 3, 7, 1, 3, 7, 1, 3, 5]) + v.digit(8) * 5 / 10;
    (10 - sum % 10) % 10 == v.digit(9)
}

/// Thai identity number: modulus 11, a kind from 1 to 8, a province that exists.
pub fn tnin(v: &Value) -> bool {
    let province = matches!(two(v, 1), 10..=27 | 30..=49 | 50..=58 | 60..=67 | 70..=77 | 80..=86 | 90..=96);
    v.text.len() == 13 && province && thai_sum(v) && !v.uniform()
}

fn thai_sum(v: &Value) -> bool {
    let sum = weighted(v.text, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    (11 - sum % 11) % 10 == v.digit(12)
}

/// Chinese resident number (GB 11643): a date, and modulus 11 with X for ten.
pub fn cn_id(v: &Value) -> bool {
    let sum = weighted(v.text, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    let region =
        matches!(two(v, 0), 11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81..=83 | 91);
    let date = is_date(v.number(6..10) as u32, two(v, 10), two(v, 12));
    region && date && v.text.last() == b"10X98765432".get((sum % 11) as usize)
}

/// Japanese individual number: modulus 11.
pub fn my_number(v: &Value) -> bool {
    let rest = weighted(v.text, &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    (if rest < 2 { 0 } else { 11 - rest }) == v.digit(11) && !v.uniform()
}

/// Singapore NRIC and FIN: modulus 11 into a letter by the first letter.
pub fn nric(v: &Value) -> bool {
    let sum = weighted(v.skip(1).text, &[2, 7, 6, 5, 4, 3, 2]);
    let (table, offset): (&[u8; 11], u32) = match v.text.first() {
        Some(b'S') => (b"JZIHGFEDCBA", 0),
        Some(b'T') => (b"JZIHGFEDCBA", 4),
        Some(b'F') => (b"XWUTRQPNMLK", 0),
        Some(b'G') => (b"XWUTRQPNMLK", 4),
        _ => (b"XWUTRQPNJLK", 3),
    };
    v.text.get(8) == table.get(((sum + offset) % 11) as usize)
}

/// Aadhaar's virtual number: Verhoeff.
pub fn vid(v: &Value) -> bool {
    v.digit(0) >= 2 && verhoeff(v.text)
}

/// Thai tax number of a company: 0, and modulus 11.
pub fn th_company(v: &Value) -> bool {
    thai_sum(v) && v.number(0..12) != 0
}

/// Israeli identity number: Luhn over nine digits.
pub fn luhn_nine(v: &Value) -> bool {
    luhn_sum(v.text) == 0 && !v.uniform()
}
