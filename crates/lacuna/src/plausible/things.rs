//! What is written for machines, and no person's: by its form alone.

use std::ops::Range;

use crate::near;

fn is_hex(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `8-4-4-4-12` hexadecimal digits.
pub(super) fn is_uuid(chunk: &str) -> bool {
    let parts: Vec<&str> = chunk.split('-').collect();
    parts.len() == 5
        && parts.iter().zip([8, 4, 4, 4, 12]).all(|(part, length)| part.len() == length && is_hex(part))
}

/// Hexadecimal of ten and more digits with letters all over, `0x…`, and mixed runs of 24 and more.
pub(super) fn is_hash(chunk: &str) -> bool {
    let bare = chunk.rsplit([':', '/']).next().unwrap_or(chunk);
    let part = bare.strip_prefix("0x").or(bare.strip_prefix("0X"));
    if let Some(part) = part {
        return part.len() >= 4 && is_hex(part);
    }
    let changes = bare
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    if bare.len() >= 10 && is_hex(bare) {
        return changes >= 4 || bare.len() >= 32;
    }
    let known =
        ["sha1-", "sha256-", "sha384-", "sha512-", "md5-"].iter().any(|prefix| bare.starts_with(prefix));
    let mixed = bare.len() >= 24
        && bare.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_'))
        && bare.bytes().any(|b| b.is_ascii_lowercase())
        && bare.bytes().any(|b| b.is_ascii_uppercase());
    known || (mixed && changes >= 4)
}

/// `v3`, `v3.14`, `4.19.7`, `7.0.15-rc1`, `name==7.0.15`.
pub(super) fn is_version(chunk: &str) -> bool {
    let bare = chunk.rsplit([':', '/', '@']).next().unwrap_or(chunk);
    let (marked, rest) = match bare.strip_prefix(['v', 'V']) {
        Some(rest) => (true, rest),
        None => (false, bare),
    };
    let core = rest.split(['-', '+']).next().unwrap_or(rest);
    let parts: Vec<&str> = core.split('.').collect();
    let numbers = parts
        .iter()
        .all(|part| !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()));
    // Three short groups may be a date or a number with points: those have longer groups.
    numbers && (marked || (parts.len() == 3 && parts.iter().all(|part| part.len() <= 2) && core == rest))
}

/// A date with its year, a time of day, or both.
pub(super) fn is_moment(chunk: &str) -> bool {
    let all = chunk.trim_end_matches('Z');
    let (date, time) = match all.split_once(['T', '_']) {
        Some((date, time)) => (date, Some(time)),
        None => (all, None),
    };
    let is_time = |time: &str| {
        let time = time.split(['+', '.']).next().unwrap_or(time);
        let parts: Vec<&str> = time.split(':').collect();
        (2..=3).contains(&parts.len())
            && parts.iter().all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit()))
            && parts[0] < "25"
            && parts[1] < "60"
    };
    let is_date = |date: &str| {
        let parts: Vec<u32> = date.split(['-', '.', '/']).map_while(|part| part.parse().ok()).collect();
        let lengths: Vec<usize> = date.split(['-', '.', '/']).map(str::len).collect();
        let day = |d: u32, m: u32| (1..=31).contains(&d) && (1..=12).contains(&m);
        let year = |y: u32| (1800..2200).contains(&y);
        parts.len() == 3
            && match lengths[..] {
                [4, _, _] => year(parts[0]) && day(parts[2], parts[1]),
                [_, _, 4] => year(parts[2]) && (day(parts[0], parts[1]) || day(parts[1], parts[0])),
                _ => false,
            }
    };
    match time {
        Some(time) => is_date(date) && (is_time(time) || time.is_empty()),
        None => is_date(date) || is_time(date),
    }
}

/// `ORD-7123900`, `INV-2024-001`, `JIRA-42`: capitals of a register, a hyphen, a number.
pub(super) fn is_numbered(chunk: &str) -> bool {
    const REGISTERS: &[&str] = &[
        "art", "bug", "case", "cve", "inc", "inv", "iso", "jira", "job", "kb", "lot", "nr", "ord", "order",
        "po", "pr", "prod", "ref", "req", "rfc", "rma", "rq", "sku", "so", "task", "tck", "ticket", "tkt",
        "trk", "txn",
    ];
    let Some((register, number)) = chunk.split_once(['-', '_', '#']) else { return false };
    REGISTERS.iter().any(|known| known.eq_ignore_ascii_case(register))
        && number.bytes().any(|b| b.is_ascii_digit())
}

/// `billing-web-58c7d9f64b-q7rtz`, `llama-3.2-1b`: small letters, two hyphens or more, a digit.
pub(super) fn is_slug(chunk: &str) -> bool {
    let parts: Vec<&str> = chunk.split(['-', '_']).collect();
    parts.len() >= 3
        && !chunk.chars().any(char::is_uppercase)
        && chunk.bytes().any(|b| b.is_ascii_digit())
        && parts.iter().any(|part| part.len() >= 2 && part.bytes().all(|b| b.is_ascii_lowercase()))
}

/// `7263.16`, `1.468,82`: two decimals, and at most one kind of grouping before them.
pub(super) fn is_amount(text: &str, at: &Range<usize>) -> bool {
    let chunk = &text[at.clone()];
    // A decimal comma ends a chunk: look on.
    let (whole, cents) = match chunk.rsplit_once('.') {
        Some(parts) => parts,
        None => {
            let rest = near::tail(text, at.end);
            let Some(rest) = rest.strip_prefix(',') else { return false };
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            (chunk, &rest[..length])
        }
    };
    cents.len() <= 2
        && !cents.is_empty()
        && cents.bytes().all(|b| b.is_ascii_digit())
        && !whole.is_empty()
        && whole.len() <= 9
        && whole.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && whole.split('.').skip(1).all(|group| group.len() == 3)
}

/// `pT2N0M0`: the stage of a tumour.
pub(super) fn is_stage(value: &str) -> bool {
    let bare = value.trim_start_matches(['p', 'c', 'y']);
    let mut letters = bare.chars().filter(|c| c.is_ascii_uppercase());
    bare.starts_with('T') && bare.len() <= 8 && letters.next() == Some('T') && letters.next() == Some('N')
}

/// A scheme, `www.`, or a name with a dot and letters behind it.
pub(super) fn is_domain_like(value: &str) -> bool {
    value.contains("://")
        || value.split(['/', ':']).next().is_some_and(|host| {
            host.rsplit_once('.').is_some_and(|(name, top)| {
                !name.is_empty() && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic)
            })
        })
}

/// `10.1038/s41586-020-2649-2`: a registrant, a slash, a suffix.
pub(super) fn is_doi(chunk: &str) -> bool {
    chunk.split(':').any(|part| {
        part.strip_prefix("10.").and_then(|rest| rest.split_once('/')).is_some_and(|(registrant, suffix)| {
            (4..=9).contains(&registrant.len())
                && registrant.bytes().all(|b| b.is_ascii_digit())
                && !suffix.is_empty()
        })
    })
}

/// `1042.337190`: digits with one point among them.
pub(super) fn is_decimal(value: &str) -> bool {
    value.split_once('.').is_some_and(|(whole, part)| {
        [whole, part].iter().all(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// `3-1`, `24:22`: goals, sets or points of two sides.
pub(super) fn is_score(chunk: &str) -> bool {
    chunk.split_once(['-', '–', ':']).is_some_and(|(ours, theirs)| {
        [ours, theirs]
            .iter()
            .all(|side| matches!(side.len(), 1..=2) && side.bytes().all(|b| b.is_ascii_digit()))
    })
}
