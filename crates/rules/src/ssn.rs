//! United States Social Security numbers: the areas, groups and serials that are never issued are refused.

/// Is this nine-digit number one that the Social Security Administration can have issued?
///
/// **Source**: SSA, "Social Security Number Randomization": area 000, 666 and 900–999, group 00 and serial 0000
/// are not assigned; 078-05-1120 and 219-09-9999 were printed in advertisements.
pub fn valid(digits: &[u8]) -> bool {
    let [a, b, c, d, e, f, g, h, i] = digits else { return false };
    let area = [*a, *b, *c];
    let advertised = [[0, 7, 8, 0, 5, 1, 1, 2, 0], [2, 1, 9, 0, 9, 9, 9, 9, 9]];
    area != [0; 3]
        && area != [6; 3]
        && *a != 9
        && [*d, *e] != [0; 2]
        && [*f, *g, *h, *i] != [0; 4]
        && digits.windows(2).any(|w| w[0] != w[1])
        && digits != [1, 2, 3, 4, 5, 6, 7, 8, 9]
        && !advertised.iter().any(|x| x == digits)
}

#[cfg(test)]
mod tests {
    use crate::tests::{none, only};

    #[test]
    fn numbers() {
        only(
            "Valid shape 531-62-8807; fake: 912-40-7781, 666-40-7781, 000-40-7781, 531-00-8807.",
            "SSN",
            "531-62-8807",
        );
        only("abc 078 05 1123 abc", "SSN", "078 05 1123");
        only("078.05.1123", "SSN", "078.05.1123");
        only("078051121", "SSN", "078051121");
        only("SSN 078051121", "SSN", "078051121");
    }

    #[test]
    fn not_numbers() {
        assert!(crate::tests::labels("078051120").iter().all(|l| l.0 != "SSN"));
        none("000000000");
        none("078-05-0000");
        none("078 00 1123");
        none("531-62 8807");
        none("X-531-62-8807");
    }
}
