//! Token probabilities to the spans a person would draw.
//!
//! The model answers per token, in pieces of words and with a B- or I- tag. People mark words. So pieces of one
//! word vote together on one label, and neighbouring words of one label are one value unless the model says
//! that a new one begins.

use std::ops::Range;

use crate::near::{self, is_inner};

/// What the model's output columns mean.
#[derive(Debug, Clone)]
pub struct Scheme {
    /// The labels, without prefix; index 0 is "nothing".
    pub names: Vec<String>,
    /// For each output column: label index, and whether it begins a value.
    columns: Vec<(usize, bool)>,
}

impl Scheme {
    /// Reads `O`, `B-X`, `I-X` (also `L-`, `U-`, `E-`, `S-`, and labels without prefix).
    pub fn new(columns: &[String]) -> Scheme {
        let mut names = vec!["O".to_string()];
        let columns = columns
            .iter()
            .map(|column| {
                let (prefix, name) = match column.split_once(['-', '_']) {
                    Some((prefix @ ("B" | "I" | "L" | "U" | "E" | "S"), name)) => (prefix, name),
                    _ => ("I", column.as_str()),
                };
                if name == "O" {
                    return (0, false);
                }
                let index = names.iter().position(|known| known == name).unwrap_or_else(|| {
                    names.push(name.to_string());
                    names.len() - 1
                });
                (index, matches!(prefix, "B" | "U" | "S"))
            })
            .collect();
        Scheme { names, columns }
    }
}

/// One token of the text with what the model thinks of it.
#[derive(Debug, Clone)]
pub struct Token {
    /// Bytes of the original text.
    pub range: Range<usize>,
    /// Probability of each label of the scheme, the two tags of a label added up.
    pub labels: Vec<f32>,
    /// Probability that a value begins here.
    pub begins: f32,
}

impl Token {
    /// Softmax over one row of logits, by label.
    pub fn new(range: Range<usize>, logits: &[f32], scheme: &Scheme) -> Token {
        let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut labels = vec![0.0; scheme.names.len()];
        let (mut sum, mut begins) = (0.0f32, 0.0f32);
        for (&logit, &(label, begin)) in logits.iter().zip(&scheme.columns) {
            let weight = libm::expf(logit - max);
            sum += weight;
            labels[label] += weight;
            if begin {
                begins += weight;
            }
        }
        labels.iter_mut().for_each(|weight| *weight /= sum);
        Token { range, labels, begins: begins / sum }
    }
}

/// A value the model found.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Bytes of the original text.
    pub range: Range<usize>,
    /// Index into [`Scheme::names`].
    pub label: usize,
    /// Probability that it is personal at all, the mean over its words.
    pub confidence: f32,
}

/// A word marked with this much takes in the neighbours that were [`NEARLY`] marked.
const SURE: f32 = 0.25;
/// What a word beside a sure one needs.
const NEARLY: f32 = 0.1;

/// A word: touching pieces whose touching characters are letters or digits.
struct Word {
    range: Range<usize>,
    labels: Vec<f32>,
    begins: f32,
}

/// The least confidence a label asks for.
#[derive(Debug, Clone, Copy)]
pub struct Least {
    /// Of a word by itself.
    pub own: f32,
    /// Of a word beside a sure one: what the caller asked for holds there, too.
    pub beside: f32,
}

impl Least {
    /// `asked` holds for every word; `own` is the built-in one, which neighbours may stay under.
    pub fn new(asked: Option<f32>, own: f32) -> Least {
        Least { own: asked.unwrap_or(own), beside: asked.unwrap_or(NEARLY) }
    }
}

/// Draws the spans of one text. `least(label)` is the least confidence for a label of the scheme.
pub fn draw(text: &str, tokens: &[Token], least: &dyn Fn(usize) -> Least) -> Vec<Span> {
    let words = words(text, tokens);
    let mut decided: Vec<(usize, f32)> = words.iter().map(|word| decide(&word.labels)).collect();
    let mut kept: Vec<bool> =
        decided.iter().map(|&(label, confidence)| confidence >= least(label).own).collect();
    grow(text, &words, &mut decided, &mut kept, least);
    let mut spans: Vec<Span> = Vec::new();
    let mut counts: Vec<f32> = Vec::new();
    for ((word, &(label, confidence)), _) in words.iter().zip(&decided).zip(&kept).filter(|(_, kept)| **kept)
    {
        if let (Some(last), Some(count)) = (spans.last_mut(), counts.last_mut())
            && last.label == label
            && continues(&text[last.range.end..word.range.start], word)
        {
            last.range.end = word.range.end;
            last.confidence += confidence;
            *count += 1.0;
            continue;
        }
        spans.push(Span { range: word.range.clone(), label, confidence });
        counts.push(1.0);
    }
    for (span, count) in spans.iter_mut().zip(counts) {
        span.confidence /= count;
    }
    spans.retain_mut(|span| {
        span.range = trim(text, span.range.clone());
        !span.range.is_empty()
    });
    spans
}

/// A word that the model nearly marked, beside one it surely did, is part of the same value; so is the sign
/// between two groups of one value.
fn grow(
    text: &str,
    words: &[Word],
    decided: &mut [(usize, f32)],
    kept: &mut [bool],
    least: &dyn Fn(usize) -> Least,
) {
    let sure: Vec<bool> =
        kept.iter().zip(decided.iter()).map(|(&kept, &(_, confidence))| kept && confidence >= SURE).collect();
    for i in 0..words.len() {
        if kept[i] {
            continue;
        }
        let before = i.checked_sub(1).filter(|&j| sure[j]);
        let after = Some(i + 1).filter(|&j| j < words.len() && sure[j]);
        let gap = |a: usize, b: usize| text.get(words[a].range.end..words[b].range.start).unwrap_or("\n");
        let value = &text[words[i].range.clone()];
        if let (Some(before), Some(after)) = (before, after)
            && decided[before].0 == decided[after].0
            && gap(before, i).is_empty()
            && gap(i, after).is_empty()
            && matches!(value, "-" | "." | "'" | "’" | "‑")
        {
            decided[i] = (decided[before].0, decided[i].1);
            kept[i] = true;
            continue;
        }
        let spaced = |gap: &str| !gap.is_empty() && gap.chars().all(near::is_space);
        let beside = before.is_some_and(|j| spaced(gap(j, i))) || after.is_some_and(|j| spaced(gap(i, j)));
        let telling = value.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric());
        let (label, confidence) = decided[i];
        kept[i] = beside && telling && confidence >= least(label).beside;
    }
}

/// The most probable label other than "nothing", and the probability that it is not nothing.
fn decide(labels: &[f32]) -> (usize, f32) {
    let mut best = 1.min(labels.len() - 1);
    for (label, &p) in labels.iter().enumerate().skip(1) {
        if p > labels[best] {
            best = label;
        }
    }
    (best, labels[1..].iter().sum())
}

/// Whether a word goes on with the value before it, `gap` lying between.
fn continues(gap: &str, word: &Word) -> bool {
    if gap.is_empty() {
        return true;
    }
    let line_breaks = gap.matches('\n').count();
    line_breaks == 0 && gap.chars().all(char::is_whitespace) && word.begins < 0.5
}

/// Tokens to words, ascending and disjoint. Several tokens of one character share its range: they are one word
/// whatever the character, so that no word begins before the last one ends.
fn words(text: &str, tokens: &[Token]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut pieces = 0.0f32;
    for token in tokens.iter().filter(|token| !token.range.is_empty()) {
        if let Some(word) = words.last_mut()
            && (token.range.start < word.range.end
                || (token.range.start == word.range.end && in_one_word(text, word.range.end)))
        {
            word.range.end = word.range.end.max(token.range.end);
            pieces += 1.0;
            // The running mean of the pieces' probabilities.
            for (mean, &p) in word.labels.iter_mut().zip(&token.labels) {
                *mean += (p - *mean) / pieces;
            }
            continue;
        }
        words.push(Word { range: token.range.clone(), labels: token.labels.clone(), begins: token.begins });
        pieces = 1.0;
    }
    words
}

/// Whether a position lies inside a word: letters, digits or marks on both sides.
fn in_one_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(is_inner) && text[at..].chars().next().is_some_and(is_inner)
}

/// Widens a range to whole words and takes white space, outer punctuation and a possessive 's off it.
pub fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = range;
    while start > 0 && in_one_word(text, start) {
        start -= text[..start].chars().next_back().map_or(0, char::len_utf8);
    }
    while end < text.len() && in_one_word(text, end) {
        end += text[end..].chars().next().map_or(0, char::len_utf8);
    }
    trim_inside(text, start..end)
}

/// Takes white space, outer punctuation and a possessive 's off a range.
pub fn trim_inside(text: &str, range: Range<usize>) -> Range<usize> {
    let Range { mut start, end } = range;
    let count = |text: &str, c: char| text.matches(c).count();
    // An opening bracket stays where its closing one is inside, and the other way round.
    while let Some(c) = text[start..end].chars().next() {
        let inside = &text[start..end];
        if is_inner(c) || c == '+' || c == '#' || (c == '(' && count(inside, ')') >= count(inside, '(')) {
            break;
        }
        start += c.len_utf8();
    }
    let mut end = end;
    while let Some(c) = text[start..end].chars().next_back() {
        let inside = &text[start..end];
        if is_inner(c) || (c == ')' && count(inside, '(') >= count(inside, ')')) {
            break;
        }
        end -= c.len_utf8();
    }
    start..start + without_possessive(&text[start..end]).len()
}

fn without_possessive(value: &str) -> &str {
    for ending in ["'s", "’s", "'S", "’S"] {
        if let Some(rest) = value.strip_suffix(ending)
            && rest.ends_with(char::is_alphanumeric)
        {
            return rest;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme() -> Scheme {
        Scheme::new(&["O", "B-GIVEN_NAME", "I-GIVEN_NAME", "B-SURNAME", "I-SURNAME"].map(String::from))
    }

    /// Tokens from (text, column) pairs, found one after another in the text; the column's logit is 5.
    fn tokens(text: &str, pieces: &[(&str, usize)]) -> Vec<Token> {
        let mut at = 0;
        pieces
            .iter()
            .map(|&(piece, column)| {
                let start = at + text[at..].find(piece).unwrap();
                at = start + piece.len();
                let mut logits = [0.0; 5];
                logits[column] = 5.0;
                Token::new(start..at, &logits, &scheme())
            })
            .collect()
    }

    fn drawn<'t>(text: &'t str, pieces: &[(&str, usize)]) -> Vec<(&'t str, usize)> {
        draw(text, &tokens(text, pieces), &|_| Least::new(None, 0.5))
            .into_iter()
            .map(|span| (&text[span.range], span.label))
            .collect()
    }

    #[test]
    fn a_begin_tag_on_a_piece_of_a_word_does_not_split_it() {
        assert_eq!(
            drawn("Ana Lefèvre", &[("Ana", 1), ("Le", 3), ("f", 3), ("èvre", 3)]),
            [("Ana", 1), ("Lefèvre", 2)]
        );
    }

    #[test]
    fn the_pieces_of_a_word_vote() {
        assert_eq!(drawn("Lefèvre", &[("Le", 3), ("f", 0), ("èvre", 4)]), [("Lefèvre", 2)]);
        assert_eq!(drawn("mistrust", &[("mis", 1), ("tru", 0), ("st", 0)]), []);
    }

    #[test]
    fn touching_words_and_inside_tags_join_and_begin_tags_part() {
        assert_eq!(drawn("Maria Luisa", &[("Maria", 1), ("Luisa", 2)]), [("Maria Luisa", 1)]);
        assert_eq!(drawn("Alba Bruno", &[("Alba", 1), ("Bruno", 1)]), [("Alba", 1), ("Bruno", 1)]);
        assert_eq!(drawn("Alba\nBruno", &[("Alba", 1), ("Bruno", 2)]), [("Alba", 1), ("Bruno", 1)]);
        assert_eq!(drawn("Maeve O'Malley", &[("O", 3), ("'", 4), ("Malley", 3)]), [("O'Malley", 2)]);
    }

    #[test]
    fn possessives_and_outer_punctuation_stay_outside() {
        assert_eq!(drawn("Ulrik's.", &[("Ulrik", 1), ("'", 2), ("s", 2), (".", 2)]), [("Ulrik", 1)]);
        assert_eq!(trim("(212) 555-0199).", 0..16), 0..14);
        assert_eq!(trim("\"Ana\",", 0..6), 1..4);
        assert_eq!(trim(" .. ", 0..4), 4..4);
        assert_eq!(trim("Müller", 3..4), 0..7);
    }

    #[test]
    fn tokens_of_one_character_are_one_word() {
        let text = "🙏 Ana";
        let token = |range, column: usize| {
            let mut logits = [0.0; 5];
            logits[column] = 5.0;
            Token::new(range, &logits, &scheme())
        };
        let tokens = [token(0..4, 1), token(0..4, 1), token(0..4, 2), token(5..8, 1)];
        let words = words(text, &tokens);
        assert_eq!(words.iter().map(|word| word.range.clone()).collect::<Vec<_>>(), [0..4, 5..8]);
        assert_eq!(draw(text, &tokens, &|_| Least::new(None, 0.5)).len(), 1, "an emoji is no name");
    }

    #[test]
    fn columns_without_prefix_are_labels() {
        let scheme = Scheme::new(&["O", "PER", "B-LOC", "I-LOC"].map(String::from));
        assert_eq!(scheme.names, ["O", "PER", "LOC"]);
        let token = Token::new(0..1, &[0.0, 0.0, 0.0, 0.0], &scheme);
        assert_eq!(token.labels, [0.25, 0.25, 0.5]);
        assert_eq!(token.begins, 0.25);
    }

    #[test]
    fn neighbours_of_a_sure_word_hold_the_asked_threshold() {
        // `Lima` is marked with 0.15 beside a sure `Ana`.
        let text = "Ana Lima";
        let token = |range, p: f32| Token { range, labels: vec![1.0 - p, p, 0.0], begins: 0.0 };
        let tokens = [token(0..3, 0.9), token(4..8, 0.15)];
        let ends = |asked| {
            let spans = draw(text, &tokens, &|_| Least::new(asked, 0.5));
            spans.last().map(|span| span.range.end)
        };
        assert_eq!(ends(None), Some(8), "taken in");
        assert_eq!(ends(Some(0.5)), Some(3), "less than asked for");
        assert_eq!(ends(Some(0.15)), Some(8), "just as much");
        let weak = [token(0..3, 0.9), token(4..8, NEARLY - 0.01)];
        assert_eq!(draw(text, &weak, &|_| Least::new(None, 0.5))[0].range, 0..3);
        let lower = "ana lima";
        assert_eq!(draw(lower, &tokens, &|_| Least::new(None, 0.5))[0].range, 0..3, "only telling words");
    }
}
