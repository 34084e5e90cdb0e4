//! What the model says a value is, held against what the value looks like and stands in.
//!
//! The model reads words in their surroundings; it does not know that a UUID is no identity card, that nothing
//! without an @ is an e-mail address, or that in `220 °C` no house is meant. Only the model's findings are judged
//! here: a rule has its own reasons.

mod things;

use std::collections::HashSet;
use std::ops::Range;

use crate::addresses;
use crate::arbitrate::{Finding, Rank};
use crate::everyday::EVERYDAY;
use crate::given;
use crate::lists::{self, List, has};
use crate::near::{self, chunk, digits, is_lower, words};
use things::{
    is_amount, is_decimal, is_doi, is_domain_like, is_hash, is_moment, is_numbered, is_score, is_slug,
    is_stage, is_uuid, is_version,
};

/// How far parts of one address may lie apart, in bytes.
const ADDRESS_REACH: usize = 48;
/// Findings looked at on either side.
const BESIDE: usize = 8;
/// A lone word that opens a sentence, whose capital says nothing, must be this sure to be a name.
const OPENING: f32 = 0.65;
/// Bytes between a name and the next that is not lone: `Alba and Bruno`.
const COMPANY: usize = 8;
/// A lone word in small letters where everything is must be this sure to be a name.
const PLAIN: f32 = 0.5;
/// A small word beside a name, amid text that capitalises its names, must be this sure.
const SMALL_BESIDE: f32 = 0.7;
/// A street without the form of one, and without another part of an address near, must be this sure.
const PLAIN_STREET: f32 = 0.75;
/// A postal code that is all there is must be this sure; beside other words it wants a part of an address.
const SURE: f32 = 0.9;
/// A number that no word calls a person's must be this sure to be one.
const UNCALLED: f32 = 0.97;

/// Takes away the model's findings that cannot be what they are called.
pub fn retain(text: &str, findings: &mut Vec<Finding>) {
    if findings.is_empty() {
        return;
    }
    findings.sort_by_key(|finding| finding.range.start);
    let cased = is_cased(text);
    let known = capitalised_names(text, findings);
    let kept: Vec<bool> = findings
        .iter()
        .enumerate()
        .map(|(index, finding)| {
            let beside = &findings[index.saturating_sub(BESIDE)..(index + BESIDE + 1).min(findings.len())];
            finding.rank != Rank::Model
                || finding.evidence.rule.is_some()
                || Judge { text, beside, cased, known: &known, finding, value: &text[finding.range.clone()] }
                    .plausible()
        })
        .collect();
    let mut kept = kept.into_iter();
    findings.retain(|_| kept.next().unwrap_or(true));
}

struct Judge<'a> {
    text: &'a str,
    /// The findings before and behind, itself among them.
    beside: &'a [Finding],
    cased: bool,
    /// Names that stand in the text with a capital, in small letters.
    known: &'a HashSet<String>,
    finding: &'a Finding,
    value: &'a str,
}

impl Judge<'_> {
    fn plausible(&self) -> bool {
        let value = self.value;
        let numbers = digits(value);
        if self.is_key() || self.is_piece_of_a_thing() {
            return false;
        }
        match self.finding.label.as_str() {
            "GIVEN_NAME" | "SURNAME" => {
                let word =
                    (all_of(value, &lists::NEVER_NAMES) || self.is_everyday()) && !self.behind_a_given_name();
                let thing = self.names_a_thing()
                    || is_identifier(value)
                    || (is_lower(value) && near::tail(self.text, self.finding.range.end).starts_with('('))
                    || self.is_counted_noun()
                    || self.is_a_company_s();
                numbers == 0
                    && !word
                    && !thing
                    && !self.is_small_word()
                    && !self.is_unsure()
                    && !self.is_lone_letter()
            }
            "CITY" | "STATE" => {
                let code = value.len() == 2 && value.bytes().all(|b| b.is_ascii_uppercase());
                let word = (all_of(value, &lists::NEVER_NAMES) || all_of(value, &EVERYDAY)) && !code;
                let unsure = self.is_unsure()
                    || all_in(value, lists::MAKES)
                    || self.is_counted_noun()
                    || (is_lower(value) && self.names_a_thing());
                value.chars().any(char::is_alphabetic) && !word && !self.is_small_word() && !unsure
            }
            "STREET_NAME" => {
                let named = value.chars().filter(|c| c.is_alphabetic()).count() > 1;
                (named || self.near(&["BUILDING_NUMBER", "ZIP_CODE"]))
                    && !all_in(value, lists::THINGS)
                    && !all_of(value, &lists::NEVER_NAMES)
                    && !all_of(value, &EVERYDAY)
                    && !all_in(value, lists::UNITS)
                    && !self.is_small_word()
                    && !value.contains([';', '=', '{', '}', '<', '>'])
                    && (self.finding.confidence >= PLAIN_STREET || self.is_placed_street())
            }
            "SECONDARY_ADDRESS" => {
                let thing = numbers > 0
                    && words(value).filter(|word| digits(word) == 0).any(|w| has(lists::THINGS, w));
                let parts = ["STREET_NAME", "BUILDING_NUMBER", "CITY", "ZIP_CODE"];
                let named = words(value).any(addresses::is_flat_word);
                (numbers > 0 || self.near(&["STREET_NAME"]))
                    && (named || self.near(&parts))
                    && !self.is_measure()
                    && !(thing && !self.near(&["STREET_NAME"]))
            }
            "BUILDING_NUMBER" => {
                let parts = ["STREET_NAME", "SECONDARY_ADDRESS", "CITY"];
                let placed = (self.near(&parts) && !self.is_a_thing_s()) || self.address_word();
                numbers > 0
                    && !self.is_port()
                    && !self.is_counted()
                    && !self.is_a_score_s()
                    && (self.touches_a_street() || (placed && !self.is_measure()))
            }
            "ZIP_CODE" => {
                let parts = ["STREET_NAME", "SECONDARY_ADDRESS", "CITY", "STATE"];
                let lonely = !self.near(&parts) && !self.address_word();
                numbers > 0
                    && !self.is_port()
                    && (self.address_word() || !self.is_right_behind_a_thing())
                    && !words(value).any(|word| digits(word) == 0 && is_currency(word))
                    && (!lonely || self.is_all() && !self.is_measure() && self.finding.confidence >= SURE)
            }
            "EMAIL" => {
                (value.contains(['@', '＠']) && !rules::is_of_a_thing(value))
                    || ["at", "arroba", "chez"]
                        .iter()
                        .any(|at| words(value).any(|w| w.eq_ignore_ascii_case(at)))
            }
            "URL" => !value.contains(char::is_whitespace) && is_domain_like(value),
            "PHONE" => {
                // A number that the model hardly marked must be written like one.
                let grouped = value.contains([' ', '-', '/', '.']) || value.starts_with(['0', '+']);
                let enough =
                    if self.finding.confidence < 0.5 { numbers >= 8 && grouped } else { numbers >= 5 };
                // E.164 has fifteen digits, a prefix and a bracketed zero on top.
                let enough = enough && numbers <= 18;
                enough && !self.is_measure() && !self.is_refused_ssn() && !self.is_a_thing_s()
            }
            "BANK_ACCOUNT" | "ROUTING_NUMBER" | "TAX_ID" | "GOVERNMENT_ID" | "PASSPORT"
            | "DRIVERS_LICENSE" => {
                let signs = value.chars().filter(|c| c.is_alphanumeric()).count();
                let enough = numbers >= 3 && signs >= 5;
                let thing =
                    self.is_a_thing_s() || is_stage(value) || is_decimal(value) || value.contains(" x ");
                let called =
                    self.finding.confidence >= UNCALLED || self.is_all() || self.is_called_personal();
                enough && called && !self.is_measure() && !self.is_refused_ssn() && !thing
            }
            _ => true,
        }
    }

    /// `10.0.0.1:8080`, `[::1]:8443`.
    fn is_port(&self) -> bool {
        let before = self.text[..self.finding.range.start].strip_suffix(':');
        before.is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit() || c == ']'))
    }

    /// A word of prose, not behind a title or a phrase that announces a name.
    fn is_everyday(&self) -> bool {
        all_of(self.value, &EVERYDAY)
            && !near::word_before(self.text, self.finding.range.start).is_some_and(|word| {
                let before = &self.text[word.clone()];
                lists::HONORIFICS.has(before)
                    && !matches!(&*before.to_lowercase(), "pan" | "pani" | "panie" | "heer" | "heren")
            })
    }

    /// A lone name that is hardly marked and whose capital, or want of one, says nothing.
    fn is_unsure(&self) -> bool {
        let start = self.finding.range.start;
        let confidence = self.finding.confidence;
        if confidence >= OPENING || (is_lower(self.value) && self.known.contains(self.value)) {
            return false;
        }
        let head = near::head(self.text, start)
            .trim_end_matches(|c| near::is_space(c) || matches!(c, '"' | '¿' | '¡'));
        let opens = head.ends_with(['.', '!', '?', '\n']) || (head.is_empty() && start < 64);
        let plain = is_lower(self.value) && !self.cased && confidence < PLAIN;
        let announced = near::word_before(self.text, start).is_some_and(|word| {
            has(CUES, &self.text[word.clone()]) || lists::HONORIFICS.has(&self.text[word])
        });
        let company =
            self.beside.iter().any(|other| other.range != self.finding.range && self.apart(other) <= COMPANY);
        (opens || plain) && !announced && !company
    }

    /// `180 Grad`, `636 Treffer`: a number that is no part of an address stands right before.
    fn is_counted_noun(&self) -> bool {
        let start = self.finding.range.start;
        self.finding.confidence < SURE
            && near::word_before(self.text, start).is_some_and(|word| {
                let number = &self.text[word.clone()];
                let found = self.beside.iter().any(|other| other.range.end == word.end);
                number.bytes().all(|b| b.is_ascii_digit())
                    && !found
                    && self.text[word.end..start].chars().all(near::is_space)
                    && word.end < start
            })
    }

    /// `Miele Triflex`, `Goldman Sachs`, `Johnson & Johnson`: a make, what stands behind one, and the halves of a firm.
    fn is_a_company_s(&self) -> bool {
        let Range { start, end } = self.finding.range;
        let named = |word: Range<usize>| Some(&self.text[word]).filter(|word| near::is_capitalised(word));
        let spaced = |gap: &str| gap.len() == 1 && gap.chars().all(near::is_space);
        let before = near::word_before(self.text, start);
        let after = near::word_after(self.text, end);
        let make = |word: &str| has(lists::MAKES, word);
        let led = before.clone().filter(|word| spaced(&self.text[word.end..start])).and_then(named);
        let next = after.clone().filter(|word| spaced(&self.text[end..word.start])).and_then(named);
        if led.is_some_and(make) || next.is_some_and(|word| has(lists::TRADES, word)) {
            return true;
        }
        let trade = |word: &str| has(lists::TRADES, word) || has(lists::COMPANIES, word);
        if words(self.value).last().is_some_and(trade) {
            return true;
        }
        if all_in(self.value, lists::MAKES) && !self.behind_a_given_name() {
            return true;
        }
        // The halves of a firm: seldom is there an `&` at all.
        let lone = !self.value.contains(char::is_whitespace) && led.is_none() && next.is_none();
        let joined = before
            .filter(|word| &self.text[word.end..start] == " & ")
            .or(after.filter(|word| &self.text[end..word.start] == " & "))
            .and_then(named);
        lone && joined.is_some_and(|other| !given::is_given(other)) && !given::is_given(self.value)
    }

    /// Whether a street has the form of one or something of an address near.
    fn is_placed_street(&self) -> bool {
        let start = self.finding.range.start;
        let formed = words(self.value).any(addresses::is_street_word);
        let part = self.beside.iter().any(|other| {
            let value = &self.text[other.range.clone()];
            let telling = match other.label.as_str() {
                "CITY" | "STATE" => !is_lower(value) || !self.cased,
                "ZIP_CODE" => value.chars().filter(|c| c.is_alphanumeric()).count() >= 4,
                "SECONDARY_ADDRESS" => true,
                _ => false,
            };
            telling && self.apart(other) <= ADDRESS_REACH
        });
        let line =
            near::line_before(self.text, start).trim_end_matches(|c: char| !near::is_inner(c) && c != ':');
        formed || part || self.address_word() || line.ends_with(':')
    }

    /// `508 Sekunden`, `696 SEGUNDOS`: a unit of some letters right behind, which is no street's first word.
    fn is_counted(&self) -> bool {
        let Some(unit) = near::word_after(self.text, self.finding.range.end) else { return false };
        let value = &self.text[unit.clone()];
        value.chars().count() >= 4
            && has(lists::UNITS, value)
            && self.text[self.finding.range.end..unit.start].chars().all(near::is_space)
            && !self.beside.iter().any(|other| {
                other.label == "STREET_NAME" && other.range.start <= unit.start && other.range.end > unit.end
            })
    }

    /// `PO 589-707`, `lot L648A`: the name of a thing stands right before.
    fn is_right_behind_a_thing(&self) -> bool {
        near::word_before(self.text, self.finding.range.start).is_some_and(|word| {
            // `AZ 92936`: what was found itself is no thing.
            let found = self
                .beside
                .iter()
                .any(|other| other.range.start <= word.start && other.range.end >= word.end);
            !found
                && has(lists::THINGS, &self.text[word.clone()])
                && self.text[word.end..self.finding.range.start]
                    .chars()
                    .all(|c| near::is_space(c) || matches!(c, '#' | ':' | '.'))
        })
    }

    /// The key of `key=value`, `"key": value`, or a line's label with more words to it (`Steuer-ID: …`).
    fn is_key(&self) -> bool {
        if digits(self.value) > 0 || self.value.contains('@') {
            return false;
        }
        let rest = near::tail(self.text, self.finding.range.end);
        if rest.starts_with('=') && !rest.starts_with("==") {
            return true;
        }
        if rest.strip_prefix(['"', '\'']).is_some_and(|rest| rest.trim_start().starts_with(':')) {
            return true;
        }
        let Some((label, _)) = rest.split_once(':') else { return false };
        let line_starts = near::line_before(self.text, self.finding.range.start);
        label.len() <= 30
            && !label.contains(['\n', ',', ';', '('])
            && !label.contains(". ")
            && line_starts.len() <= 30
            && words(line_starts).chain(words(label)).any(|word| {
                has(lists::PERSONAL, word) || word.eq_ignore_ascii_case("id") || has(lists::THINGS, word)
            })
            && !label.trim().is_empty()
    }

    /// A piece of, or all of, something that is written for machines: a UUID, a hash, a version, a moment, a slug.
    fn is_piece_of_a_thing(&self) -> bool {
        let at = chunk(self.text, &self.finding.range);
        let whole = &self.text[at.clone()];
        if whole.contains(['@', '＠']) {
            return false;
        }
        let piece = at != self.finding.range;
        let named = matches!(
            self.finding.label.as_str(),
            "GIVEN_NAME" | "SURNAME" | "STREET_NAME" | "CITY" | "STATE"
        );
        (whole.split([':', '/']).any(is_uuid) && !named)
            || is_uuid(whole)
            || is_hash(whole)
            || is_version(whole)
            || is_moment(whole)
            || is_doi(whole)
            || (is_numbered(whole) && digits(self.value) > 0)
            || (piece && is_slug(whole))
            || (digits(self.value) > 0 && is_amount(self.text, &at))
    }

    /// `30000 ms`, `25 × 20 cm`, `220 °C`, `€ 50`.
    fn is_measure(&self) -> bool {
        if self.is_inside_a_number() {
            return true;
        }
        let after = near::tail(self.text, self.finding.range.end);
        let spaced = after.trim_start_matches([' ', '\u{a0}']);
        if spaced.starts_with(['%', '°', '×', '€', '$', '£', '<', '>', '±', '^']) || after.starts_with("/d")
        {
            return true;
        }
        let before = near::head(self.text, self.finding.range.start).trim_end_matches([' ', '\u{a0}']);
        if before.ends_with(['€', '$', '£', '×', '±', '<', '>', '≥', '≤', '~', '≈']) {
            return true;
        }
        let last = words(self.value).last().unwrap_or("");
        let unit = near::word_after(self.text, self.finding.range.end)
            .filter(|word| self.text[self.finding.range.end..word.start].chars().all(near::is_space))
            .map_or("", |word| &self.text[word]);
        let is_unit = |word: &str| {
            lists::UNITS.binary_search(&word).is_ok()
                || (word.len() > 1 && word.chars().skip(1).any(char::is_uppercase) && has(lists::UNITS, word))
        };
        // `30000 ms` taken whole, and a number glued to its unit: `15mm`.
        let glued = last.trim_start_matches(|c: char| c.is_ascii_digit());
        is_unit(unit)
            || (digits(self.value) > 0
                && (is_unit(last) || (glued.len() > 1 && glued.len() < last.len() && is_unit(glued))))
    }

    /// `38.2`, `14/8`, `2,4`: a piece of a number that goes on before or behind.
    fn is_inside_a_number(&self) -> bool {
        let joint = |c: Option<char>| c.is_some_and(|c| matches!(c, '.' | ',' | '/'));
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let mut before = near::head(self.text, self.finding.range.start).chars().rev();
        let mut after = near::tail(self.text, self.finding.range.end).chars();
        let led = self.value.starts_with(|c: char| c.is_ascii_digit())
            && joint(before.next())
            && digit(before.next());
        let goes_on =
            self.value.ends_with(|c: char| c.is_ascii_digit()) && joint(after.next()) && digit(after.next());
        led || goes_on
    }

    /// Nothing but this stands in the text.
    fn is_all(&self) -> bool {
        self.text.trim() == self.value
    }

    /// A street that ends right before or begins right behind.
    fn touches_a_street(&self) -> bool {
        self.beside.iter().any(|other| {
            other.label == "STREET_NAME" && other.range != self.finding.range && self.apart(other) <= 4
        })
    }

    /// `Chelsea 3-1`: a result, unless the street beside it has the form of one.
    fn is_a_score_s(&self) -> bool {
        is_score(&self.text[chunk(self.text, &self.finding.range)])
            && !self.address_word()
            && !self.beside.iter().any(|other| {
                other.label == "STREET_NAME"
                    && self.apart(other) <= 4
                    && words(&self.text[other.range.clone()]).any(addresses::is_street_word)
            })
    }

    /// `912-40-7781` and its kind: written like a social security number that nobody can have, and not called one.
    fn is_refused_ssn(&self) -> bool {
        let b = self.value.as_bytes();
        let shaped = b.len() == 11
            && b.iter()
                .enumerate()
                .all(|(i, c)| if i == 3 || i == 6 { *c == b'-' } else { c.is_ascii_digit() });
        shaped
            && !words(near::head(self.text, self.finding.range.start))
                .any(|word| has(lists::PERSONAL, word) || word.eq_ignore_ascii_case("security"))
    }

    /// The nearest telling word before says order, ticket, build, not passport or account.
    fn is_a_thing_s(&self) -> bool {
        let line = near::line_before(self.text, self.finding.range.start);
        // `Order no. 7741`: an abbreviation ends no sentence.
        let line = line.trim_end_matches(|c: char| near::is_space(c) || matches!(c, '.' | ':' | '#'));
        let sentence = line.rsplit(['.', ';', '(']).next().unwrap_or(line);
        let telling = |word: &&str| has(lists::PERSONAL, word) || has(lists::THINGS, word);
        let words: Vec<&str> = words(sentence).collect();
        words.iter().rev().take(5).copied().find(telling).is_some_and(|word| has(lists::THINGS, word))
    }

    /// A word before, in the same line, says that a number is a person's.
    fn is_called_personal(&self) -> bool {
        words(near::line_before(self.text, self.finding.range.start)).any(|word| has(lists::PERSONAL, word))
    }

    /// Bytes between this finding and another.
    fn apart(&self, other: &Finding) -> usize {
        let Range { start, end } = self.finding.range;
        start.saturating_sub(other.range.end).max(other.range.start.saturating_sub(end))
    }

    /// One of these parts of an address nearby, itself looking like one.
    fn near(&self, labels: &[&str]) -> bool {
        self.beside.iter().any(|other| {
            let value = &self.text[other.range.clone()];
            let looks = match other.label.as_str() {
                "ZIP_CODE" | "BUILDING_NUMBER" | "SECONDARY_ADDRESS" => digits(value) > 0,
                _ => {
                    !(self.cased && is_lower(value)) || digits(self.value) > 0 && other.label == "STREET_NAME"
                }
            };
            looks
                && labels.contains(&other.label.as_str())
                && other.range != self.finding.range
                && self.apart(other) <= ADDRESS_REACH
        })
    }

    /// `Hans-Gerd Steuer`: a word that is a name behind a given name.
    fn behind_a_given_name(&self) -> bool {
        let start = self.finding.range.start;
        near::is_capitalised(self.value)
            && self.beside.iter().any(|other| {
                other.label == "GIVEN_NAME"
                    && other.range.end < start
                    && self.text[other.range.end..start].chars().all(near::is_space)
            })
    }

    /// `Trace 5c07…`, `Ticket 12`: the name of a thing whose number follows.
    fn names_a_thing(&self) -> bool {
        let Some(next) = near::word_after(self.text, self.finding.range.end) else { return false };
        all_in(self.value, lists::THINGS)
            && digits(&self.text[next.clone()]) > 0
            && self.text[self.finding.range.end..next.start]
                .chars()
                .all(|c| near::is_space(c) || matches!(c, '#' | ':'))
    }

    /// A word that announces an address or a number of one, shortly before.
    fn address_word(&self) -> bool {
        let line = near::line_before(self.text, self.finding.range.start);
        let words: Vec<&str> = words(line).collect();
        words.iter().rev().take(4).any(|word| has(lists::ADDRESS_WORDS, word))
    }

    /// One small letter that is no initial: an initial (`jane d.`) stands beside a name.
    fn is_lone_letter(&self) -> bool {
        let mut letters = self.value.chars().filter(|c| c.is_alphabetic());
        let one = letters.next().is_some_and(char::is_lowercase) && letters.next().is_none();
        let Range { start, end } = self.finding.range;
        one && !self.beside.iter().any(|other| {
            let between =
                if other.range.end <= start { other.range.end..start } else { end..other.range.start };
            matches!(other.label.as_str(), "GIVEN_NAME" | "SURNAME")
                && self
                    .text
                    .get(between)
                    .is_some_and(|gap| gap.len() <= 2 && gap.chars().all(|c| near::is_space(c) || c == '.'))
        })
    }

    /// A word in small letters amid text that gives names their capitals.
    fn is_small_word(&self) -> bool {
        if !self.cased || !is_lower(self.value) || self.known.contains(self.value) {
            return false;
        }
        let Range { start, end } = self.finding.range;
        let before = near::head(self.text, start);
        let after = near::tail(self.text, end);
        // Fields and records: no sentence gives a capital there.
        let field = before.trim_end_matches(near::is_space);
        // `riga 154: carattere inatteso`: a sentence goes on behind a colon, a field's value ends.
        let goes_on = after.trim_start_matches(near::is_space).starts_with(char::is_lowercase)
            && !self.beside.iter().any(|other| other.range.start > end && other.range.start <= end + 2);
        if field.ends_with(['=', '|', '/', '@', '_'])
            || (field.ends_with(':') && !goes_on)
            || after.starts_with(['=', '@', '_'])
        {
            return false;
        }
        let announced = near::word_before(self.text, start).is_some_and(|word| {
            let gap_is_space = self.text[word.end..start].chars().all(|c| near::is_space(c) || c == '.');
            gap_is_space && (has(CUES, &self.text[word.clone()]) || lists::HONORIFICS.has(&self.text[word]))
        });
        let beside_a_name = self.beside.iter().any(|other| {
            let gap = if other.range.end <= start {
                &self.text[other.range.end..start]
            } else if other.range.start >= end {
                &self.text[end..other.range.start]
            } else {
                return false;
            };
            matches!(other.label.as_str(), "GIVEN_NAME" | "SURNAME" | "ZIP_CODE" | "STREET_NAME")
                && is_written_as_a_name(&self.text[other.range.clone()])
                && gap.len() <= 2
                && gap.chars().all(near::is_space)
        });
        !(announced || (beside_a_name && self.finding.confidence >= SMALL_BESIDE))
    }
}

/// The names among findings that are written with a capital, in small letters.
fn capitalised_names(text: &str, findings: &[Finding]) -> HashSet<String> {
    findings
        .iter()
        .filter(|finding| matches!(finding.label.as_str(), "GIVEN_NAME" | "SURNAME"))
        .map(|finding| &text[finding.range.clone()])
        .filter(|value| near::is_capitalised(value))
        .map(str::to_lowercase)
        .collect()
}

/// `Mauro`, `12`, not `TC` and not `abdomen`.
fn is_written_as_a_name(value: &str) -> bool {
    let code = value.chars().count() <= 3 && value.chars().all(char::is_uppercase);
    !is_lower(value) && !code
}

/// `apiKey`: a small letter first and a capital inside.
fn is_identifier(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_lowercase())
        && value.bytes().all(|b| b.is_ascii_alphanumeric())
        && value.bytes().any(|b| b.is_ascii_uppercase())
}

/// Words right before a name, also where the writer spares the capitals. Sorted.
const CUES: &[&str] = &[
    "am", "appelle", "bin", "called", "chamo", "chiamo", "heet", "heisse", "heiße", "i'm", "im", "is",
    "llama", "llamo", "m", "mi", "name", "named", "nazywam", "nombre", "nome", "sono", "sou", "soy", "this",
    "vorname",
];

/// Do sentences and lines of a text begin with capitals?
pub(crate) fn is_cased(text: &str) -> bool {
    let (mut large, mut small) = (0usize, 0usize);
    let mut begins = true;
    let mut last = '.';
    for c in text.chars() {
        if c.is_alphabetic() {
            if begins && (c.is_lowercase() || c.is_uppercase()) {
                *(if c.is_uppercase() { &mut large } else { &mut small }) += 1;
            }
            begins = false;
        } else if c.is_numeric() {
            begins = false;
        } else if c.is_whitespace() && matches!(last, '.' | '!' | '?' | '\n') {
            begins = true;
        }
        last = if c == '\r' || (near::is_space(c) && last == '\n') { last } else { c };
    }
    large > 0 && small * 4 <= large
}

fn is_currency(word: &str) -> bool {
    const CURRENCIES: &[&str] = &["chf", "eur", "euro", "euros", "gbp", "pln", "usd", "zł"];
    has(CURRENCIES, word)
}

fn all_of(value: &str, list: &List) -> bool {
    words(value).all(|word| list.has(word))
}

fn all_in(value: &str, list: &[&str]) -> bool {
    words(value).all(|word| has(list, word))
}

#[cfg(test)]
mod tests;
