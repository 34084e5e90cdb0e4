//! Towns that nobody is at: `The train from Vienna to Budapest` tells about no person.

use crate::arbitrate::{Finding, Rank};
use crate::lists::{self, has};
use crate::near;

/// Words of who writes and who is written to, in eight languages: where one stands, a town may be theirs. Sorted.
#[rustfmt::skip]
const OURS: &[&str] = &[
    "du", "eu", "ich", "ik", "io", "ja", "je", "jestem", "jouw", "me", "mein", "meine", "meinem", "meinen",
    "meiner", "meu", "mi", "mia", "mich", "mieszkam", "mijn", "minha", "mio", "mir", "moi", "moja", "mon",
    "my", "mój", "nasz", "nos", "nossa", "nosso", "notre", "nous", "nuestra", "nuestro", "onze", "our", "soy",
    "sua", "suis", "tu", "uns", "unser", "unsere", "vivo", "we", "wir", "wohne", "yo", "you", "your",
];

/// Takes the towns and states out of a text of sentences in which nothing else was found and nobody speaks of
/// themselves. Alone, behind a colon or an address word, or placed by a rule, a town stays.
pub fn forget(text: &str, findings: &mut Vec<Finding>) {
    let placed = |finding: &Finding| {
        finding.rank == Rank::Model
            && finding.evidence.rule.is_none()
            && matches!(finding.label.as_str(), "CITY" | "STATE")
    };
    if findings.is_empty() || !findings.iter().all(placed) {
        return;
    }
    let named = |finding: &Finding| {
        let line = near::line_before(text, finding.range.start);
        line.contains([':', '=', '|', '"']) || near::words(line).any(|word| has(lists::ADDRESS_WORDS, word))
    };
    let sentence = near::words(text).filter(|word| near::is_lower(word)).take(3).count() == 3;
    if sentence
        && !findings.iter().any(named)
        && !near::words(text).any(|word| word == "I" || has(OURS, word))
    {
        findings.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arbitrate::trial::found;

    fn stays(text: &str, town: &str) -> bool {
        let mut findings = found(text, &[(town, "CITY")]);
        forget(text, &mut findings);
        !findings.is_empty()
    }

    #[test]
    fn a_town_in_prose_about_nobody_goes() {
        assert!(!stays("The train from Vienna takes about two hours.", "Vienna"));
        assert!(!stays("Im Oktober wird es in Hamburg meist kühl und nass.", "Hamburg"));
    }

    #[test]
    fn a_town_of_somebody_stays() {
        for text in [
            "I have moved to Vienna with all that",
            "Vienna",
            "current town: Vienna, which is in the east",
            "wir sind alle noch in Vienna",
        ] {
            assert!(stays(text, "Vienna"), "{text}");
        }
        let text = "the train from Vienna was late, said Anna";
        let mut findings = found(text, &[("Vienna", "CITY"), ("Anna", "GIVEN_NAME")]);
        forget(text, &mut findings);
        assert_eq!(findings.len(), 2);
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(OURS.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
