//! Values of a known shape: the automaton finds them, check digits and context words decide.

use crate::candidate::Candidate;
use crate::checks::Value;
use crate::context::{Around, Context, Spoken};
use crate::tables::{RECOGNISERS, Recogniser, SHAPES, group};
use crate::text::{byte, byte_before, is_whole, joined_left, joined_right, word_before};
use crate::work;

/// Longest shape, in letters and digits.
const LONGEST: usize = 40;

/// Confidence of a value by what speaks for it.
const CHECKED_AND_SPOKEN: f32 = 0.95;
const STRONG: f32 = 0.9;
const SPOKEN: f32 = 0.8;
const PUNCTUATED: f32 = 0.75;
const WHOLE: f32 = 0.55;
const HINT_WHOLE: f32 = 0.45;
const HINT_UNCHECKED: f32 = 0.4;

/// A value in its surroundings: what every rule asks about it.
struct Place<'a> {
    context: &'a Context<'a>,
    start: usize,
    end: usize,
    around: Around,
    /// Is the value all there is?
    whole: bool,
    /// Is it a piece of a longer number?
    piece: bool,
}

/// Candidates whose shape starts at `start`, the start of a word.
pub fn at(text: &str, context: &Context, start: usize, out: &mut Vec<Candidate>) {
    if joined_left(text, start) {
        return;
    }
    SHAPES.ends(text.as_bytes(), start, |end, rules| {
        work::add(rules.len());
        if joined_right(text, end) || !text.is_char_boundary(end) {
            return;
        }
        let raw = &text[start..end];
        let mut compact = [0u8; LONGEST];
        let mut n = 0;
        for b in raw.bytes().filter(u8::is_ascii_alphanumeric) {
            if n == LONGEST {
                return;
            }
            compact[n] = b.to_ascii_uppercase();
            n += 1;
        }
        let value = Value { text: &compact[..n], raw };
        // Everybody's examples: the digits upwards, and downwards however many.
        if value.text == b"123456789" || value.text.starts_with(b"987654321") {
            return;
        }
        let around = context.around(start, end);
        let (whole, piece) = (is_whole(text, start, end), is_part_of_longer(text, start, end));
        let place = Place { context, start, end, around, whole, piece };
        out.extend(rules.iter().filter_map(|&rule| place.judge(usize::from(rule), &value)));
    });
}

impl Place<'_> {
    fn judge(&self, order: usize, value: &Value) -> Option<Candidate> {
        let rule = &RECOGNISERS[order];
        // No word for it and no belief without one: the check need not be made.
        let policy = &rule.policy;
        let alone = policy.strong || policy.upper || policy.punctuated;
        if self.around.groups & rule.context == 0 && !alone && !(self.whole && (policy.whole || policy.hint))
        {
            return None;
        }
        if policy.needs_digits && value.text.iter().filter(|b| b.is_ascii_digit()).count() < 4 {
            return None;
        }
        let passed = rule.check.is_none_or(|(check, _)| check(value));
        if !passed && !policy.unchecked {
            return None;
        }
        let spoken = self.context.nearest(&self.around, rule.context);
        let spoken = spoken.filter(|s| s.tight || !(policy.tight || self.piece));
        if policy.entire && self.piece {
            return None;
        }
        let confidence = self.confidence(rule, value, passed, spoken)?;
        let check = rule.check.filter(|_| passed).map(|(_, name)| name);
        Some(Candidate {
            start: self.start,
            end: self.end,
            label: rule.label,
            subtype: rule.subtype,
            rule: rule.rule,
            check,
            spoken,
            confidence,
            order,
        })
    }

    fn confidence(
        &self,
        rule: &Recogniser,
        value: &Value,
        passed: bool,
        spoken: Option<Spoken>,
    ) -> Option<f32> {
        let policy = &rule.policy;
        if !passed {
            return spoken.filter(|s| s.tight).map(|_| HINT_UNCHECKED);
        }
        if let Some(spoken) = spoken {
            if policy.kind && spoken.groups & group::NAMED != 0 {
                return Some(HINT_UNCHECKED);
            }
            return Some(if rule.check.is_some() { CHECKED_AND_SPOKEN } else { SPOKEN });
        }
        let whole = self.whole;
        let punctuated = value.raw.len() > value.text.len();
        let upper = !value.raw.bytes().any(|b| b.is_ascii_lowercase());
        let checked = rule.check.is_some();
        let anywhere = if policy.strong || (policy.upper && upper) {
            Some(if checked { STRONG } else { PUNCTUATED })
        } else if policy.punctuated && punctuated {
            Some(PUNCTUATED)
        } else {
            None
        };
        let anywhere = anywhere.filter(|_| {
            whole
                || !(self.is_a_thing(value)
                    || self.is_called_another(rule, value)
                    || (punctuated && self.piece))
        });
        anywhere.or((policy.whole && whole).then_some(WHOLE)).or((policy.hint && whole).then_some(HINT_WHOLE))
    }

    /// `NISS: 11074802627`: right before stands the name of another country's number, whose check this one failed.
    fn is_called_another(&self, rule: &Recogniser, value: &Value) -> bool {
        matches!(rule.label, "GOVERNMENT_ID" | "TAX_ID")
            && value.text.iter().all(u8::is_ascii_digit)
            && self.context.nearest(&self.around, group::NAMED).is_some_and(|spoken| spoken.tight)
    }

    /// Does a word before say that the number is an order, a price, a version?
    fn is_a_thing(&self, value: &Value) -> bool {
        let plain = value.text.len() < 14 && value.text.iter().all(u8::is_ascii_digit);
        plain && self.context.before(self.start, group::THING, 16).is_some()
    }
}

/// Groups of digits before or behind, a space away: a longer number of which this is a piece.
fn is_part_of_longer(text: &str, start: usize, end: usize) -> bool {
    let digit_at = |i: usize| byte(text, i).is_ascii_digit();
    let before = byte_before(text, start) == b' ' && start >= 2 && digit_at(start - 2);
    let after = byte(text, end) == b' ' && digit_at(end + 1);
    (before && digit_at(start)) || (after && digit_at(end - 1))
}

/// Can a shape start with the word from `start` to `end`, whose first digit (if any) is at `digit`?
///
/// All shapes have digits: in the word, or in the next one behind a short word of letters (`AB 12 34 56 C`). Three
/// have none, or none so near: a BIC (eight or eleven letters, with its word or in capitals), a codice fiscale whose
/// digits are all replaced (sixteen letters), and a licence in groups of letters (`WDL-ABC-1234`).
pub fn may_start(text: &str, start: usize, end: usize, digit: usize, context: &Context) -> bool {
    let b = byte(text, start);
    if !(b.is_ascii_alphanumeric() || b == 0xce) || word_before(text, start) {
        return false;
    }
    if digit < end || b == 0xce {
        return true;
    }
    match end - start {
        8 | 11 => context.speaks_of(group::BIC) || word_is_upper(text, start, end),
        16 => true,
        n @ 1..=6 => match byte(text, end) {
            b'-' if n <= 3 => true,
            b'.' if n <= 2 => true,
            b' ' | b'-' | b'.' => has_digit(text, end + 1),
            _ => false,
        },
        _ => false,
    }
}

fn word_is_upper(text: &str, start: usize, end: usize) -> bool {
    text.as_bytes()[start..end].iter().all(u8::is_ascii_uppercase)
}

/// Does the word at `at` hold a digit among its first seven characters?
fn has_digit(text: &str, at: usize) -> bool {
    let word = text.as_bytes().get(at..).unwrap_or(&[]).iter().take(7);
    word.take_while(|b| b.is_ascii_alphanumeric()).any(u8::is_ascii_digit)
}
