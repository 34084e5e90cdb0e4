//! Hardware addresses: `00:1b:44:11:3a:b7`, `00-1B-44-11-3A-B7`, `001b.4411.3ab7`.

use crate::text::{byte, byte_before, word_at, word_before};

/// The hardware address that starts at `start`.
pub fn at(text: &str, start: usize) -> Option<(usize, usize)> {
    let hex = |from: usize, n: usize| (from..from + n).all(|i| byte(text, i).is_ascii_hexdigit());
    if word_before(text, start) || !hex(start, 2) {
        return None;
    }
    let (size, separator) = match byte(text, start + 2) {
        s @ (b':' | b'-') => (2, s),
        _ if hex(start + 2, 2) && byte(text, start + 4) == b'.' => (4, b'.'),
        _ => return None,
    };
    let mut end = start;
    for group in 0..12 / size {
        if group > 0 {
            if byte(text, end) != separator {
                return None;
            }
            end += 1;
        }
        if !hex(end, size) {
            return None;
        }
        end += size;
    }
    // More groups make a fingerprint, not an address.
    let longer = |b: u8, next: u8| b == separator && next.is_ascii_hexdigit();
    let after = longer(byte(text, end), byte(text, end + 1));
    let before = start >= 2 && longer(byte_before(text, start), byte(text, start - 2));
    let same = text.as_bytes()[start..end].iter().all(|b| matches!(b, b'0' | b':' | b'-' | b'.'));
    (!word_at(text, end) && !after && !before && !same).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use crate::tests::{none, only};

    #[test]
    fn three_notations() {
        only("NIC 00:1b:44:11:3a:b7,", "IP_ADDRESS", "00:1b:44:11:3a:b7");
        only("NIC 00-1B-44-11-3A-B7 and", "IP_ADDRESS", "00-1B-44-11-3A-B7");
        only("NIC 001b.4411.3ab7.", "IP_ADDRESS", "001b.4411.3ab7");
    }

    #[test]
    fn not_hardware_addresses() {
        none("Not a MAC: 00:1A:2B:3C:4D");
        none("ZZ:ZZ:ZZ:ZZ:ZZ:ZZ");
        none("10:2F:33-AC-29-C3");
        none("fingerprint 3a:5b:77:01:aa:be:ef:12:3a:5b:77:01:aa:be:ef:12");
    }
}
