//! VAT numbers that no other file needs: Belgium, Luxembourg, Ireland.

use super::primitives::Value;

/// Belgian enterprise number: 97 minus the first eight digits modulo 97.
pub fn vat_be(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    let head = digits.number(0..8);
    97 - head % 97 == digits.number(8..10) && head != 0
}

/// Luxembourg VAT: the first six digits modulo 89.
pub fn vat_lu(v: &Value) -> bool {
    let digits = v.skip(2);
    digits.number(0..6) % 89 == digits.number(6..8) && digits.number(0..6) != 0
}

/// Irish VAT: a PPS number, or the older form with its second character in front.
pub fn vat_ie(v: &Value) -> bool {
    let plain = v.skip(2);
    if plain.text.get(1).is_some_and(u8::is_ascii_digit) {
        return super::ppsn(&plain);
    }
    // 8Z49289F is the PPS number 0492898F.
    let &[first, _, a, b, c, d, e, check] = plain.text else { return false };
    super::ppsn(&Value { text: &[b'0', a, b, c, d, e, first, check], raw: v.raw })
}
