//! Payment cards: issuer ranges (ISO/IEC 7812) and the Luhn check.

/// Does the Luhn sum (ISO/IEC 7812-1 annex B) of these digits end in zero?
pub fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, &d)| {
            let d = u32::from(d);
            if i % 2 == 0 { d } else { d * 2 - 9 * u32::from(d > 4) }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// How far an issuer range and a length speak for a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issuer {
    /// A range in wide use with one of its usual lengths: believed anywhere.
    Sure,
    /// A wide range or a rare length: believed in groups of four, or with a context word.
    Possible,
}

/// The issuer's opinion of a number of 12 to 19 digits, or none if nobody issues such numbers.
pub fn issuer(digits: &[u8]) -> Option<Issuer> {
    use Issuer::{Possible, Sure};
    let n = digits.len();
    if !(12..=19).contains(&n) || digits.windows(2).all(|w| w[0] == w[1]) {
        return None;
    }
    let prefix = |k: usize| digits[..k].iter().fold(0u32, |a, &d| a * 10 + u32::from(d));
    let (p2, p3, p4) = (prefix(2), prefix(3), prefix(4));
    Some(match (p2, n) {
        (40..=49, 16) => Sure,
        (40..=49, 13 | 18 | 19) => {
            if n == 19 {
                Sure
            } else {
                Possible
            }
        }
        (51..=55, 16) => Sure,
        (22..=27, 16) if (2221..=2720).contains(&p4) => Sure,
        (22, 16..=19) if (2200..=2205).contains(&p4) => Sure,
        (34 | 37, 15) => Sure,
        (36 | 38 | 39, 14..=19) => {
            if n == 14 || n == 16 {
                Sure
            } else {
                Possible
            }
        }
        (30, 14..=19) if (300..=305).contains(&p3) || p3 == 309 => {
            if n == 14 || n == 16 {
                Sure
            } else {
                Possible
            }
        }
        (35, 16..=19) if (3528..=3589).contains(&p4) => Sure,
        (18 | 21, 15) if p4 == 1800 || p4 == 2131 => Sure,
        (60 | 64 | 65, 16..=19) => Sure,
        (62 | 81 | 82, 16..=19) => Sure,
        (97, 16) if p4 == 9792 => Sure,
        (50 | 56..=69, 16 | 18 | 19) => Sure,
        (50 | 56..=69, 12..=19) => Possible,
        (10..=19, 15) => Possible,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{labels, none, only};

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().map(|b| b - b'0').collect()
    }

    #[test]
    fn luhn_sums() {
        assert!(luhn(&digits("4111111111111111")));
        assert!(luhn(&digits("79927398713")));
        assert!(!luhn(&digits("79927398710")));
    }

    #[test]
    fn issuers() {
        assert_eq!(issuer(&digits("1790000000005")), None);
        assert_eq!(issuer(&digits("2720990000000007")), Some(Issuer::Sure));
        assert_eq!(issuer(&digits("2721000000000004")), None);
        assert_eq!(issuer(&digits("0000000000000000")), None);
    }

    #[test]
    fn cards() {
        only("Paid with 4120-3846-5771-9204 today", "CREDIT_CARD", "4120-3846-5771-9204");
        only("and 4120384657719204- void", "CREDIT_CARD", "4120384657719204");
        only("on file: 6221884503192760411.", "CREDIT_CARD", "6221884503192760411");
        only("amex 3754 165267 29913", "CREDIT_CARD", "3754 165267 29913");
        only("my credit card: 122000000000003", "CREDIT_CARD", "122000000000003");
        only("Please block card no 4735110554588", "CREDIT_CARD", "4735110554588");
        assert_eq!(labels("4120 3846 5771 9204 declined from 198.51.100.23").len(), 2);
    }

    #[test]
    fn not_cards() {
        none("my credit card number is 4012-8888-8888-1882");
        none("36168002586008");
        none("{\"at_millis\":1790000000005,\"ok\":true}");
        none("mask = [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0] in every frame");
        none("order 4111111111111112 shipped");
    }
}
