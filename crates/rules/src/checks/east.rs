//! Croatia, Slovenia, Romania, Bulgaria, Turkey.

use super::primitives::{Value, is_date, is_short_date, two, weighted};

/// EMŠO and JMBG: a date, a region, modulus 11.
pub fn emso(v: &Value) -> bool {
    let check = (11 - weighted(v.text, &[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11 % 10;
    let year = v.number(4..7) as u32;
    let year = if year > 500 { 1000 + year } else { 2000 + year };
    v.text.len() == 13 && is_date(year, two(v, 2), two(v, 0)) && check == v.digit(12)
}

/// Slovenian tax number: modulus 11.
pub fn vat_si(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    let rest = 11 - weighted(digits.text, &[8, 7, 6, 5, 4, 3, 2]) % 11;
    digits.digit(0) != 0 && rest != 11 && rest % 10 == digits.digit(7)
}

/// Romanian CNP: a date, a county, weights 279146358279 modulo 11.
pub fn cnp(v: &Value) -> bool {
    let rest = weighted(v.text, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    let check = if rest == 10 { 1 } else { rest };
    let county = two(v, 7);
    let date = is_short_date(two(v, 1), two(v, 3), two(v, 5));
    v.text.len() == 13 && date && matches!(county, 1..=52 | 70) && check == v.digit(12)
}

/// Romanian CUI: weights 753217532 from the right, times ten modulo 11.
pub fn vat_ro(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    let Some((_, head)) = digits.text.split_last() else { return false };
    let weights = [7, 5, 3, 2, 1, 7, 5, 3, 2];
    let Some(from) = weights.len().checked_sub(head.len()) else { return false };
    let check = weighted(head, &weights[from..]) * 10 % 11 % 10;
    digits.digit(0) != 0 && check == digits.digit(head.len())
}

/// Bulgarian EGN: a date (20 or 40 more in the month), modulus 11.
pub fn egn(v: &Value) -> bool {
    let month = two(v, 2);
    let century = [1900, 1800, 2000][(month / 20).min(2) as usize];
    let check = weighted(v.text, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10;
    is_date(century + two(v, 0), month % 20, two(v, 4)) && check == v.digit(9)
}

/// Bulgarian number of a foreigner: modulo 10.
pub fn lnch(v: &Value) -> bool {
    weighted(v.text, &[21, 19, 17, 13, 11, 9, 7, 3, 1]) % 10 == v.digit(9) && !v.uniform()
}

/// Bulgarian VAT: nine digits of a company, ten of a person.
pub fn vat_bg(v: &Value) -> bool {
    let digits = v.skip(2);
    if digits.text.len() == 10 {
        let other = (11 - weighted(digits.text, &[4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11;
        return egn(&digits) || lnch(&digits) || other == digits.digit(9);
    }
    let first = weighted(digits.text, &[1, 2, 3, 4, 5, 6, 7, 8]) % 11;
    let second = weighted(digits.text, &[3, 4, 5, 6, 7, 8, 9, 10]) % 11 % 10;
    (if first < 10 { first } else { second }) == digits.digit(8)
}

/// Turkish identity number: two check digits.
pub fn tckn(v: &Value) -> bool {
    let odd = weighted(v.text, &[1, 0, 1, 0, 1, 0, 1, 0, 1]);
    let even = weighted(v.text, &[0, 1, 0, 1, 0, 1, 0, 1]);
    let sum: u32 = (0..10).map(|i| v.digit(i)).sum();
    v.text.len() == 11
        && v.digit(0) != 0
        && (odd * 7 + 100 - even) % 10 == v.digit(9)
        && sum % 10 == v.digit(10)
        && !v.uniform()
}

/// Turkish tax number: powers of two modulo 9.
pub fn vkn(v: &Value) -> bool {
    let sum: u32 = (0..9u32)
        .map(|i| {
            let first = (v.digit(i as usize) + 9 - i) % 10;
            let second = first * (1 << (9 - i)) % 9;
            if first != 0 && second == 0 { 9 } else { second }
        })
        .sum();
    v.text.len() == 10 && (10 - sum % 10) % 10 == v.digit(9) && !v.uniform()
}
