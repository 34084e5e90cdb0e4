//! Names as people write them: initials, particles and titles, the given name parted from the family name.
//!
//! The model marks words; it tends to run a whole name into one label, to stop at `K.` or `van`, and to miss the
//! one word behind `Mr`.

use std::ops::Range;

use crate::arbitrate::{Evidence, Finding, Rank};
use crate::everyday::is_prose;
use crate::given;
use crate::lists::{self, has};
use crate::near::{self, is_capitalised, is_lower};
use crate::people::may_name;

const GIVEN: &str = "GIVEN_NAME";
const SURNAME: &str = "SURNAME";

/// Confidence of a family name that a title announces and the model passed over.
const TITLED: f32 = 0.75;
/// Confidence of a family name that begins with a particle behind a given name.
const PARTICLED: f32 = 0.75;

/// Repairs the model's names in place. `findings` are in the order of the text and disjoint.
pub fn repair(text: &str, findings: &mut Vec<Finding>) {
    strip_words(text, findings);
    join_hyphens(text, findings);
    join_initials(text, findings);
    behind_given_names(text, findings);
    findings.sort_by_key(|finding| finding.range.start);
    behind_titles(text, findings);
    findings.sort_by_key(|finding| finding.range.start);
    particles_before(text, findings);
    particles_at_the_end(text, findings);
    let parted: Vec<Finding> = std::mem::take(findings);
    for (index, finding) in parted.iter().enumerate() {
        part(text, &parted, index, finding, findings);
    }
    initials_before(text, findings);
    two_family_names(text, findings);
    last_name_first(text, findings);
    lone_given_names(text, findings);
}

/// `Ruth` called a family name, or `Mats` a town before one, where neither a given name nor a title stands beside.
fn lone_given_names(text: &str, findings: &mut [Finding]) {
    for index in 0..findings.len() {
        let finding = &findings[index];
        let family_behind = || {
            findings.get(index + 1).is_some_and(|next| {
                next.label == SURNAME && text.get(finding.range.end..next.range.start) == Some(" ")
            })
        };
        let mistaken = match finding.label.as_str() {
            SURNAME => !beside(text, findings, index, GIVEN) && !behind_a_title(text, finding),
            "CITY" | "STATE" => family_behind(),
            _ => false,
        };
        if mistaken && finding.rank == Rank::Model && given::is_given(&text[finding.range.clone()]) {
            findings[index].label = GIVEN.into();
        }
    }
}

/// The finding that overlaps a range, among sorted and disjoint ones.
fn overlapping(findings: &[Finding], range: &Range<usize>) -> Option<usize> {
    let first = findings.partition_point(|other| other.range.end <= range.start);
    (findings.get(first)?.range.start < range.end).then_some(first)
}

fn is_name(finding: &Finding) -> bool {
    finding.rank == Rank::Model && (finding.label == GIVEN || finding.label == SURNAME)
}

fn found(range: Range<usize>, label: &str, rule: &'static str, confidence: f32) -> Finding {
    let evidence = Evidence { rule: Some(rule), ..Evidence::default() };
    Finding { range, label: label.into(), subtype: None, confidence, rank: Rank::Model, evidence }
}

/// `lol Clive`, `Dear Ana`, `Lugo en mayo`: words that are no names come off the ends of a longer name or town.
fn strip_words(text: &str, findings: &mut [Finding]) {
    let placed = |finding: &Finding| finding.rank == Rank::Model && finding.label == "CITY";
    for finding in findings.iter_mut().filter(|finding| placed(finding)) {
        finding.range = without_small_ends(text, finding.range.clone());
    }
    for finding in findings.iter_mut().filter(|finding| is_name(finding)) {
        finding.range = without_small_ends(text, finding.range.clone());
        let Range { mut start, mut end } = finding.range.clone();
        let words: Vec<Range<usize>> = spaced_words(&text[start..end]).collect();
        let is_word = |range: &&Range<usize>| {
            let word = &text[start + range.start..start + range.end];
            is_prose(word) || (is_lower(word) && has(INTRODUCTIONS, word))
        };
        let (first, last) =
            (words.iter().take_while(is_word).count(), words.iter().rev().take_while(is_word).count());
        // A family name at the end may be such a word: only small letters go.
        let last = words
            .iter()
            .rev()
            .take(last)
            .take_while(|range| is_lower(&text[start + range.start..start + range.end]))
            .count();
        if first + last < words.len() && first + last > 0 {
            end = start + words[words.len() - 1 - last].end;
            start += words[first].start;
            finding.range = start..end;
        }
    }
}

/// `Zecchini abita`, `hermana Nicanor`: small words off the ends of a name that is written with a capital.
fn without_small_ends(text: &str, range: Range<usize>) -> Range<usize> {
    let words: Vec<Range<usize>> = spaced_words(&text[range.clone()]).collect();
    let word = |i: &usize| &text[range.start + words[*i].start..range.start + words[*i].end];
    let named = |i: &usize| !is_lower(word(i)) && word(i).chars().any(char::is_alphabetic);
    let (Some(first), Some(last)) = ((0..words.len()).find(named), (0..words.len()).rfind(named)) else {
        return range;
    };
    // Particles lead a family name.
    let first = (0..first).find(|i| has(lists::PARTICLES, word(i))).unwrap_or(first);
    range.start + words[first].start..range.start + words[last].end
}

/// `bin der Torsten`, `soy Iker`: verbs and articles before a name, in small letters. Sorted.
const INTRODUCTIONS: &[&str] = &[
    "am", "ben", "bin", "das", "der", "die", "el", "il", "ist", "jestem", "la", "le", "sono", "sou", "soy",
    "suis",
];

/// `Hargreaves-Ellington` is one name, whatever the model called its halves.
fn join_hyphens(text: &str, findings: &mut Vec<Finding>) {
    let mut joined: Vec<Finding> = Vec::with_capacity(findings.len());
    for mut finding in findings.drain(..) {
        if is_name(&finding) {
            let least = joined.last().map_or(0, |last| last.range.end);
            if let Some(last) = joined.last_mut().filter(|last| is_name(last))
                && text.get(last.range.end..finding.range.start) == Some("-")
                && is_capitalised(&text[finding.range.clone()])
            {
                if finding.range.len() > last.range.len() {
                    last.label = finding.label;
                }
                last.range.end = hyphenated(text, finding.range.end);
                continue;
            }
            // The half that the model left out, before and behind.
            if let Some(word) = near::word_before(text, finding.range.start)
                && &text[word.end..finding.range.start] == "-"
                && word.start >= least
                && is_capitalised(&text[word.clone()])
                && is_capitalised(&text[finding.range.clone()])
                && near::digits(&text[word.clone()]) == 0
                && !text[..word.start].ends_with('-')
            {
                finding.range.start = word.start;
            }
            finding.range.end = hyphenated(text, finding.range.end);
        }
        if joined.last().is_none_or(|last| last.range.end <= finding.range.start) {
            joined.push(finding);
        }
    }
    *findings = joined;
}

/// `Siobhán Ní` `Dhomhnaill`: a particle at the end of a given name belongs to the family name behind.
fn particles_at_the_end(text: &str, findings: &mut [Finding]) {
    const LAST: &[&str] = &["mac", "mc", "nic", "ní", "o", "st", "uí", "ó"];
    for i in 1..findings.len() {
        let (given, family) = (&findings[i - 1], &findings[i]);
        let value = &text[given.range.clone()];
        let Some((rest, last)) = value.rsplit_once(near::is_space) else { continue };
        let spaced =
            text.get(given.range.end..family.range.start).is_some_and(|gap| gap == " " || gap == "\u{a0}");
        let particle = has(LAST, last) || has(lists::FIRST_PARTICLES, last);
        if is_name(given)
            && is_name(family)
            && given.label == GIVEN
            && family.label == SURNAME
            && spaced
            && particle
        {
            let end = given.range.start + rest.trim_end().len();
            findings[i].range.start = findings[i - 1].range.end - last.len();
            findings[i - 1].range.end = end;
        }
    }
}

/// `Vanessa P` `Hertzog` becomes `Vanessa P.` `Hertzog`; `Stefanía K`, and a capitalised word behind the point,
/// gets that word as the family name.
fn join_initials(text: &str, findings: &mut Vec<Finding>) {
    let mut more = Vec::new();
    for index in 0..findings.len() {
        if !is_name(&findings[index]) {
            continue;
        }
        let Range { start, end } = findings[index].range.clone();
        let last = text[start..end].rsplit(near::is_space).next().unwrap_or("");
        let mut end_of_initials =
            if is_initial(last) && text[end..].starts_with('.') { end + 1 } else { end };
        // Further initials behind: `J. K.`.
        while let Some(next) = initial_behind(text, end_of_initials) {
            end_of_initials = next;
        }
        if end_of_initials == end {
            continue;
        }
        let Some(word) = spaced_word(text, end_of_initials) else { continue };
        let taken = overlapping(findings, &word).is_some();
        if !is_capitalised(&text[word.clone()]) || lists::NEVER_NAMES.has(&text[word.clone()]) {
            continue;
        }
        // The initial itself, where the model called it a name of its own.
        findings[index].range.end = end_of_initials;
        if start + last.len() == end && is_initial(last) {
            continue;
        }
        findings[index].label = GIVEN.into();
        if !taken {
            more.push(found(word, SURNAME, "name_behind_initial", findings[index].confidence));
        }
    }
    findings.extend(more);
    findings.sort_by_key(|finding| finding.range.start);
    // An initial found twice: as the end of one name and as a name of its own.
    let mut end = 0;
    findings.retain(|finding| {
        let inside = finding.range.end <= end;
        end = end.max(finding.range.end);
        !(inside && is_name(finding))
    });
}

fn is_initial(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_uppercase) && characters.next().is_none()
}

/// The end of ` K.` right behind `at`.
fn initial_behind(text: &str, at: usize) -> Option<usize> {
    let word = spaced_word(text, at)?;
    (is_initial(&text[word.clone()]) && text[word.end..].starts_with('.')).then_some(word.end + 1)
}

/// The word behind `at` with one or two spaces between.
fn spaced_word(text: &str, at: usize) -> Option<Range<usize>> {
    let word = near::word_after(text, at)?;
    let gap = &text[at..word.start];
    (!gap.is_empty() && gap.len() <= 4 && gap.chars().all(near::is_space)).then_some(word)
}

/// `Daan de Wilde`, `Ludo van der Heijden`: particles and a capitalised word behind a given name.
fn behind_given_names(text: &str, findings: &mut Vec<Finding>) {
    // `Katharina Freifrau` `von` `Stetten`, the last called a town.
    for i in 1..findings.len() {
        let gap = text.get(findings[i - 1].range.end..findings[i].range.start).unwrap_or("");
        let noble = matches!(
            gap,
            " von " | " von der " | " van " | " van der " | " van de " | " van den " | " zu " | " vom "
        );
        if noble
            && is_name(&findings[i - 1])
            && findings[i].label == "CITY"
            && findings[i].rank == Rank::Model
        {
            findings[i].range.start -= gap.len() - 1;
            findings[i].label = SURNAME.into();
        }
    }
    let mut more = Vec::new();
    for finding in findings.iter().filter(|finding| is_name(finding) && finding.label == GIVEN) {
        let Some((start, at)) = particles_behind(text, finding.range.end) else { continue };
        let Some(word) = near::word_after(text, at).filter(|word| word.start == at) else { continue };
        let taken = overlapping(findings, &word).is_some();
        if !taken && is_capitalised(&text[word.clone()]) && word.len() > 2 {
            more.push(found(start..hyphenated(text, word.end), SURNAME, "name_particle", PARTICLED));
        }
    }
    for index in 0..findings.len() {
        more.extend(unmarked_behind(text, findings, index));
    }
    findings.extend(more);
}

/// Confidence of a name that stands alone before a word which may be the family's.
const SURE: f32 = 0.6;

/// `Bastiaan` `Vegt`, the second not marked: a capitalised word right behind a sure name of one word, which no list
/// of everyday prose holds and which no further capitalised word follows, as in a headline.
fn unmarked_behind(text: &str, findings: &[Finding], index: usize) -> Option<Finding> {
    let name = &findings[index];
    let value = &text[name.range.clone()];
    let lone = is_name(name)
        && name.evidence.rule.is_none()
        && name.confidence >= SURE
        && may_name(value)
        && !beside(text, findings, index, GIVEN)
        && !beside(text, findings, index, SURNAME)
        && !behind_a_german_title(text, name);
    if !lone {
        return None;
    }
    let word = spaced_word(text, name.range.end).filter(|word| may_name(&text[word.clone()]))?;
    let end = hyphenated(text, word.end);
    let goes_on = spaced_word(text, end).is_some_and(|next| is_capitalised(&text[next]));
    let free = overlapping(findings, &(word.start..end)).is_none();
    let long = text[word.clone()].chars().count() > 2;
    (free && long && !goes_on).then(|| found(word.start..end, SURNAME, "name_behind_name", SURE))
}

/// In German a thing has its capital, too: `Herr Vegt Rechnung`.
fn behind_a_german_title(text: &str, name: &Finding) -> bool {
    near::word_before(text, name.range.start)
        .is_some_and(|word| matches!(&*text[word].to_lowercase(), "frau" | "herr" | "herrn"))
}

/// Where particles behind a name begin, and where the word behind them does.
fn particles_behind(text: &str, end: usize) -> Option<(usize, usize)> {
    let first = spaced_word(text, end)?;
    if !has(lists::FIRST_PARTICLES, &text[first.clone()]) {
        return None;
    }
    let mut at = first.end;
    for _ in 0..3 {
        // `al-Masri` goes on with a hyphen, `van der` with a space.
        if text[at..].starts_with(['-', '\'', '’']) {
            return Some((first.start, at + text[at..].chars().next().map_or(0, char::len_utf8)));
        }
        let word = spaced_word(text, at)?;
        if !has(lists::PARTICLES, &text[word.clone()]) {
            return Some((first.start, word.start));
        }
        at = word.end;
    }
    None
}

/// The end of a word with what hyphens and apostrophes join to it.
fn hyphenated(text: &str, end: usize) -> usize {
    let mut end = end;
    for _ in 0..3 {
        let rest = &text[end..];
        let Some(joint) = rest.chars().next().filter(|c| matches!(c, '-' | '\'' | '’')) else { break };
        let Some(word) = near::word_after(text, end).filter(|word| word.start == end + joint.len_utf8())
        else {
            break;
        };
        if !is_capitalised(&text[word.clone()]) {
            break;
        }
        end = word.end;
    }
    end
}

/// `Herr Giménez`: one capitalised word behind a title is a family name, marked or not.
fn behind_titles(text: &str, findings: &mut Vec<Finding>) {
    let mut more: Vec<Finding> = Vec::new();
    let mut at = 0;
    while let Some(word) = near::next_word(text, at) {
        at = word.end;
        // In small letters only the long ones: `miss` and `ms` are words and units.
        let title = &text[word.clone()];
        if is_lower(title) && (title.chars().count() < 4 || title == "miss") && !matches!(title, "sr" | "sra")
        {
            continue;
        }
        if !lists::HONORIFICS.has(&text[word.clone()]) {
            continue;
        }
        let behind = word.end + usize::from(text[word.end..].starts_with('.'));
        let Some(mut name) = spaced_word(text, behind) else { continue };
        let mut start = name.start;
        if let Some((first, last)) = particles_behind(text, behind) {
            let Some(word) = near::word_after(text, last).filter(|word| word.start == last) else { continue };
            (start, name) = (first, word);
        }
        let value = &text[name.clone()];
        let is_role =
            has(lists::ROLES, value) || lists::HONORIFICS.has(value) || lists::NEVER_NAMES.has(value);
        let shouted = value.chars().count() < 3
            || (value.chars().all(char::is_uppercase) && is_capitalised_only(text, &word));
        if !is_capitalised(value) || is_role || shouted || near::digits(value) > 0 {
            continue;
        }
        let end = hyphenated(text, name.end);
        let range = start..end;
        match overlapping(findings, &range).map(|i| &mut findings[i]) {
            None => more.push(found(range, SURNAME, "name_behind_title", TITLED)),
            // The one name behind a title is the family's.
            Some(other) if is_name(other) && other.range.start >= start && other.range.end <= end => {
                let alone = !has(FULL_NAME_TITLES, &text[word.clone()])
                    && spaced_word(text, end).is_none_or(|next| !is_capitalised(&text[next]));
                if alone {
                    other.label = SURNAME.into();
                    other.range = range;
                }
            }
            Some(_) => {}
        }
    }
    findings.extend(more);
}

/// Titles that stand before whole names as often. Sorted.
const FULL_NAME_TITLES: &[&str] = &["pan", "pana", "pani", "panią"];

/// A title written `Mr`, not `MR`: then a name in capitals would be odd.
fn is_capitalised_only(text: &str, word: &Range<usize>) -> bool {
    text[word.clone()].chars().skip(1).any(char::is_lowercase)
}

/// `van der` before a family name that the model began at `Heijden`.
fn particles_before(text: &str, findings: &mut [Finding]) {
    for index in 0..findings.len() {
        if findings[index].label != SURNAME || findings[index].rank != Rank::Model {
            continue;
        }
        let least = index.checked_sub(1).map_or(0, |i| findings[i].range.end);
        let mut start = findings[index].range.start;
        let mut reached = start;
        while let Some(word) = near::word_before(text, start) {
            let gap = &text[word.end..start];
            let joint = gap.chars().all(near::is_space) || matches!(gap, "-" | "'" | "’");
            if word.start < least
                || gap.is_empty()
                || gap.len() > 2
                || !joint
                || !has(lists::PARTICLES, &text[word.clone()])
            {
                break;
            }
            start = word.start;
            if has(lists::FIRST_PARTICLES, &text[word]) {
                reached = start;
            }
        }
        // After a given name any particle belongs to the name; elsewhere `von` is also `from`, `bin` also `am`.
        let after_a_name = index > 0
            && findings[index - 1].label == GIVEN
            && text[findings[index - 1].range.end..reached].chars().all(near::is_space);
        let particles = text[reached..findings[index].range.start].split_whitespace().count();
        let own = particles > 1
            || near::word_after(text, reached)
                .is_some_and(|word| matches!(&*text[word].to_lowercase(), "van" | "ibn" | "al"));
        if reached < findings[index].range.start && (after_a_name || own) {
            findings[index].range.start = reached;
        }
    }
}

/// Parts a whole name under one label into given and family name.
fn part(text: &str, all: &[Finding], index: usize, finding: &Finding, out: &mut Vec<Finding>) {
    let value = &text[finding.range.clone()];
    let split = match finding.label.as_str() {
        _ if !is_name(finding) || finding.evidence.rule.is_some() => None,
        GIVEN if !beside(text, all, index, SURNAME) && !is_given_field(text, finding) => last_word(value),
        SURNAME if !beside(text, all, index, GIVEN) => {
            first_of_whole_name(value, behind_a_title(text, finding))
        }
        _ => None,
    };
    let Some((end_of_given, start_of_surname)) = split else {
        out.push(finding.clone());
        return;
    };
    let Range { start, end } = finding.range;
    out.push(Finding { range: start..start + end_of_given, label: GIVEN.into(), ..finding.clone() });
    out.push(Finding { range: start + start_of_surname..end, label: SURNAME.into(), ..finding.clone() });
}

/// Whether a name of the other kind touches this one.
fn beside(text: &str, all: &[Finding], index: usize, label: &str) -> bool {
    let range = &all[index].range;
    let near = |other: &Finding, gap: Option<&str>| {
        other.label == label && gap.is_some_and(|gap| gap.len() <= 3 && gap.chars().all(near::is_space))
    };
    let before = index.checked_sub(1).is_some_and(|i| near(&all[i], text.get(all[i].range.end..range.start)));
    let after = all.get(index + 1).is_some_and(|other| near(other, text.get(range.end..other.range.start)));
    before || after
}

/// Where `Leah Riley` is parted: before the last word, or before the particles that lead to it.
fn last_word(value: &str) -> Option<(usize, usize)> {
    let words: Vec<Range<usize>> = spaced_words(value).collect();
    let (last, _) = words.split_last().filter(|(_, rest)| !rest.is_empty())?;
    let text = &value[last.clone()];
    if text.chars().filter(|c| c.is_alphabetic()).count() < 2
        || text.chars().any(|c| !c.is_alphabetic() && !matches!(c, '-' | '\'' | '’') && !near::is_inner(c))
    {
        return None;
    }
    let mut at = words.len() - 1;
    while at > 1 && has(lists::PARTICLES, &value[words[at - 1].clone()]) {
        at -= 1;
    }
    Some((words[at - 1].end, words[at].start))
}

/// Where `Ludo van der Heijden`, all called a family name, is parted: before the particles.
/// Behind a title, two words may both be family names.
fn first_of_whole_name(value: &str, titled: bool) -> Option<(usize, usize)> {
    let words: Vec<Range<usize>> = spaced_words(value).collect();
    if words.len() < 2 {
        return None;
    }
    let first = &value[words[0].clone()];
    if has(lists::PARTICLES, first) || is_lower(first) != is_lower(&value[words[words.len() - 1].clone()]) {
        return None;
    }
    let particle = (1..words.len()).find(|&i| has(lists::FIRST_PARTICLES, &value[words[i].clone()]));
    let at = particle.or((!titled).then_some(words.len() - 1))?;
    Some((words[at - 1].end, words[at].start))
}

fn spaced_words(value: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + value[at..].find(|c: char| !c.is_whitespace())?;
        let end = value[start..].find(char::is_whitespace).map_or(value.len(), |n| start + n);
        at = end;
        Some(start..end)
    })
}

fn behind_a_title(text: &str, finding: &Finding) -> bool {
    near::word_before(text, finding.range.start).is_some_and(|word| {
        text[word.end..finding.range.start].chars().all(|c| c == '.' || near::is_space(c))
            && lists::HONORIFICS.has(&text[word])
    })
}

/// `Vorname: Hans Peter`: a field that asks for given names alone.
fn is_given_field(text: &str, finding: &Finding) -> bool {
    const FIELDS: &[&str] = &[
        "firstname",
        "forename",
        "forenames",
        "given",
        "givenname",
        "imiona",
        "imię",
        "nombre",
        "nombres",
        "nome",
        "prénom",
        "prénoms",
        "voornaam",
        "vorname",
        "vornamen",
    ];
    let before = near::line_before(text, finding.range.start);
    let Some(label) = before.trim_end_matches(near::is_space).strip_suffix([':', '=']) else { return false };
    let label = label.trim_end_matches(['"', '\'']).to_lowercase();
    let last = label.rsplit(|c| !near::is_inner(c)).next().unwrap_or("");
    FIELDS.contains(&last)
        || ((last == "name" || last == "names") && ["first", "given"].iter().any(|word| label.contains(word)))
}

/// `J. R. Hargreaves`: initials in place of a given name.
fn initials_before(text: &str, findings: &mut Vec<Finding>) {
    let mut more = Vec::new();
    for (index, finding) in findings.iter().enumerate().filter(|(_, f)| is_name(f) && f.label == SURNAME) {
        let least = index.checked_sub(1).map_or(0, |i| findings[i].range.end);
        let mut start = finding.range.start;
        while let Some(word) = near::word_before(text, start)
            && word.start >= least
            && is_initial(&text[word.clone()])
            && matches!(&text[word.end..start], ". " | "." | ".\u{a0}")
        {
            start = word.start;
        }
        if start < finding.range.start {
            let end = start + text[start..finding.range.start].trim_end().len();
            more.push(found(start..end, GIVEN, "initials", finding.confidence));
        }
    }
    findings.append(&mut more);
    findings.sort_by_key(|finding| finding.range.start);
}

/// `Nyambura` `N'Dungu`, both called family names and none before them: the first is the given one.
fn two_family_names(text: &str, findings: &mut Vec<Finding>) {
    for i in 1..findings.len() {
        let spaced = |a: &Finding, b: &Finding| {
            text.get(a.range.end..b.range.start)
                .is_some_and(|gap| gap.len() <= 2 && gap.chars().all(near::is_space))
        };
        let (first, second) = (&findings[i - 1], &findings[i]);
        let led = i > 1 && is_name(&findings[i - 2]) && spaced(&findings[i - 2], first);
        let both = first.label == SURNAME && second.label == SURNAME && is_name(first) && is_name(second);
        // `Minh Tran Bao`: what follows given and family name is the family's, too.
        if led && first.label == SURNAME && second.label == GIVEN && is_name(second) && spaced(first, second)
        {
            if findings[i - 2].label == GIVEN && second.evidence.rule.is_none() {
                let start = first.range.start;
                findings[i].label = SURNAME.into();
                findings[i].range.start = start;
                findings[i - 1].range.end = start;
            }
            continue;
        }
        if both
            && spaced(first, second)
            && !led
            && !behind_a_title(text, first)
            && first.evidence.rule.is_none()
        {
            findings[i - 1].label = GIVEN.into();
        }
    }
    findings.retain(|finding| !finding.range.is_empty());
}

/// `Matthews, Douglas`: the family name comes first where a comma parts the two.
fn last_name_first(text: &str, findings: &mut [Finding]) {
    for i in 1..findings.len() {
        let (before, after) = findings.split_at_mut(i);
        let (Some(first), second) = (before.last_mut(), &mut after[0]) else { continue };
        let apart = text.get(first.range.end..second.range.start) == Some(", ");
        let one_word = |finding: &Finding| !text[finding.range.clone()].contains(char::is_whitespace);
        if apart
            && first.label == GIVEN
            && second.label == SURNAME
            && is_name(first)
            && is_name(second)
            && one_word(first)
            && one_word(second)
        {
            first.label = SURNAME.into();
            second.label = GIVEN.into();
        }
    }
}

#[cfg(test)]
mod tests;
