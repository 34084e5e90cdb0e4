//! The algorithms that many numbers share.

/// A matched value: its letters and digits, upper case, without separators.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// Letters and digits.
    pub text: &'a [u8],
    /// As it stands in the text.
    pub raw: &'a str,
}

impl Value<'_> {
    /// Digit at `i`; letters and missing places give a value that no digit has.
    pub fn digit(&self, i: usize) -> u32 {
        digit(self.text.get(i).copied().unwrap_or(0))
    }

    /// The number written by the digits of `range`, letters skipped.
    pub fn number(&self, range: core::ops::Range<usize>) -> u64 {
        number(self.text.get(range).unwrap_or(&[]))
    }

    /// The value without its first `n` characters (a country prefix).
    pub fn skip(&self, n: usize) -> Value<'_> {
        Value { text: self.text.get(n..).unwrap_or(&[]), raw: self.raw }
    }

    /// Are all characters the same?
    pub fn uniform(&self) -> bool {
        self.text.windows(2).all(|w| w[0] == w[1])
    }
}

/// Value of an ASCII digit, or 255.
pub fn digit(b: u8) -> u32 {
    if b.is_ascii_digit() { u32::from(b - b'0') } else { 255 }
}

/// 0 to 9 for digits, 10 to 35 for letters.
pub fn base36(b: u8) -> u32 {
    match b {
        b'0'..=b'9' => u32::from(b - b'0'),
        b'A'..=b'Z' => u32::from(b - b'A') + 10,
        _ => 0,
    }
}

/// The number written by the digits, others skipped.
pub fn number(text: &[u8]) -> u64 {
    text.iter()
        .filter(|b| b.is_ascii_digit())
        .fold(0u64, |n, &b| n.wrapping_mul(10).wrapping_add(u64::from(b - b'0')))
}

/// Sum of digits times weights, from the left.
pub fn weighted(text: &[u8], weights: &[u32]) -> u32 {
    text.iter().zip(weights).map(|(&b, w)| digit(b) * w).sum()
}

/// Luhn (ISO/IEC 7812-1 annex B): every second digit from the right doubled, digit sums, modulo 10.
pub fn luhn(v: &Value) -> bool {
    luhn_sum(v.text) == 0 && !v.uniform()
}

/// The Luhn sum modulo 10, the last digit single.
pub fn luhn_sum(text: &[u8]) -> u32 {
    let double = |d: u32| if d > 4 { 2 * d - 9 } else { 2 * d };
    let sum: u32 = text
        .iter()
        .rev()
        .enumerate()
        .map(|(i, &b)| if i % 2 == 0 { digit(b) } else { double(digit(b)) })
        .sum();
    sum % 10
}

/// ISO/IEC 7064 MOD 11,10.
pub fn mod_11_10(v: &Value) -> bool {
    let Some((last, head)) = v.text.split_last() else { return false };
    let product = head.iter().fold(10u32, |p, &b| {
        let sum = (p + digit(b)) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (product + digit(*last)) % 10 == 1 && !v.uniform()
}

/// Verhoeff's dihedral check (J. Verhoeff, "Error Detecting Decimal Codes", 1969): is the last digit right?
pub fn verhoeff(text: &[u8]) -> bool {
    const PERMUTED: [[u32; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    // The dihedral group of the pentagon: rotations 0 to 4, reflections 5 to 9.
    let product = |a: u32, b: u32| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => 5 + (a + b - 5) % 5,
        (false, true) => 5 + (a - 5 + 5 - b) % 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let result = text.iter().rev().enumerate().try_fold(0u32, |c, (i, &b)| {
        let d = usize::try_from(digit(b)).ok().filter(|d| *d < 10)?;
        Some(product(c, PERMUTED[i % 8][d]))
    });
    result == Some(0)
}

/// Is this a day of the calendar? Years 1800 to 2099.
pub fn is_date(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1800..2100).contains(&year) && (1..=days).contains(&day)
}

/// Is `yy-mm-dd` a day in some century? 29 February is believed of any year divisible by four.
pub fn is_short_date(year: u32, month: u32, day: u32) -> bool {
    is_date(2000 + year % 100, month, day)
}

/// Two digits at `i`.
pub fn two(v: &Value, i: usize) -> u32 {
    v.digit(i) * 10 + v.digit(i + 1)
}

/// `ddmmyy` at `i`.
pub fn day_month_year(v: &Value, i: usize) -> bool {
    is_short_date(two(v, i + 4), two(v, i + 2), two(v, i))
}

/// `yymmdd` at `i`.
pub fn year_month_day(v: &Value, i: usize) -> bool {
    is_short_date(two(v, i), two(v, i + 2), two(v, i + 4))
}

#[cfg(test)]
mod tests {
    use super::Value;
    use crate::checks;

    /// Every weighted sum of zeros is zero: forms filled with one digit are no numbers.
    #[test]
    fn one_digit_over_and_over_is_no_number() {
        let all: [(fn(&Value) -> bool, usize); 12] = [
            (checks::afm, 9),
            (checks::bsn, 9),
            (checks::nif_pt, 9),
            (checks::nhs, 10),
            (checks::nip, 10),
            (checks::regon, 9),
            (checks::cpf, 11),
            (checks::cnpj, 14),
            (checks::taj, 9),
            (checks::tckn, 11),
            (checks::aba, 9),
            (checks::luhn, 16),
        ];
        for (i, (check, n)) in all.into_iter().enumerate() {
            for d in 0..10 {
                let raw = d.to_string().repeat(n);
                assert!(!check(&Value { text: raw.as_bytes(), raw: &raw }), "check {i}: {raw}");
            }
        }
    }
}
