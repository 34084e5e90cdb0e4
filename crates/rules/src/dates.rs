//! Dates of birth: a date behind a word that says so.

use crate::candidate::Candidate;
use crate::context::{Context, Hit};
use crate::tables::group;
use crate::text::{byte, joined_right};
use crate::work;

/// How far behind the word the date may begin.
const GAP: usize = 24;

/// The date behind a word of birth.
pub fn behind(text: &str, context: &Context, hit: &Hit) -> Option<Candidate> {
    let mut at = hit.end;
    while at - hit.end <= GAP {
        let b = byte(text, at);
        if b == 0 || b == b'\n' && at > hit.end + 2 {
            return None;
        }
        let starts = !crate::text::word_before(text, at) && text.is_char_boundary(at);
        if starts && let Some(end) = date_end(text, context, at) {
            let new = Candidate::new((at, end), "DATE_OF_BIRTH", "date_of_birth", 0.9);
            return Some(Candidate {
                spoken: context.near(at, end, group::DOB),
                check: Some("calendar"),
                ..new
            });
        }
        at += 1;
        work::add(1);
    }
    None
}

/// End of the date that starts at `at`.
fn date_end(text: &str, context: &Context, at: usize) -> Option<usize> {
    if byte(text, at).is_ascii_digit() {
        numeric(text, at).or_else(|| day_first(text, context, at))
    } else {
        month_first(text, context, at)
    }
}

fn digits(text: &str, at: usize) -> (u32, usize) {
    let n = text.as_bytes()[at..].iter().take(5).take_while(|b| b.is_ascii_digit()).count();
    (text[at..at + n].parse().unwrap_or(0), at + n)
}

/// `1990-03-27`, `27.3.1990`, `3/27/90`, `27. 3. 1990`.
fn numeric(text: &str, at: usize) -> Option<usize> {
    let (a, end_a) = digits(text, at);
    let separator = byte(text, end_a);
    if !matches!(separator, b'-' | b'.' | b'/' | b' ') {
        return None;
    }
    let skip = |i: usize| if byte(text, i + 1) == b' ' && separator != b' ' { i + 2 } else { i + 1 };
    let from = skip(end_a);
    let (b, end_b) = digits(text, from);
    if byte(text, end_b) != separator || end_b == from {
        return None;
    }
    let from = skip(end_b);
    let (c, end) = digits(text, from);
    let (len_a, len_c) = (end_a - at, end - from);
    let plausible = match (len_a, len_c) {
        (4, 1 | 2) => is_day(a, b, c),
        (1 | 2, 4) => is_day(c, b, a) || is_day(c, a, b),
        (1 | 2, 2) => is_day(2000 + c, b, a) || is_day(2000 + c, a, b),
        _ => false,
    };
    (plausible && !byte(text, end).is_ascii_digit()).then_some(end)
}

fn is_day(year: u32, month: u32, day: u32) -> bool {
    (1890..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// `27 March 1990`, `27. März 1990`, `27 de marzo de 1990`, `1er mars 1990`.
fn day_first(text: &str, context: &Context, at: usize) -> Option<usize> {
    let (day, mut end) = digits(text, at);
    for suffix in ["st", "nd", "rd", "th", "er", "º", "."] {
        if text[end..].starts_with(suffix) {
            end += suffix.len();
            break;
        }
    }
    let month = month_at(context, connect(text, end))?;
    let year = year_end(text, connect(text, month))?;
    (1..=31).contains(&day).then_some(year)
}

/// `March 27, 1990`.
fn month_first(text: &str, context: &Context, at: usize) -> Option<usize> {
    let month = month_at(context, at)?;
    let from = connect(text, month);
    let (day, mut end) = digits(text, from);
    if let Some(year) = year_end(text, from) {
        return Some(year);
    }
    for suffix in ["st", "nd", "rd", "th"] {
        if text[end..].starts_with(suffix) {
            end += suffix.len();
        }
    }
    let year = year_end(text, connect(text, end))?;
    (1..=31).contains(&day).then_some(year)
}

/// Skips white space, commas, full stops and "de", "of".
fn connect(text: &str, mut at: usize) -> usize {
    for _ in 0..3 {
        at += text.as_bytes()[at..]
            .iter()
            .take(3)
            .take_while(|b| matches!(b, b' ' | b',' | b'.' | b'-'))
            .count();
        for word in ["de ", "of ", "del "] {
            if text[at..].starts_with(word) {
                at += word.len();
            }
        }
    }
    at
}

fn month_at(context: &Context, at: usize) -> Option<usize> {
    context
        .hits()
        .get(context.first_from(at))
        .filter(|h| h.start == at && h.groups & group::MONTH != 0)
        .map(|h| h.end)
}

fn year_end(text: &str, at: usize) -> Option<usize> {
    let (year, end) = digits(text, at);
    (end == at + 4 && (1890..2100).contains(&year) && !joined_right(text, end)).then_some(end)
}

#[cfg(test)]
mod tests {
    use crate::tests::{none, only};

    #[test]
    fn eight_languages() {
        for (text, date) in [
            ("DOB: 03/27/1990.", "03/27/1990"),
            ("Date of birth 1990-03-27", "1990-03-27"),
            ("born on March 27, 1990 in Leeds", "March 27, 1990"),
            ("born 27th of March 1990", "27th of March 1990"),
            ("geboren am 27. März 1990 in Köln", "27. März 1990"),
            ("Geburtsdatum: 27.03.1990", "27.03.1990"),
            ("née le 1er février 1985", "1er février 1985"),
            ("Fecha de nacimiento: 27 de marzo de 1990.", "27 de marzo de 1990"),
            ("nata il 27/03/1990 a Roma", "27/03/1990"),
            ("data de nascimento: 27-03-1990", "27-03-1990"),
            ("geboren op 27 maart 1990", "27 maart 1990"),
            ("data urodzenia: 27 marca 1990", "27 marca 1990"),
        ] {
            only(text, "DATE_OF_BIRTH", date);
        }
    }

    #[test]
    fn other_dates() {
        none("The meeting moved to 2022-01-18. born to run, 12 times");
        none("DOB unknown, seen 14 days ago");
        none("geboren 99.99.9999");
    }
}
