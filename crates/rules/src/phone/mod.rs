//! Telephone numbers: international after `+` or `00`, national by the grouping people write.

pub mod plan;

use crate::candidate::Candidate;
use crate::context::Context;
use crate::tables::group;
use crate::text::{byte, byte_before, is_whole, joined_left, joined_right};
use crate::work;

/// Digits of an international number are at most 15 (E.164); two prefixes and a bracketed zero come on top.
const DIGITS: usize = 18;
const GROUPS: usize = 9;

/// Words right in front of a number that is no telephone number, however it is grouped.
const IDENTIFIERS: u128 = group::TAX
    | group::VAT
    | group::NAMED
    | group::NATIONAL
    | group::HEALTH
    | group::ACCOUNT
    | group::ROUTING
    | group::SORT
    | group::PASSPORT
    | group::LICENCE
    | group::SSN
    | group::CARD;

/// Behind the shapes among equals: a check digit says more than a length.
const ORDER: usize = 1000;

/// Digits in groups, as they stand in the text.
struct Run {
    digits: [u8; DIGITS],
    groups: [Group; GROUPS],
    count: usize,
}

#[derive(Clone, Copy, Default)]
struct Group {
    /// Digits up to and with this group.
    total: usize,
    size: usize,
    end: usize,
    /// The separator in front; brackets are `(`.
    separator: u8,
}

/// The number that starts at `start`: `+`, `(` or a digit.
pub fn at(text: &str, context: &Context, start: usize) -> Option<Candidate> {
    let plus = byte(text, start) == b'+';
    if joined_left(text, start) && (!plus || byte_before(text, start).is_ascii_alphanumeric()) {
        return None;
    }
    // Digits a space before: a piece of a longer number, unless a word says otherwise.
    let continues = !plus
        && byte_before(text, start) == b' '
        && start >= 2
        && text.as_bytes()[start - 2].is_ascii_digit();
    if continues && !context.speaks_of(group::PHONE) {
        return None;
    }
    let run = Run::at(text, start, plus)?;
    // Too short for any number, however it is cut.
    if run.groups[run.count - 1].total < 7 {
        return None;
    }
    let spoken = context.near(start, run.groups[0].end, group::PHONE);
    if continues && spoken.is_none() {
        return None;
    }
    let thing = continues || context.before(start, group::THING, 16).is_some();
    let other = spoken.is_none()
        && !plus
        && context.before(start, IDENTIFIERS, 40).is_some_and(|h| context.is_beside(h, start));
    if other {
        return None;
    }
    for n in (1..=run.count).rev() {
        let end = run.groups[n - 1].end;
        if joined_right(text, end) || unbalanced(text, start, end) {
            continue;
        }
        let number = Number { run: &run, groups: n, opened: byte(text, start) == b'(' };
        let whole = is_whole(text, start, end);
        let confidence = if plus {
            number.international(0)
        } else {
            number
                .prefixed()
                .filter(|_| !continues || spoken.is_some())
                .or_else(|| number.national().filter(|_| !thing || spoken.is_some()))
                .or_else(|| {
                    let bare = spoken.is_some() && number.is_plausible();
                    if bare { Some(0.8) } else { (whole && number.is_whole()).then_some(0.52) }
                })
        };
        if let Some(confidence) = confidence {
            let end = extension(text, end);
            let confidence = if spoken.is_some() { confidence.max(0.88) } else { confidence };
            let new = Candidate::new((start, end), "PHONE", "phone", confidence);
            return Some(Candidate { spoken, order: ORDER, ..new });
        }
    }
    None
}

/// `x123`, `ext. 123` behind a number belongs to it.
fn extension(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    let trimmed = rest.trim_start_matches(' ');
    if rest.len() - trimmed.len() > 1 {
        return end;
    }
    for word in ["extension ", "ext. ", "ext.", "ext ", "ext", "x", "#"] {
        if trimmed.get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word)) {
            let digits = trimmed[word.len()..].bytes().take(7).take_while(u8::is_ascii_digit).count();
            let new = end + (rest.len() - trimmed.len()) + word.len() + digits;
            return if (1..=6).contains(&digits) && !joined_right(text, new) { new } else { end };
        }
    }
    end
}

fn unbalanced(text: &str, start: usize, end: usize) -> bool {
    let value = &text.as_bytes()[start..end];
    value.iter().filter(|b| **b == b'(').count() != value.iter().filter(|b| **b == b')').count()
}

impl Run {
    fn at(text: &str, start: usize, plus: bool) -> Option<Run> {
        let mut run = Run { digits: [0; DIGITS], groups: [Group::default(); GROUPS], count: 0 };
        let mut at = start + usize::from(plus);
        let mut separator = 0;
        if matches!(byte(text, at), b'(') {
            separator = b'(';
            at += 1;
        }
        let mut total = 0;
        loop {
            let from = total;
            while total < DIGITS && byte(text, at).is_ascii_digit() {
                run.digits[total] = byte(text, at) - b'0';
                total += 1;
                at += 1;
            }
            if total == from || byte(text, at).is_ascii_digit() || run.count == GROUPS {
                break;
            }
            run.groups[run.count] = Group { total, size: total - from, end: at, separator };
            run.count += 1;
            let Some((next, kind)) = separator_at(text, at) else { break };
            at = next;
            separator = kind;
        }
        work::add(at - start);
        (run.count > 0).then_some(run)
    }
}

/// The separator at `at`: where it ends, and its kind (`(` if a bracket is part of it).
fn separator_at(text: &str, at: usize) -> Option<(usize, u8)> {
    let bytes = text.as_bytes();
    let mut end = at;
    let (mut kind, mut bracket) = (0, false);
    while end - at < 3 {
        match bytes.get(end) {
            Some(&b @ (b' ' | b'-' | b'.' | b'/')) if kind == 0 || (b == b' ' || kind == b' ') => {
                if kind == 0 || kind == b' ' {
                    kind = b;
                }
            }
            Some(b'(' | b')') => bracket = true,
            _ => break,
        }
        end += 1;
    }
    // Two spaces divide columns.
    let double = bytes[at..end].windows(2).any(|w| w == b"  ");
    (end > at && !double && byte(text, end).is_ascii_digit())
        .then_some((end, if bracket { b'(' } else { kind }))
}

/// The first `groups` groups of a run.
struct Number<'a> {
    run: &'a Run,
    groups: usize,
    opened: bool,
}

impl Number<'_> {
    fn groups(&self) -> &[Group] {
        &self.run.groups[..self.groups]
    }

    fn digits(&self) -> &[u8] {
        &self.run.digits[..self.groups()[self.groups - 1].total]
    }

    fn sizes(&self) -> ([usize; GROUPS], usize) {
        let mut sizes = [0; GROUPS];
        for (size, group) in sizes.iter_mut().zip(self.groups()) {
            *size = group.size;
        }
        (sizes, self.groups)
    }

    fn one_separator(&self) -> bool {
        // A bracket around the area is none.
        let mut inner = self.groups()[1..].iter().map(|g| g.separator).filter(|s| *s != b'(');
        let first = inner.next();
        inner.all(|s| Some(s) == first)
    }

    /// A country code at digit `from` and a national number of a length the country has.
    fn international(&self, from: usize) -> Option<f32> {
        let digits = self.digits().get(from..)?;
        let (code, lengths) = plan::international(digits)?;
        let mut national = &digits[code..];
        // The trunk zero in brackets: +44 (0)20 7946 0018.
        let (least, most) = (*lengths.start(), *lengths.end());
        let trunk = national.first() == Some(&0)
            && ((digits[0] != 3 && national.len() > least)
                || (digits[..code] != [3, 9] && national.len() > most));
        if trunk {
            national = &national[1..];
        }
        let varied = national.iter().any(|d| *d != national[0]);
        // A digit more or less is a slip of the pen, if the number is grouped like one.
        let near = (least - 1..=most + 1).contains(&national.len()) && national.len() >= 7;
        let slip = self.groups > 2 && near && from == 0;
        if !varied {
            None
        } else if lengths.contains(&national.len()) {
            Some(0.92)
        } else {
            slip.then_some(0.8)
        }
    }

    /// `00` or the American `011` in front of an international number, or `1` and `001` of a North American one.
    fn prefixed(&self) -> Option<f32> {
        let digits = self.digits();
        let first = self.groups()[0];
        match digits {
            [0, 0, 1, rest @ ..] if is_north_american(rest, true) && self.groups > 1 => Some(0.85),
            [0, 0, rest @ ..] if self.groups > 1 && rest.first().is_some_and(|d| *d != 0) => {
                let (code, _) = plan::international(rest)?;
                let trunk = rest.get(code) == Some(&0) && rest[..code] != [3, 9];
                self.international(2).filter(|_| !trunk).map(|_| 0.85)
            }
            [0, 1, 1, ..] if first.size == 3 && self.groups > 2 => self.international(3).map(|_| 0.85),
            [1, rest @ ..] if first.size == 1 && self.groups > 1 && is_north_american(rest, true) => {
                Some(0.85)
            }
            _ => None,
        }
    }

    /// A national number by its typical grouping.
    fn national(&self) -> Option<f32> {
        let digits = self.digits();
        if self.groups == 1 {
            // Mobile numbers with their trunk zero: 09171234567, 05321234567, 07700900123, 0612345678.
            let mobile = matches!((digits, digits.len()), ([0, 5 | 7 | 9, ..], 11) | ([0, 6 | 7, ..], 10));
            return (mobile && digits[2..].iter().any(|d| *d != digits[2])).then_some(0.6);
        }
        if self.is_date() {
            return None;
        }
        let (sizes, n) = self.sizes();
        let separator = self.groups()[1].separator;
        if sizes[..n] == [3, 3, 4] && is_north_american(digits, self.opened) {
            return Some(if self.opened || separator != b' ' { 0.85 } else { 0.7 });
        }
        if digits[0] == 0 {
            return self.with_trunk();
        }
        match (digits, &sizes[..n]) {
            // Brazil: (11) 98456-5666. Mobile numbers of Turkey and Poland's landlines: 532 123 45 67, 22 123 45 67.
            ([1..=9, 1..=9, ..], [2, 4 | 5, 4]) if self.opened => Some(0.85),
            ([5, ..], [3, 3, 2, 2]) | ([1..=9, ..], [2, 3, 2, 2]) if self.one_separator() => Some(0.7),
            // Spain: 612 34 56 78, 91 123 45 67. India: 98765 43210.
            ([6 | 7 | 9, ..], [3, 2, 2, 2]) if self.one_separator() => Some(0.7),
            ([6..=9, ..], [5, 5]) if separator == b' ' || separator == b'-' => Some(0.65),
            // Portugal's landlines: 21 123 4567. Italy's mobile numbers: 347 123 4567.
            ([2, 1 | 2, ..], [2, 3, 4]) => Some(0.7),
            ([3, ..], [3, 3, 4]) if self.one_separator() => Some(0.65),
            // Spain, Portugal and Poland: 612 345 678, 912-345-678. With spaces a large number looks the same, and
            // national numbers that are all there is come first.
            ([6 | 7 | 9, ..] | [4, 5, ..] | [5, 0 | 1 | 3 | 7, ..] | [8, 8, ..], [3, 3, 3])
                if self.one_separator() =>
            {
                Some(if separator == b' ' { 0.54 } else { 0.6 })
            }
            // China: 138 1234 5678.
            ([1, 3..=9, ..], [3, 4, 4]) => Some(0.75),
            _ => None,
        }
    }

    /// A trunk zero, then an area of one to five digits: most of Europe, Turkey, India, Japan, Korea, Australia.
    fn with_trunk(&self) -> Option<f32> {
        let digits = self.digits();
        let groups = self.groups();
        let first = if groups[0].size == 1 { groups[1].size + 1 } else { groups[0].size };
        let tail = if groups[0].size == 1 { &groups[2..] } else { &groups[1..] };
        let plausible = (9..=12).contains(&digits.len())
            && digits[1] != 0
            && (2..=6).contains(&first)
            && self.sizes().0[..3] != [3, 2, 4]
            && !tail.is_empty()
            && tail.iter().all(|g| (2..=8).contains(&g.size));
        let german_office =
            digits.len() <= 13 && tail.last().is_some_and(|g| g.size == 1) && groups.len() == 3;
        let repeated = digits[2..].iter().all(|d| *d == digits[2]);
        ((plausible || (german_office && digits.len() >= 9)) && !repeated).then_some(0.75)
    }

    /// `2021-03-04 10`, `04.03.2021 10`: dates and times in front.
    fn is_date(&self) -> bool {
        let (sizes, n) = self.sizes();
        let number = |i: usize| {
            let from = if i == 0 { 0 } else { self.run.groups[i - 1].total };
            self.run.digits[from..self.run.groups[i].total].iter().fold(0u32, |n, &d| n * 10 + u32::from(d))
        };
        match &sizes[..n] {
            [4, 2, 2, ..] => (1800..2200).contains(&number(0)) && number(1) <= 12 && number(2) <= 31,
            [2, 2, 4, ..] => (1800..2200).contains(&number(2)) && number(0) <= 31 && number(1) <= 31,
            [4, 4] => (1800..2200).contains(&number(0)) && (1800..2200).contains(&number(1)),
            _ => false,
        }
    }

    /// With a word of telephones beside it: seven to thirteen digits that are no date.
    fn is_plausible(&self) -> bool {
        let digits = self.digits();
        let small = self.groups().iter().skip(1).filter(|g| g.size == 1).count();
        let varied = digits.iter().any(|d| *d != digits[0]);
        (7..=13).contains(&digits.len())
            && !self.is_date()
            && small <= 1
            && varied
            && self.groups()[0].size <= 13
    }

    /// A text of nothing but digits: North American, Turkish, or with a trunk zero.
    fn is_whole(&self) -> bool {
        let digits = self.digits();
        match digits.len() {
            10 if digits[0] == 0 => digits[1] != 0 && self.run.groups[self.groups - 1].size > 1,
            10 => is_north_american(digits, false) || matches!(digits[0], 2..=5),
            11 => (digits[0] == 0 && digits[1] != 0) || matches!(digits, [1, 3..=9, ..]),
            _ => false,
        }
    }
}

/// Area and exchange of the North American plan; `loose` leaves the exchange open.
fn is_north_american(digits: &[u8], loose: bool) -> bool {
    match digits {
        [2..=9, b, c, 2..=9, e, f, ..] if digits.len() == 10 => {
            (*b, *c) != (1, 1) && (loose || (*e, *f) != (1, 1))
        }
        [2..=9, ..] => loose && digits.len() == 10,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
