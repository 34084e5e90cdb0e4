//! Germany, Austria, Switzerland, Poland, Czechia, Slovakia, Hungary.

use super::primitives::{
    Value, base36, digit, is_date, is_short_date, luhn_sum, two, weighted, year_month_day,
};

/// German pension insurance number: area, birth date, letter, serial; digit sums of weighted digits modulo 10.
pub fn de_pension(v: &Value) -> bool {
    let Some(&letter) = v.text.get(8) else { return false };
    let day = two(v, 2);
    let date = is_short_date(4, two(v, 4), if day > 50 { day - 50 } else { day });
    let letter = base36(letter) - 9;
    let digits = (0..8).map(|i| v.digit(i)).chain([letter / 10, letter % 10, v.digit(9), v.digit(10)]);
    let sum: u32 = digits.zip([2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]).map(|(d, w)| digit_sum(d * w)).sum();
    v.text.len() == 12 && date && sum % 10 == v.digit(11)
}

fn digit_sum(n: u32) -> u32 {
    n / 100 + n / 10 % 10 + n % 10
}

/// German health insurance number (KVNR): the letter as two digits, weights 1 and 2, digit sums modulo 10.
pub fn de_health(v: &Value) -> bool {
    let Some(&letter) = v.text.first() else { return false };
    let letter = base36(letter) - 9;
    let digits = [letter / 10, letter % 10].into_iter().chain((1..9).map(|i| v.digit(i)));
    let sum: u32 = digits.zip([1, 2].into_iter().cycle()).map(|(d, w)| digit_sum(d * w)).sum();
    v.text.len() == 10 && sum % 10 == v.digit(9)
}

/// Machine-readable documents (ICAO 9303-3 § 4.9): weights 7, 3, 1, letters from 10; the last character is the check.
pub fn de_document(v: &Value) -> bool {
    let Some((last, head)) = v.text.split_last() else { return false };
    let sum: u32 = head.iter().zip([7, 3, 1].into_iter().cycle()).map(|(&b, w)| base36(b) * w).sum();
    sum % 10 == digit(*last)
}

/// Bankleitzahl: a clearing area from 1 to 8.
pub fn blz(v: &Value) -> bool {
    (1..=8).contains(&v.digit(0))
}

/// German VAT: MOD 11,10 over nine digits.
pub fn vat_de(v: &Value) -> bool {
    super::mod_11_10(&v.skip(2)) && v.digit(2) != 0
}

/// Austrian social insurance number: modulus 11, the check digit in fourth place, a birth date behind.
pub fn svnr(v: &Value) -> bool {
    let sum = weighted(v.text, &[3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11;
    let month = two(v, 6);
    v.digit(0) != 0 && sum == v.digit(3) && (1..=31).contains(&two(v, 4)) && (1..=15).contains(&month)
}

/// Austrian UID: Luhn over the first seven digits, 96 minus the sum.
pub fn vat_at(v: &Value) -> bool {
    let Some(head) = v.text.get(3..10) else { return false };
    (16 - luhn_sum(head)) % 10 == v.digit(10)
}

/// EAN-13 check digit, as the Swiss AHV number has it.
pub fn ean13(v: &Value) -> bool {
    weighted(v.text, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10)
}

/// Swiss UID: modulus 11.
pub fn uid_ch(v: &Value) -> bool {
    let check = (11 - weighted(v.skip(3).text, &[5, 4, 3, 2, 7, 6, 5, 4]) % 11) % 11;
    check == v.digit(11)
}

/// PESEL: weights 1, 3, 7, 9; the century in the month.
pub fn pesel(v: &Value) -> bool {
    let (year, month, day) = (two(v, 0), two(v, 2), two(v, 4));
    let century = [1900, 2000, 2100, 2200, 1800][(month / 20).min(4) as usize];
    let date = is_date(if century > 2000 { 2000 + year } else { century + year }, month % 20, day);
    date && weighted(v.text, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
}

/// NIP: modulus 11, a remainder of 10 is never given.
pub fn nip(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    let sum = weighted(digits.text, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11;
    digits.text.len() == 10 && sum == digits.digit(9) && !digits.uniform() && digits.number(0..3) >= 100
}

/// REGON of nine or fourteen digits: modulus 11.
pub fn regon(v: &Value) -> bool {
    let short = weighted(v.text, &[8, 9, 2, 3, 4, 5, 6, 7]) % 11 % 10 == v.digit(8);
    let long = weighted(v.text, &[2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8]) % 11 % 10 == v.digit(13);
    !v.uniform() && if v.text.len() == 14 { short && long } else { short }
}

/// Polish identity card: weights 7, 3, 1 around the check digit in fourth place.
pub fn pl_id_card(v: &Value) -> bool {
    letters_and_digits(v, &[7, 3, 1, 9, 7, 3, 1, 7, 3])
}

/// Polish passport: the check digit in third place.
pub fn pl_passport(v: &Value) -> bool {
    letters_and_digits(v, &[7, 3, 9, 1, 7, 3, 1, 7, 3])
}

fn letters_and_digits(v: &Value, weights: &[u32; 9]) -> bool {
    let sum: u32 = v.text.iter().zip(weights).map(|(&b, w)| base36(b) * w).sum();
    v.text.len() == 9 && sum.is_multiple_of(10)
}

/// Rodné číslo of ten digits: a date (women 50 more in the month, overflow 20 more) and divisible by 11.
pub fn rc(v: &Value) -> bool {
    let number = v.number(0..10);
    let old = v.number(0..9) % 11 == 10 && v.digit(9) == 0;
    rc_date(v) && (number.is_multiple_of(11) || old)
}

/// Rodné číslo of nine digits, given until 1953: only the date can be checked.
pub fn rc_old(v: &Value) -> bool {
    rc_date(v) && two(v, 0) < 54
}

fn rc_date(v: &Value) -> bool {
    let month = match two(v, 2) {
        m @ 51..=62 => m - 50,
        m @ 71..=82 => m - 70,
        m @ 21..=32 => m - 20,
        m => m,
    };
    is_short_date(two(v, 0), month, two(v, 4))
}

/// IČO: modulus 11 over seven digits.
pub fn ico(v: &Value) -> bool {
    let check = (11 - weighted(v.text, &[8, 7, 6, 5, 4, 3, 2]) % 11) % 10;
    v.text.len() == 8 && check == v.digit(7) && !v.uniform()
}

/// Czech DIČ: an IČO, a rodné číslo, or 6 and seven digits with a check.
pub fn vat_cz(v: &Value) -> bool {
    let digits = v.skip(2);
    match digits.text.len() {
        8 => ico(&digits),
        9 if digits.digit(0) == 6 => {
            let sum = weighted(digits.skip(1).text, &[8, 7, 6, 5, 4, 3, 2]) % 11;
            digits.digit(8) == (18 - (10 - sum)) % 10 || rc_old(&digits)
        }
        9 => rc_old(&digits),
        10 => rc(&digits),
        _ => false,
    }
}

/// Slovak IČ DPH: divisible by 11.
pub fn vat_sk(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    // A trader of old has the rodné číslo for a number.
    let trader = digits.text.len() == 10 && rc(&digits);
    let company = digits.digit(0) != 0 && matches!(digits.digit(2), 2..=4 | 7..=9);
    (company && digits.number(0..10).is_multiple_of(11)) || trader
}

/// Hungarian tax identification: 8, days since 1867, modulus 11.
pub fn ado_hu(v: &Value) -> bool {
    weighted(v.text, &[1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 == v.digit(9)
}

/// Hungarian personal number: sex, birth date, modulus 11 (weights turned round from 1997).
pub fn szemelyi(v: &Value) -> bool {
    let up = weighted(v.text, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) % 11;
    let down = weighted(v.text, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
    year_month_day(v, 1) && (up == v.digit(10) || down == v.digit(10))
}

/// TAJ: weights 3 and 7 modulo 10.
pub fn taj(v: &Value) -> bool {
    weighted(v.text, &[3, 7, 3, 7, 3, 7, 3, 7]) % 10 == v.digit(8) && !v.uniform()
}

/// Hungarian tax number: weights 9, 7, 3, 1 modulo 10.
pub fn vat_hu(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    weighted(digits.text, &[9, 7, 3, 1, 9, 7, 3, 1]).is_multiple_of(10) && !digits.uniform()
}
