//! United Kingdom, Ireland, Netherlands, Belgium, Luxembourg, France.

use super::primitives::{Value, base36, digit, is_date, is_short_date, luhn_sum, two, verhoeff, weighted};

/// NHS number: modulus 11 with weights 10 to 2 (NHS Data Dictionary).
pub fn nhs(v: &Value) -> bool {
    let check = (11 - weighted(v.text, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
    v.text.len() == 10 && check == v.digit(9) && !v.uniform()
}

/// Scottish CHI: a date of birth and the NHS check.
pub fn chi(v: &Value) -> bool {
    super::primitives::day_month_year(v, 0) && nhs(v)
}

/// National Insurance number: prefixes that HMRC gives (NIM39110).
pub fn nino(v: &Value) -> bool {
    let [a, b, ..] = v.text else { return false };
    let refused = ["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"];
    !b"DFIQUV".contains(a)
        && !b"DFIQUVO".contains(b)
        && matches!(v.text.last(), Some(b'A'..=b'D'))
        && !refused.iter().any(|r| v.text.starts_with(r.as_bytes()))
}

/// Unique taxpayer reference: modulus 11, the check digit in front (HMRC).
pub fn utr(v: &Value) -> bool {
    let sum = weighted(v.text.get(1..).unwrap_or(&[]), &[6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11;
    v.text.first() == b"21987654321".get(sum as usize)
}

/// Driver number: five letters of the surname filled up with 9, decade, month (50 more for women), day, year, initials.
pub fn uk_driving(v: &Value) -> bool {
    let name = v.text.get(..5).unwrap_or(&[]);
    let letters = name.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let month = two(v, 6) % 50;
    letters >= 1
        && name[letters..].iter().all(|b| *b == b'9')
        && two(v, 6) <= 62
        && is_short_date(4, month, two(v, 8))
}

/// UK postcode: a postcode area that exists, the letters each place allows (BS 7666, Royal Mail PAF).
pub fn postcode(v: &Value) -> bool {
    const AREAS: &str = "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE";
    let n = v.text.len();
    let (Some(outward), Some(inward)) = (v.text.get(..n.wrapping_sub(3)), v.text.get(n.wrapping_sub(3)..))
    else {
        return false;
    };
    let letters = outward.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let area = core::str::from_utf8(&outward[..letters]).unwrap_or("");
    let last_letter = outward.last().filter(|b| b.is_ascii_alphabetic());
    let district = match last_letter {
        None => true,
        Some(b) if letters == 1 => b"ABCDEFGHJKPSTUW".contains(b),
        Some(b) => b"ABEHMNPRVWXY".contains(b),
    };
    // The Girobank's, which has no area.
    v.text == b"GIR0AA"
        || (letters == 1 || letters == 2)
            && AREAS.split(' ').any(|a| a == area)
            && district
            && inward[0].is_ascii_digit()
            && inward[1..].iter().all(|b| b.is_ascii_alphabetic() && !b"CIKMOV".contains(b))
}

/// Irish PPS number: modulus 23 with weights 8 to 2, a second letter counts nine-fold (Revenue).
pub fn ppsn(v: &Value) -> bool {
    let second = match v.text.get(8) {
        None | Some(b'W') => 0,
        Some(b @ b'A'..=b'I') => u32::from(b - b'A') + 1,
        Some(_) => return false,
    };
    let sum = weighted(v.text, &[8, 7, 6, 5, 4, 3, 2]) + second * 9;
    v.text.get(7) == b"WABCDEFGHIJKLMNOPQRSTUV".get((sum % 23) as usize)
}

/// Dutch BSN: the eleven test, the last digit counted negative; eight digits stand for a leading zero.
pub fn bsn(v: &Value) -> bool {
    let weights: &[u32] = if v.text.len() == 8 { &[8, 7, 6, 5, 4, 3, 2] } else { &[9, 8, 7, 6, 5, 4, 3, 2] };
    let Some(&last) = v.text.last() else { return false };
    (weighted(v.text, weights) + 11 - digit(last)).is_multiple_of(11) && !v.uniform()
}

/// Belgian national number: 97 minus the first nine digits modulo 97, with 2 in front for births from 2000.
pub fn nn_be(v: &Value) -> bool {
    let month = two(v, 2) % 20;
    let date = month <= 12 && two(v, 2) <= 52 && two(v, 4) <= 31;
    let head = v.number(0..9);
    let check = |n: u64| 97 - n % 97 == v.number(9..11);
    date && (check(head) || check(2_000_000_000 + head)) && !head.is_multiple_of(1_000_000_000)
}

/// Number of a Belgian identity card: the first ten digits modulo 97, 97 for none.
pub fn be_eid(v: &Value) -> bool {
    let rest = v.number(0..10) % 97;
    (if rest == 0 { 97 } else { rest }) == v.number(10..12) && v.number(0..10) != 0
}

/// Luxembourg matricule: a date of birth, then Luhn and Verhoeff digits over the first eleven.
pub fn matricule(v: &Value) -> bool {
    let [head @ .., luhn, verhoeff_digit] = v.text else { return false };
    if head.len() != 11 {
        return false;
    }
    let mut number = [0; 12];
    number[..11].copy_from_slice(head);
    number[11] = *luhn;
    let first = luhn_sum(&number) == 0;
    number[11] = *verhoeff_digit;
    first && verhoeff(&number) && is_date(v.number(0..4) as u32, two(v, 4), two(v, 6))
}

/// French NIR: 97 minus the first thirteen modulo 97; Corsica's 2A and 2B count as 19 and 18.
pub fn nir(v: &Value) -> bool {
    let month = two(v, 3);
    let mut digits = [0u8; 15];
    if v.text.len() != 15 {
        return false;
    }
    digits.copy_from_slice(v.text);
    match digits[6] {
        b'A' => digits[5..7].copy_from_slice(b"19"),
        b'B' => digits[5..7].copy_from_slice(b"18"),
        _ => {}
    }
    let born = matches!(month, 1..=12 | 20..=42 | 50..=99);
    let head = super::primitives::number(&digits[..13]);
    born && 97 - head % 97 == v.number(13..15)
}

/// French tax number (SPI): the first ten digits modulo 511.
pub fn spi(v: &Value) -> bool {
    v.number(0..10) % 511 == v.number(10..13) && v.number(0..10) != 0
}

/// French SIRET: a SIREN and five more digits, both with Luhn.
pub fn siret(v: &Value) -> bool {
    luhn_sum(v.text) == 0 && v.text.get(..9).is_some_and(|s| luhn_sum(s) == 0) && v.number(0..9) != 0
}

/// French TVA: key from the SIREN; letters in the key need a SIREN that passes Luhn.
pub fn vat_fr(v: &Value) -> bool {
    let siren = v.number(4..13);
    let luhn = v.text.get(4..13).is_some_and(|s| luhn_sum(s) == 0);
    let key = v.text.get(2..4).unwrap_or(&[]);
    if key.iter().all(u8::is_ascii_digit) {
        luhn && v.number(2..4) == (12 + 3 * (siren % 97)) % 97
    } else {
        luhn
    }
}

/// Dutch btw-id: the eleven test of the BSN, or (since 2020) the whole modulo 97.
pub fn vat_nl(v: &Value) -> bool {
    let Some(number) = v.text.get(2..11) else { return false };
    let whole = v.text.iter().fold(0u32, |sum, &b| {
        let value = base36(b);
        (sum * if value < 10 { 10 } else { 100 } + value) % 97
    });
    bsn(&Value { text: number, raw: v.raw }) || whole == 1
}

/// UK VAT: weights 8 to 2 and the last two digits, modulo 97; 42 or 55 remain for numbers given since 2009.
pub fn vat_gb(v: &Value) -> bool {
    let digits = v.skip(2);
    let sum = weighted(digits.text, &[8, 7, 6, 5, 4, 3, 2, 10, 1]);
    matches!(sum % 97, 0 | 42 | 55)
}
