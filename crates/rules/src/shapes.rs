//! Values of a known shape: the automaton finds them, check digits and context words decide.

use crate::candidate::Candidate;
use crate::checks::Value;
use crate::context::{Context, Spoken};
use crate::tables::{RECOGNISERS, Recogniser, SHAPES, group};
use crate::text::{byte, byte_before, is_whole, joined_left, joined_right, word_before};

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
    text: &'a str,
    context: &'a Context<'a>,
    start: usize,
    end: usize,
}

/// Candidates whose shape starts at `start`, the start of a word.
pub fn at(text: &str, context: &Context, start: usize, out: &mut Vec<Candidate>) {
    if joined_left(text, start) {
        return;
    }
    SHAPES.ends(text.as_bytes(), start, |end, rules| {
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
        let place = Place { text, context, start, end };
        out.extend(rules.iter().filter_map(|&rule| place.judge(usize::from(rule), &value)));
    });
}

impl Place<'_> {
    fn judge(&self, order: usize, value: &Value) -> Option<Candidate> {
        let rule = &RECOGNISERS[order];
        if rule.policy.needs_digits && value.text.iter().filter(|b| b.is_ascii_digit()).count() < 4 {
            return None;
        }
        let passed = rule.check.is_none_or(|(check, _)| check(value));
        if !passed && !rule.policy.unchecked {
            return None;
        }
        // Everybody's example of nine digits.
        if value.text == b"123456789" || value.text == b"987654321" {
            return None;
        }
        let piece = self.is_part_of_longer(value);
        let spoken = self.context.near(self.start, self.end, rule.context);
        let spoken = spoken.filter(|s| s.tight || !(rule.policy.tight || piece));
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
        if spoken.is_some() {
            return Some(if rule.check.is_some() { CHECKED_AND_SPOKEN } else { SPOKEN });
        }
        let whole = is_whole(self.text, self.start, self.end);
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
        let anywhere = anywhere
            .filter(|_| whole || !(self.is_a_thing(value) || (punctuated && self.is_part_of_longer(value))));
        anywhere.or((policy.whole && whole).then_some(WHOLE)).or((policy.hint && whole).then_some(HINT_WHOLE))
    }

    /// Does a word before say that the number is an order, a price, a version?
    fn is_a_thing(&self, value: &Value) -> bool {
        let plain = value.text.len() < 14 && value.text.iter().all(u8::is_ascii_digit);
        plain && self.context.before(self.start, group::THING, 16).is_some()
    }

    /// Groups of digits before or behind, a space away: a longer number of which this is a piece.
    fn is_part_of_longer(&self, value: &Value) -> bool {
        let digit_at = |i: usize| byte(self.text, i).is_ascii_digit();
        let before =
            byte_before(self.text, self.start) == b' ' && self.start >= 2 && digit_at(self.start - 2);
        let after = byte(self.text, self.end) == b' ' && digit_at(self.end + 1);
        let is_digit = |b: Option<&u8>| b.is_some_and(u8::is_ascii_digit);
        (before && is_digit(value.text.first())) || (after && is_digit(value.text.last()))
    }
}

/// Can a shape start at this byte? Words of ASCII letters and digits, and Greek capitals for identity cards.
pub fn may_start(text: &str, at: usize) -> bool {
    let b = byte(text, at);
    (b.is_ascii_alphanumeric() || b == 0xce) && !word_before(text, at)
}
