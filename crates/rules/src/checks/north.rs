//! Denmark, Sweden, Norway, Finland, Estonia, Latvia, Lithuania.

use super::primitives::{Value, day_month_year, is_date, is_short_date, luhn_sum, two, weighted};

/// Danish CPR: a date and modulus 11 (not kept for births since 2007).
pub fn cpr(v: &Value) -> bool {
    day_month_year(v, 0) && weighted(v.text, &[4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

/// Danish CPR without its modulus: the date alone.
pub fn cpr_date(v: &Value) -> bool {
    day_month_year(v, 0)
}

/// Danish CVR: modulus 11.
pub fn vat_dk(v: &Value) -> bool {
    let digits = plain(v);
    weighted(digits.text, &[2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11) && digits.digit(0) != 0
}

/// The number behind a country prefix of two letters, if there is one.
fn plain<'a>(v: &'a Value<'a>) -> Value<'a> {
    if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v }
}

/// Swedish personal number: Luhn over ten digits, a date (60 more in the day for coordination numbers).
pub fn personnummer(v: &Value) -> bool {
    let Some(short) = v.text.get(v.text.len().saturating_sub(10)..) else { return false };
    let short = Value { text: short, raw: v.raw };
    let day = two(&short, 4);
    let day = if day > 60 { day - 60 } else { day };
    short.text.len() == 10
        && luhn_sum(short.text) == 0
        && is_short_date(two(&short, 0), two(&short, 2), day)
        && short.number(6..9) != 0
}

/// Swedish organisation number: Luhn; the third digit tells it from a date.
pub fn se_orgnr(v: &Value) -> bool {
    luhn_sum(v.text) == 0 && v.digit(2) >= 2
}

/// Swedish VAT: an organisation or personal number and 01.
pub fn vat_se(v: &Value) -> bool {
    v.text.get(2..12).is_some_and(|d| luhn_sum(d) == 0)
}

/// Norwegian birth number: two digits of modulus 11 and a date (D-numbers: 40 more in the day; synthetic: month).
pub fn fnr(v: &Value) -> bool {
    let first = weighted(v.text, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11;
    let second = weighted(v.text, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11;
    let (day, month) = (two(v, 0), two(v, 2));
    let day = if day > 40 { day - 40 } else { day };
    let month = if month > 80 {
        month - 80
    } else if month > 40 {
        month - 40
    } else {
        month
    };
    first == 0 && second == 0 && is_short_date(two(v, 4), month, day)
}

/// Norwegian organisation number: modulus 11.
pub fn orgnr(v: &Value) -> bool {
    let digits = plain(v);
    weighted(digits.text, &[3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11) && matches!(digits.digit(0), 8 | 9)
}

/// Finnish personal identity code: a date, a century sign and a character by modulus 31.
pub fn hetu(v: &Value) -> bool {
    let Some((&last, head)) = v.text.split_last() else { return false };
    let number = super::primitives::number(head);
    let serial = number % 1000;
    let check = b"0123456789ABCDEFHJKLMNPRSTUVWXY"[(number % 31) as usize];
    head.iter().filter(|b| b.is_ascii_digit()).count() == 9
        && day_month_year(v, 0)
        && serial >= 2
        && check == last
}

/// Finnish VAT and business number: modulus 11.
pub fn vat_fi(v: &Value) -> bool {
    let digits = plain(v);
    let check = (11 - weighted(digits.text, &[7, 9, 10, 5, 8, 4, 2]) % 11) % 11;
    check == digits.digit(7) && !digits.uniform()
}

/// Estonian and Lithuanian personal code: a date and modulus 11 in two rounds.
pub fn isikukood(v: &Value) -> bool {
    let first = weighted(v.text, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
    let second = weighted(v.text, &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11 % 10;
    let check = if first < 10 { first } else { second };
    let year = 1800 + v.digit(0).div_ceil(2) * 100 - 100 + two(v, 1);
    v.text.len() == 11 && is_date(year, two(v, 3), two(v, 5)) && check == v.digit(10)
}

/// Estonian VAT: weights 3, 7, 1 modulo 10.
pub fn vat_ee(v: &Value) -> bool {
    weighted(v.skip(2).text, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_multiple_of(10)
}

/// Latvian personal code: modulus 11 and a date; codes from 2017 begin with 32 and carry neither.
pub fn personas(v: &Value) -> bool {
    let check = (1 + weighted(v.text, &[10, 5, 8, 4, 2, 1, 6, 3, 7, 9])) % 11 % 10;
    two(v, 0) == 32 || (day_month_year(v, 0) && v.digit(6) <= 2 && check == v.digit(10))
}

/// Latvian VAT of a company: modulus 11; of a person: the personal code.
pub fn vat_lv(v: &Value) -> bool {
    let digits = v.skip(2);
    if digits.digit(0) > 3 {
        weighted(digits.text, &[9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 == 3
    } else {
        personas(&digits)
    }
}

/// Lithuanian VAT of 9 or 12 digits: 1 in the last place but one, modulus 11 in two rounds.
pub fn vat_lt(v: &Value) -> bool {
    let digits = v.skip(2);
    let n = digits.text.len() - 1;
    let round =
        |shift: usize| (0..n).map(|i| (1 + (i + shift) % 9) as u32 * digits.digit(i)).sum::<u32>() % 11;
    let check = if round(0) == 10 { round(2) % 10 } else { round(0) };
    digits.digit(n - 1) == 1 && check == digits.digit(n)
}
