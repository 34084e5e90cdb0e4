//! Spain, Italy, Portugal, Malta, Cyprus, Greece.

use super::primitives::{Value, base36, day_month_year, digit, luhn_sum, number, weighted};

const DNI_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// Spanish DNI and NIE: the letter is the number modulo 23; X, Y, Z stand for 0, 1, 2.
pub fn dni(v: &Value) -> bool {
    let Some((&last, head)) = v.text.split_last() else { return false };
    let (prefix, digits) = match head {
        [first @ b'X'..=b'Z', rest @ ..] => (u64::from(first - b'X'), rest),
        _ => (0, head),
    };
    let n = prefix * 10_000_000 + number(digits);
    DNI_LETTERS[(n % 23) as usize] == last
}

/// Spanish CIF: Luhn over seven digits, as a digit or as a letter.
pub fn cif(v: &Value) -> bool {
    let (Some(&kind), Some(body), Some(&check)) = (v.text.first(), v.text.get(1..8), v.text.get(8)) else {
        return false;
    };
    // One more place makes the last digit of the body the doubled one.
    let mut longer = [b'0'; 8];
    longer[..7].copy_from_slice(body);
    let sum = luhn_sum(&longer);
    let wanted = (10 - sum) % 10;
    match check {
        b'0'..=b'9' => !b"NPQRSW".contains(&kind) && digit(check) == wanted,
        _ => !b"ABEH".contains(&kind) && b"JABCDEFGHI"[wanted as usize] == check,
    }
}

/// Spanish VAT: a DNI, NIE or CIF behind ES.
pub fn vat_es(v: &Value) -> bool {
    let plain = v.skip(2);
    let person = plain.text.last().is_some_and(u8::is_ascii_alphabetic);
    let digits_in_place = plain.text[1..plain.text.len() - 1].iter().all(u8::is_ascii_digit);
    digits_in_place
        && ((person && !b"KLM".contains(&plain.text[0]) && dni(&plain))
            || (plain.text[0].is_ascii_alphabetic() && cif(&plain)))
}

/// Spanish social security number: province and serial modulo 97.
pub fn nuss(v: &Value) -> bool {
    let (province, serial, check) = (v.number(0..2), v.number(2..10), v.number(10..12));
    let joined =
        if serial < 10_000_000 { province * 10_000_000 + serial } else { province * 100_000_000 + serial };
    joined % 97 == check && matches!(province, 1..=53 | 66)
}

/// Codice fiscale: the sixteenth character by the odd and even tables (DM 23 December 1976).
pub fn codice_fiscale(v: &Value) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let Some((&last, head)) = v.text.split_last() else { return false };
    // A digit counts as the letter of its value.
    let index = |b: u8| if b.is_ascii_digit() { digit(b) } else { base36(b) - 10 };
    let sum: u32 = head
        .iter()
        .enumerate()
        .map(|(i, &b)| if i % 2 == 0 { ODD[index(b) as usize] } else { index(b) })
        .sum();
    // Letters stand for digits where two people would share a code (omocodia).
    let plain = |i: usize| match v.text.get(i).copied().unwrap_or(0) {
        b @ b'0'..=b'9' => u32::from(b - b'0'),
        b => b"LMNPQRSTUV".iter().position(|&l| l == b).map_or(99, |p| p as u32),
    };
    let day = plain(9) * 10 + plain(10);
    v.text.len() == 16 && matches!(day, 1..=31 | 41..=71) && index(last) == sum % 26
}

/// Partita IVA: Luhn, and an office that exists.
pub fn piva(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    let office = digits.number(7..10);
    luhn_sum(digits.text) == 0
        && digits.number(0..7) != 0
        && matches!(office, 1..=100 | 120 | 121 | 888 | 999)
}

/// Italian driving licence: two letters, seven digits and a letter, or U1 and eight characters without vowels.
pub fn it_licence(v: &Value) -> bool {
    v.text.len() == 10 && v.text.last().is_some_and(u8::is_ascii_alphabetic)
}

/// Portuguese NIF: modulus 11, first digits that are given.
pub fn nif_pt(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    let rest = weighted(digits.text, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if rest < 2 { 0 } else { 11 - rest };
    // 45 is for people who live elsewhere.
    let given = matches!(digits.digit(0), 1..=3 | 5..=9) || digits.number(0..2) == 45;
    given && check == digits.digit(8) && !digits.uniform()
}

/// Cartão de cidadão: Luhn over twelve characters, letters from 10.
pub fn cc_pt(v: &Value) -> bool {
    let sum: u32 = v
        .text
        .iter()
        .rev()
        .enumerate()
        .map(|(i, &b)| {
            let value = base36(b) * if i % 2 == 0 { 1 } else { 2 };
            if i % 2 == 1 && value > 9 { value - 9 } else { value }
        })
        .sum();
    v.text.len() == 12 && sum.is_multiple_of(10)
}

/// Portuguese NISS: weights of the primes from 29 down, modulo 10.
pub fn niss(v: &Value) -> bool {
    9 - weighted(v.text, &[29, 23, 19, 17, 13, 11, 7, 5, 3, 2]) % 10 == v.digit(10) && !v.uniform()
}

/// Maltese VAT: modulo 37.
pub fn vat_mt(v: &Value) -> bool {
    weighted(v.skip(2).text, &[3, 4, 6, 7, 8, 9, 10, 1]).is_multiple_of(37) && v.digit(2) != 0
}

/// Cypriot TIC: odd places through a table, modulo 26.
pub fn tic(v: &Value) -> bool {
    const TABLE: [u32; 10] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
    let plain = if v.text.len() == 11 { v.skip(2) } else { *v };
    let sum: u32 = (0..8)
        .map(|i| {
            if i % 2 == 0 { TABLE.get(plain.digit(i) as usize).copied().unwrap_or(0) } else { plain.digit(i) }
        })
        .sum();
    plain.text.get(8).is_some_and(|&b| u32::from(b) == u32::from(b'A') + sum % 26) && plain.number(0..2) != 12
}

/// Greek AFM: powers of two modulo 11.
pub fn afm(v: &Value) -> bool {
    let digits = if v.text.first().is_some_and(u8::is_ascii_alphabetic) { v.skip(2) } else { *v };
    let check = weighted(digits.text, &[256, 128, 64, 32, 16, 8, 4, 2]) % 11 % 10;
    check == digits.digit(8) && !digits.uniform()
}

/// Greek AMKA: a date and Luhn.
pub fn amka(v: &Value) -> bool {
    day_month_year(v, 0) && luhn_sum(v.text) == 0
}
