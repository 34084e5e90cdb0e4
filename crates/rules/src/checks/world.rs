//! United States, Canada, Latin America, Australia, South Africa, and payment numbers.

use super::primitives::{Value, base36, digit, is_short_date, luhn_sum, two, weighted, year_month_day};
use crate::text::byte;

/// The values of the digits; none if they do not fit.
fn decimal<'a>(v: &Value, digits: &'a mut [u8]) -> &'a [u8] {
    let n = if v.text.len() <= digits.len() { v.text.len() } else { 0 };
    for (digit, b) in digits.iter_mut().zip(&v.text[..n]) {
        *digit = b.wrapping_sub(b'0');
    }
    &digits[..n]
}

/// Payment cards: an issuer range and Luhn.
pub fn card(v: &Value) -> bool {
    let mut digits = [0; 19];
    let digits = decimal(v, &mut digits);
    crate::card::issuer(digits).is_some() && crate::card::luhn(digits)
}

/// Payment cards of issuers and lengths in wide use.
pub fn card_sure(v: &Value) -> bool {
    let mut digits = [0; 19];
    let digits = decimal(v, &mut digits);
    crate::card::issuer(digits) == Some(crate::card::Issuer::Sure) && crate::card::luhn(digits)
}

/// ABA routing number: weights 3, 7, 1 modulo 10, a Federal Reserve prefix.
pub fn aba(v: &Value) -> bool {
    let prefix = two(v, 0);
    matches!(prefix, 0..=12 | 21..=32 | 61..=72 | 80)
        && weighted(v.text, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_multiple_of(10)
        && !v.uniform()
}

/// Social Security number: areas, groups and serials that are issued.
pub fn issued(v: &Value) -> bool {
    let mut digits = [0; 9];
    crate::ssn::valid(decimal(v, &mut digits))
}

/// Individual taxpayer number: 9, and a group that the IRS gives.
pub fn itin(v: &Value) -> bool {
    v.text.len() == 9 && v.digit(0) == 9 && matches!(two(v, 3), 50..=65 | 70..=88 | 90..=92 | 94..=99)
}

/// Employer number: a prefix that the IRS gives.
pub fn ein(v: &Value) -> bool {
    let prefix = two(v, 0);
    !matches!(prefix, 0 | 7..=9 | 17..=19 | 28 | 29 | 49 | 69 | 70 | 78 | 79 | 89 | 96 | 97) && !v.uniform()
}

/// BIC (ISO 9362): a country in the fifth and sixth place.
pub fn bic(v: &Value) -> bool {
    v.text.get(4..6).is_some_and(|c| crate::phone::plan::is_country([c[0], c[1]]))
}

/// National provider identifier: Luhn with 80840 in front.
pub fn npi(v: &Value) -> bool {
    // 80840 in front of ten digits: its eights count once, its four is doubled.
    const PREFIX_SUM: u32 = 8 + 8 + 8;
    (luhn_sum(v.text) + PREFIX_SUM).is_multiple_of(10)
}

/// DEA number: odd digits plus twice the even ones.
pub fn dea(v: &Value) -> bool {
    let sum = weighted(v.skip(2).text, &[1, 2, 1, 2, 1, 2]);
    sum % 10 == v.digit(8)
}

/// Canadian social insurance number: Luhn; 0 and 8 are not given.
pub fn sin(v: &Value) -> bool {
    luhn_sum(v.text) == 0 && !matches!(v.digit(0), 0 | 8) && !v.uniform()
}

/// Mexican CURP: a date and modulo 10 over a table with Ñ.
pub fn curp(v: &Value) -> bool {
    let value = |b: u8| base36(b) + u32::from(b > b'N');
    let Some((&last, head)) = v.text.split_last() else { return false };
    let sum: u32 = head.iter().enumerate().map(|(i, &b)| value(b) * (18 - i as u32)).sum();
    v.text.len() == 18 && year_month_day(v, 4) && (10 - sum % 10) % 10 == digit(last)
}

/// Chilean RUT: modulus 11, K for ten.
pub fn rut(v: &Value) -> bool {
    let Some((&last, head)) = v.text.split_last() else { return false };
    let sum: u32 =
        head.iter().rev().zip([2, 3, 4, 5, 6, 7].into_iter().cycle()).map(|(&b, w)| digit(b) * w).sum();
    b"0123456789K0"[(11 - sum % 11) as usize] == last && head.iter().any(|b| *b != head[0])
}

/// Argentine CUIT: modulus 11.
pub fn cuit(v: &Value) -> bool {
    // A remainder that would need two digits is written 9.
    let check = (11 - weighted(v.text, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11;
    check.min(9) == v.digit(10)
}

/// Brazilian CPF: two digits of modulus 11.
pub fn cpf(v: &Value) -> bool {
    let check = |n: usize| {
        let sum: u32 = (0..n).map(|i| v.digit(i) * (n as u32 + 1 - i as u32)).sum();
        sum * 10 % 11 % 10 == v.digit(n)
    };
    v.text.len() == 11 && check(9) && check(10) && !v.uniform()
}

/// Brazilian CNPJ: two digits of modulus 11; since 2026 letters count as their ASCII code less 48.
pub fn cnpj(v: &Value) -> bool {
    let value = |i: usize| u32::from(v.text.get(i).copied().unwrap_or(0).saturating_sub(b'0'));
    let check = |weights: &[u32]| {
        let rest = weights.iter().enumerate().map(|(i, w)| value(i) * w).sum::<u32>() % 11;
        (if rest < 2 { 0 } else { 11 - rest }) == v.digit(weights.len())
    };
    let digits = v.text.iter().filter(|b| b.is_ascii_digit()).count();
    v.text.len() == 14
        && digits >= 6
        && !v.uniform()
        && check(&[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])
        && check(&[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])
}

/// Brazilian PIS/PASEP: modulus 11.
pub fn pis(v: &Value) -> bool {
    let check = (11 - weighted(v.text, &[3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 11 % 10;
    v.text.len() == 11 && check == v.digit(10) && !v.uniform()
}

/// Australian business number: the first digit less one, modulo 89.
pub fn abn(v: &Value) -> bool {
    let sum = weighted(v.text, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    v.digit(0) != 0 && (sum - 10).is_multiple_of(89)
}

/// Australian company number: weights 8 to 1 modulo 10.
pub fn acn(v: &Value) -> bool {
    (10 - weighted(v.text, &[8, 7, 6, 5, 4, 3, 2, 1]) % 10) % 10 == v.digit(8) && v.number(0..9) != 0
}

/// Australian tax file number of eight or nine digits: modulus 11.
pub fn tfn(v: &Value) -> bool {
    let weights: &[u32] =
        if v.text.len() == 8 { &[10, 7, 8, 4, 6, 3, 5, 1] } else { &[1, 4, 3, 7, 5, 8, 6, 9, 10] };
    weighted(v.text, weights).is_multiple_of(11) && !v.uniform()
}

/// Australian Medicare card: weights 1, 3, 7, 9 modulo 10, then the issue number.
pub fn medicare_au(v: &Value) -> bool {
    weighted(v.text, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == v.digit(8) && v.digit(9) != 0
}

/// Philippine taxpayer number: some digit besides zero.
pub fn ph_tin(v: &Value) -> bool {
    v.number(0..12) != 0 && byte(v.raw, 0).is_ascii_digit()
}

/// South African identity number: a date, the digit of citizenship, Luhn.
pub fn za_id(v: &Value) -> bool {
    year_month_day(v, 0) && v.digit(10) <= 2 && luhn_sum(v.text) == 0 && v.text.len() == 13
}

/// South African tax number: Luhn.
pub fn za_tin(v: &Value) -> bool {
    luhn_sum(v.text) == 0 && matches!(v.digit(0), 0..=3 | 9) && !v.uniform()
}

/// Canadian business number: Luhn over nine digits, whatever program account follows.
pub fn bn(v: &Value) -> bool {
    v.text.get(..9).is_some_and(|n| luhn_sum(n) == 0) && v.number(0..9) != 0
}

/// Ontario health number: Luhn over ten digits, whatever version code follows.
pub fn ohip(v: &Value) -> bool {
    v.text.get(..10).is_some_and(|n| luhn_sum(n) == 0)
        && v.digit(0) != 0
        && !v.number(0..9).is_multiple_of(111_111_111)
}

/// Personal health number of British Columbia: each product modulo 11, their sum modulo 11.
pub fn phn(v: &Value) -> bool {
    let sum: u32 = [2, 4, 8, 5, 10, 9, 7, 3].iter().enumerate().map(|(i, w)| v.digit(i + 1) * w % 11).sum();
    (11 - sum % 11) % 11 == v.digit(9)
}

/// Health insurance number of Quebec: four letters of the name, a birth date (women 50 more in the month).
pub fn ramq(v: &Value) -> bool {
    is_short_date(two(v, 4), two(v, 6) % 50, two(v, 8))
}

/// Brazilian health card: weights 15 down to 1, divisible by 11.
pub fn cns(v: &Value) -> bool {
    weighted(v.text, &[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11) && !v.uniform()
}
