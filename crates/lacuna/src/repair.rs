//! Numbers in groups: one telephone number or account is one item, and none of its groups is left over.

use std::ops::Range;

use crate::arbitrate::{Finding, Rank};
use crate::near;

/// Labels whose values are written in groups of digits, with the most digits of one value.
const GROUPED: &[(&str, usize)] = &[
    ("PHONE", 15),
    ("BANK_ACCOUNT", 30),
    ("ROUTING_NUMBER", 12),
    ("TAX_ID", 16),
    ("GOVERNMENT_ID", 18),
    ("PASSPORT", 12),
    ("DRIVERS_LICENSE", 18),
];

/// Joins neighbouring groups of one value and takes in groups that touch it. `findings` are sorted and disjoint.
pub fn join_groups(text: &str, findings: &mut Vec<Finding>) {
    let mut joined: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        if let Some(last) = joined.last_mut()
            && goes_on(text, last, &finding)
        {
            last.range.end = finding.range.end;
            last.confidence = last.confidence.max(finding.confidence);
            continue;
        }
        joined.push(finding);
    }
    for index in 0..joined.len() {
        let next = joined.get(index + 1).map_or(text.len(), |finding| finding.range.start);
        let least = index.checked_sub(1).map_or(0, |i| joined[i].range.end);
        take_in(text, &mut joined[index], least, next);
    }
    *findings = joined;
}

fn most_digits(finding: &Finding) -> Option<usize> {
    let grouped = GROUPED.iter().find(|(label, _)| *label == finding.label)?;
    (finding.rank == Rank::Model).then_some(grouped.1)
}

fn goes_on(text: &str, last: &Finding, next: &Finding) -> bool {
    let (Some(most), true) = (most_digits(last), last.label == next.label && next.rank == Rank::Model) else {
        return false;
    };
    let Some(gap) = text.get(last.range.end..next.range.start) else { return false };
    let groups = [&text[last.range.clone()], &text[next.range.clone()]];
    let digits = groups.map(near::digits);
    matches!(gap, " " | "-" | "." | "/" | ") " | ")" | " - " | "\u{a0}" | "–")
        && groups[0].ends_with(|c: char| c.is_ascii_alphanumeric())
        && groups[1].starts_with(|c: char| c.is_ascii_alphanumeric())
        && digits[0].min(digits[1]) < 7
        && digits[0] + digits[1] <= most
}

/// `+49 30 481` of `+49 30 481-1311`, `36222562` of `53 36222562 03`: groups beside, and the sign before.
fn take_in(text: &str, finding: &mut Finding, least: usize, next: usize) {
    let Some(most) = most_digits(finding) else { return };
    let value = |finding: &Finding| &text[finding.range.clone()];
    while let Some(longer) = group_behind(&text[finding.range.end..next])
        && value(finding).ends_with(|c: char| c.is_ascii_digit())
        && near::digits(value(finding)) + near::digits(&text[finding.range.end..][..longer]) <= most
    {
        finding.range.end += longer;
    }
    if finding.label != "PHONE" || near::digits(value(finding)) < 9 {
        while let Some(longer) = group_before(&text[least.min(finding.range.start)..finding.range.start])
            && value(finding).starts_with(|c: char| c.is_ascii_digit())
            && near::digits(value(finding)) + longer - 1 <= most
        {
            finding.range.start -= longer;
        }
    }
    if finding.label == "PHONE" {
        let before = &text[least.min(finding.range.start)..finding.range.start];
        let bracket = before.ends_with('(') && text[finding.range.clone()].contains(')');
        if before.ends_with('+') || bracket {
            finding.range.start -= 1;
        }
    }
}

/// Bytes of a group of digits behind a value: any length behind a hyphen or slash, two to four behind a space.
fn group_behind(rest: &str) -> Option<usize> {
    let sign = rest.chars().next()?;
    let group = &rest[sign.len_utf8()..];
    let length = group.bytes().take_while(u8::is_ascii_digit).count();
    let closes = {
        let mut behind = group[length..].chars();
        match behind.next() {
            None => true,
            // `03.12.2020`, `08:30`: a moment begins.
            Some('.' | ':' | '/' | '-' | ',') => !behind.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) => {
                let next = group[length..].trim_start_matches(' ').chars().next();
                !near::is_inner(c) && !next.is_some_and(|c| matches!(c, '%' | '°' | '€' | '$'))
            }
        }
    };
    let fits = match sign {
        '-' | '/' | '–' => length > 0 && !group[length..].starts_with(near::is_inner),
        ' ' | '\u{a0}' => (2..=4).contains(&length) && closes,
        _ => false,
    };
    fits.then_some(sign.len_utf8() + length)
}

/// Bytes of a group of two to four digits and a space before a value.
fn group_before(before: &str) -> Option<usize> {
    let rest = before.strip_suffix(' ')?;
    let length = rest.bytes().rev().take_while(u8::is_ascii_digit).count();
    let opens = rest[..rest.len() - length]
        .chars()
        .next_back()
        .is_none_or(|c| c.is_whitespace() || matches!(c, ':' | '('));
    ((2..=4).contains(&length) && opens).then_some(length + 1)
}

/// `St` `Louis` with a point between are one town; so are `Mt`, `Ft` and their kind.
pub fn join_abbreviated(text: &str, findings: &mut Vec<Finding>) {
    const SHORT: &[&str] = &["ft", "mt", "s", "st", "sta", "ste", "sto"];
    let mut joined: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        if let Some(last) = joined.last_mut()
            && last.label == finding.label
            && matches!(finding.label.as_str(), "CITY" | "STREET_NAME" | "SURNAME")
            && text.get(last.range.end..finding.range.start) == Some(". ")
            && SHORT.iter().any(|short| short.eq_ignore_ascii_case(&text[last.range.clone()]))
        {
            last.range.end = finding.range.end;
            continue;
        }
        joined.push(finding);
    }
    *findings = joined;
}

/// Two-letter codes of the United States' states and territories. Sorted.
const STATES: &[&str] = &[
    "AK", "AL", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "HI", "IA", "ID", "IL", "IN", "KS",
    "KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO", "MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV",
    "NY", "OH", "OK", "OR", "PA", "PR", "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VT", "WA", "WI", "WV",
    "WY",
];

/// Whether a value is the code of a state.
pub fn is_state(value: &str) -> bool {
    STATES.binary_search(&value).is_ok()
}

/// `El Paso ND` is a town and a state; `DD3R 2DL. GP` is a code and the next sentence.
pub fn part_places(text: &str, findings: &mut Vec<Finding>) {
    let mut parted: Vec<Finding> = Vec::with_capacity(findings.len());
    for mut finding in findings.drain(..) {
        let value = &text[finding.range.clone()];
        // `Fontaine v. Brightwell`: the parties of a case.
        let parties = [" v. ", " vs. ", " v "].into_iter().find_map(|sign| value.split_once(sign));
        if finding.rank == Rank::Model
            && let Some((one, other)) =
                parties.filter(|(one, other)| [one, other].iter().all(|p| near::is_capitalised(p)))
        {
            let Range { start, end } = finding.range;
            finding.label = "SURNAME".into();
            parted.push(Finding { range: start..start + one.len(), ..finding.clone() });
            parted.push(Finding { range: end - other.len()..end, ..finding });
            continue;
        }
        if finding.rank == Rank::Model && finding.label == "ZIP_CODE" {
            if let Some((code, _)) = value.split_once(". ").filter(|(code, _)| near::digits(code) > 0) {
                finding.range.end = finding.range.start + code.len();
            }
        } else if finding.rank == Rank::Model && finding.label == "CITY" {
            let town = value.rsplit_once(' ').filter(|(_, code)| STATES.binary_search(code).is_ok());
            if let Some((town, code)) = town {
                let state = finding.range.end - code.len()..finding.range.end;
                finding.range.end = finding.range.start + town.trim_end_matches([' ', ',']).len();
                let state = Finding { range: state, label: "STATE".into(), ..finding.clone() };
                parted.push(finding);
                parted.push(state);
                continue;
            }
        }
        parted.push(finding);
    }
    *findings = parted;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arbitrate::trial;

    fn joined<'t>(text: &'t str, label: &str, values: &[&str]) -> Vec<&'t str> {
        let values: Vec<(&str, &str)> = values.iter().map(|&value| (value, label)).collect();
        let mut findings = trial::found(text, &values);
        join_groups(text, &mut findings);
        findings.into_iter().map(|finding| &text[finding.range]).collect()
    }

    #[test]
    fn groups_of_one_number_are_one() {
        assert_eq!(joined("tel 0176 186 077-67.", "PHONE", &["0176", "186 077"]), ["0176 186 077-67"]);
        assert_eq!(joined("+49 30 481", "PHONE", &["49 30 481"]), ["+49 30 481"]);
        assert_eq!(
            joined("acct 3754 165267 29913", "BANK_ACCOUNT", &["3754", "165267 29913"]),
            ["3754 165267 29913"]
        );
    }

    #[test]
    fn groups_the_model_left_out_are_taken_in() {
        assert_eq!(joined("NASS: 53 36222562 03.", "TAX_ID", &["53 36222562"]), ["53 36222562 03"]);
        assert_eq!(joined("NASS: 72 36470814 15.", "GOVERNMENT_ID", &["36470814"]), ["72 36470814 15"]);
    }

    #[test]
    fn abbreviated_saints_join() {
        let text = "in St. Louis";
        let mut findings = trial::found(text, &[("St", "CITY"), ("Louis", "CITY")]);
        join_abbreviated(text, &mut findings);
        assert_eq!(findings[0].range, 3..12);
        let mut findings = trial::found(text, &[("St", "STREET_NAME"), ("Louis", "CITY")]);
        join_abbreviated(text, &mut findings);
        assert_eq!(findings.len(), 2);
    }

    #[test]
    fn towns_and_codes_are_parted() {
        let parted = |text: &'static str, label: &str| {
            let mut findings = trial::found(text, &[(text, label)]);
            part_places(text, &mut findings);
            trial::read(text, findings)
        };
        assert_eq!(parted("El Paso ND", "CITY"), trial::pairs(&[("El Paso", "CITY"), ("ND", "STATE")]));
        assert_eq!(parted("San José", "CITY").len(), 1);
        assert_eq!(parted("DD3R 2DL. GP", "ZIP_CODE")[0].0, "DD3R 2DL");
        assert_eq!(parted("1100-063", "ZIP_CODE")[0].0, "1100-063");
    }

    #[test]
    fn two_numbers_stay_two() {
        assert_eq!(joined("2125550199 2125550198", "PHONE", &["2125550199", "2125550198"]).len(), 2);
        assert_eq!(joined("0176 1860776 2024-05", "PHONE", &["0176 1860776"]), ["0176 1860776"]);
        assert_eq!(joined("0176 1860776 03.12.2020", "PHONE", &["0176 1860776"]), ["0176 1860776"]);
        assert_eq!(joined("at 08 30, 0176 1860776 20 %", "PHONE", &["0176 1860776"]), ["0176 1860776"]);
        assert_eq!(joined("Ana Lima", "GIVEN_NAME", &["Ana", "Lima"]).len(), 2);
    }
}
