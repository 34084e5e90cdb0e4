//! Bank account numbers as countries wrote them before the IBAN, and still do.

use super::primitives::{Value, number, weighted};

/// Spanish CCC: one digit over bank and branch, one over the account, modulus 11.
pub fn ccc(v: &Value) -> bool {
    let (Some(bank), Some(account)) = (v.text.get(..8), v.text.get(10..)) else { return false };
    let check = |sum: u32| match 11 - sum % 11 {
        11 => 0,
        10 => 1,
        d => d,
    };
    let first = check(weighted(bank, &[4, 8, 5, 10, 9, 7, 3, 6]));
    let second = check(weighted(account, &[1, 2, 4, 8, 5, 10, 9, 7, 3, 6]));
    v.text.len() == 20 && [first, second] == [v.digit(8), v.digit(9)] && number(account) != 0
}

/// French RIB: 89 times the bank, 15 times the branch, 3 times the account and the key, modulo 97; A to I, J to R and
/// S to Z count as 1 to 9, 1 to 9 and 2 to 9.
pub fn rib(v: &Value) -> bool {
    let value = |b: &u8| match b {
        b'0'..=b'9' => u64::from(b - b'0'),
        b'A'..=b'R' => u64::from(b - b'A') % 9 + 1,
        _ => u64::from(b.saturating_sub(b'S')) + 2,
    };
    let part = |from: usize, to: usize| {
        v.text.get(from..to).unwrap_or(&[]).iter().fold(0u64, |n, b| n * 10 + value(b))
    };
    let sum = 89 * part(0, 5) + 15 * part(5, 10) + 3 * part(10, 21) + part(21, 23);
    v.text.len() == 23 && sum.is_multiple_of(97) && part(0, 5) != 0
}

/// Polish NRB: an IBAN without its PL.
pub fn nrb(v: &Value) -> bool {
    mod97_behind(b"PL", v.text) && v.text.len() == 26
}

/// Portuguese NIB: an IBAN without its PT50.
pub fn nib(v: &Value) -> bool {
    mod97_behind(b"PT50", v.text) && v.text.len() == 21 && !v.uniform()
}

fn mod97_behind(prefix: &[u8], text: &[u8]) -> bool {
    let mut iban = [0u8; 34];
    let n = prefix.len() + text.len();
    if n > iban.len() {
        return false;
    }
    iban[..prefix.len()].copy_from_slice(prefix);
    iban[prefix.len()..n].copy_from_slice(text);
    crate::iban::mod97(&iban[..n]) == 1
}
