//! People whom a text addresses, signs with or calls kin: `Hola Tiburcio,`, `my daughter Ifeoma`, a line behind
//! `Kind regards`.
//!
//! The model misses names it has never met; these places hold a name whatever its sound. Only capitalised words that
//! no list of everyday prose holds are taken, and only where nothing else was found.

use std::ops::Range;

use crate::arbitrate::{Evidence, Finding, Rank};
use crate::everyday::is_prose;
use crate::lists::{self, List, has};
use crate::near::{self, is_capitalised};
use crate::plausible::is_cased;
use crate::{addresses, given};

/// Confidence of a name that only its place speaks for.
const PLACED: f32 = 0.65;
/// Longest line taken for a signature, in bytes.
const LONGEST_SIGNATURE: usize = 48;

/// Whose kin: sorted.
const POSSESSIVES: &[&str] = &[
    "el", "har", "her", "his", "hun", "ihr", "ihre", "ihrem", "ihren", "ihrer", "il", "jego", "jej", "la",
    "le", "leur", "ma", "mein", "meine", "meinem", "meinen", "meiner", "meu", "mi", "mia", "mijn", "minha",
    "mio", "moja", "mojej", "mon", "my", "mój", "nossa", "nosso", "notre", "nuestra", "nuestro", "onze",
    "our", "sa", "sein", "seine", "seinem", "seinen", "seiner", "son", "su", "sua", "suo", "their", "twoja",
    "twój", "unser", "unsere", "unserer", "your", "zijn",
];

/// Kin and friends: sorted. Where a possessive stands before and a capitalised word behind, that is their name.
static KIN: List = List::new(&[
    "abuela",
    "abuelo",
    "amica",
    "amico",
    "amie",
    "amiga",
    "amigo",
    "aunt",
    "avó",
    "avô",
    "boyfriend",
    "brat",
    "broer",
    "brother",
    "bruder",
    "colleague",
    "collega",
    "collègue",
    "cousin",
    "cousine",
    "cugina",
    "cugino",
    "córka",
    "daughter",
    "dochter",
    "ehefrau",
    "ehemann",
    "esposa",
    "esposo",
    "father",
    "fidanzata",
    "fidanzato",
    "figlia",
    "figlio",
    "filha",
    "filho",
    "fille",
    "fils",
    "fratello",
    "freundin",
    "friend",
    "frère",
    "girlfriend",
    "hermana",
    "hermano",
    "hija",
    "hijo",
    "husband",
    "irmã",
    "irmão",
    "kolega",
    "koleżanka",
    "kollege",
    "kollegin",
    "kumpel",
    "mari",
    "marido",
    "marito",
    "moglie",
    "mother",
    "mutter",
    "mère",
    "mąż",
    "nachbar",
    "nachbarin",
    "neef",
    "neighbor",
    "neighbour",
    "nephew",
    "nicht",
    "niece",
    "nonna",
    "nonno",
    "novia",
    "novio",
    "oma",
    "onkel",
    "opa",
    "partner",
    "prima",
    "primo",
    "père",
    "schwester",
    "siostra",
    "sister",
    "sobrina",
    "sobrino",
    "sohn",
    "son",
    "sorella",
    "syn",
    "sœur",
    "tante",
    "tia",
    "tio",
    "tochter",
    "tía",
    "tío",
    "uncle",
    "vater",
    "wife",
    "zia",
    "zio",
    "zoon",
    "zus",
    "żona",
]);

/// Words that open a letter or a chat before a name: sorted.
static GREETINGS: List = List::new(&[
    "bedankt",
    "beste",
    "bonjour",
    "bonsoir",
    "buonasera",
    "buongiorno",
    "cara",
    "caro",
    "cher",
    "chère",
    "ciao",
    "coucou",
    "cześć",
    "danke",
    "dear",
    "droga",
    "drogi",
    "dzięki",
    "dziękuję",
    "estimada",
    "estimado",
    "goedemiddag",
    "goedemorgen",
    "goedenavond",
    "gracias",
    "grazie",
    "hallo",
    "hei",
    "hej",
    "hello",
    "hey",
    "hi",
    "hoi",
    "hola",
    "liebe",
    "lieber",
    "lieve",
    "merci",
    "moin",
    "obrigada",
    "obrigado",
    "oi",
    "olá",
    "prezada",
    "prezado",
    "querida",
    "querido",
    "salut",
    "servus",
    "thanks",
    "witaj",
]);

/// Greetings of two words: `Bom dia`, `Guten Morgen`.
const DAY_GREETINGS: &[(&str, &str)] = &[
    ("boa", "noite"),
    ("boa", "tarde"),
    ("bom", "dia"),
    ("buenas", "noches"),
    ("buenas", "tardes"),
    ("buenos", "días"),
    ("dzień", "dobry"),
    ("good", "afternoon"),
    ("good", "evening"),
    ("good", "morning"),
    ("guten", "abend"),
    ("guten", "morgen"),
    ("guten", "tag"),
    ("many", "thanks"),
    ("vielen", "dank"),
];

/// Whom one greets without naming them, beside what [`EVERYDAY`] holds: sorted.
const NOBODY: &[&str] = &[
    "alexa",
    "all",
    "alle",
    "allen",
    "allerseits",
    "amici",
    "amigos",
    "board",
    "chatgpt",
    "cidade",
    "città",
    "ciudad",
    "claude",
    "collega's",
    "committee",
    "copilot",
    "equipa",
    "equipe",
    "equipo",
    "friends",
    "gemini",
    "google",
    "group",
    "hiring",
    "iedereen",
    "ihr",
    "kollegen",
    "kolleginnen",
    "leute",
    "madam",
    "mate",
    "members",
    "monde",
    "mondo",
    "mundo",
    "neighbors",
    "neighbours",
    "parents",
    "pessoal",
    "ragazzi",
    "readers",
    "santa",
    "sir",
    "siri",
    "sirs",
    "staff",
    "students",
    "support",
    "there",
    "todos",
    "tous",
    "tutti",
    "volunteers",
    "welt",
    "wereld",
    "world",
    "wszyscy",
    "wszystkim",
    "zusammen",
    "équipe",
    "świecie",
];

/// Last words of the line before a signature: sorted.
static CLOSINGS: List = List::new(&[
    "abrazo",
    "abraço",
    "abraços",
    "atentamente",
    "best",
    "bises",
    "bisous",
    "cheers",
    "cordialement",
    "cordiali",
    "cumprimentos",
    "distinti",
    "faithfully",
    "groet",
    "groeten",
    "groetjes",
    "gruss",
    "gruß",
    "grüsse",
    "grüssen",
    "grüße",
    "grüßen",
    "lg",
    "love",
    "mfg",
    "poważaniem",
    "pozdrawiam",
    "regards",
    "respectfully",
    "saludo",
    "saludos",
    "salutations",
    "saluti",
    "sincerely",
    "truly",
    "vg",
    "yours",
]);

/// Adds the names of people in such places. `findings` are sorted and disjoint, before and after.
pub fn placed(text: &str, findings: &mut Vec<Finding>) {
    let mut more = Vec::new();
    let mut last: Option<Range<usize>> = None;
    let mut at = 0;
    let cased = is_cased(text);
    while let Some(word) = near::next_word(text, at) {
        at = word.end;
        let value = &text[word.clone()];
        if (!cased || is_capitalised(value)) && is_known(text, &word, last.as_ref()) {
            more.push(found(word.clone(), "GIVEN_NAME", "given_name"));
        }
        if KIN.has(value) && last.as_ref().is_some_and(|before| owns(text, before, &word)) {
            more.extend(name_behind(text, word.end).map(|name| found(name, "GIVEN_NAME", "kin")));
        } else if (GREETINGS.has(value) && opens(text, word.start))
            || last.as_ref().is_some_and(|before| is_day_greeting(text, before, &word))
        {
            greeted(text, word.end, &mut more);
        } else if CLOSINGS.has(value) {
            closed(text, word.end, &mut more);
        } else if matches!(value, "Don" | "Doña" | "don" | "doña")
            && let Some(given) = name_behind(text, word.end)
        {
            more.extend(family_behind(text, given.end).map(|name| found(name, "SURNAME", "title")));
            more.push(found(given, "GIVEN_NAME", "title"));
        }
        last = Some(word);
    }
    signed(text, &mut more);
    more.retain(|new: &Finding| {
        let first = findings.partition_point(|other| other.range.end <= new.range.start);
        findings.get(first).is_none_or(|other| other.range.start >= new.range.end)
    });
    more.sort_by_key(|finding| finding.range.start);
    more.dedup_by(|b, a| b.range.start < a.range.end);
    findings.append(&mut more);
    findings.sort_by_key(|finding| finding.range.start);
}

/// `Wouter fietste`, `ring uwe`: a common given name that is not what a street, a saint or a company is called by.
fn is_known(text: &str, word: &Range<usize>, before: Option<&Range<usize>>) -> bool {
    let value = &text[word.clone()];
    // Most words end here.
    if value.len() < 3 || !given::is_given(value) {
        return false;
    }
    let joined = |c: char| {
        near::is_inner(c) || matches!(c, '-' | '_' | '.' | '@' | '/' | '\'' | '’' | '=' | '&' | '+')
    };
    let (head, tail) = (near::head(text, word.start), near::tail(text, word.end));
    // The possessive stays outside.
    let tail = ["'s", "’s"].into_iter().find_map(|sign| tail.strip_prefix(sign)).unwrap_or(tail);
    let mut signs = tail.chars();
    // A full stop or an apostrophe may end the sentence or the word.
    let led_on = signs.next().is_some_and(|c| {
        joined(c) && !(matches!(c, '.' | '\'' | '’' | '-') && !signs.next().is_some_and(near::is_inner))
    });
    let beside = |other: &Range<usize>| {
        let other = &text[other.clone()];
        addresses::is_street_word(other)
            || has(lists::COMPANIES, other)
            || matches!(
                &*other.to_lowercase(),
                "saint" | "san" | "santa" | "santo" | "são" | "sankt" | "st" | "ste" | "the" | "hotel"
            )
    };
    !head.ends_with(joined)
        && !led_on
        && !before.is_some_and(|other| other.end + 2 >= word.start && beside(other))
        && !near::word_after(text, word.end)
            .is_some_and(|other| other.start <= word.end + 1 && beside(&other))
}

/// A capitalised word that is no word of everyday prose: it may be somebody's name.
pub fn may_name(word: &str) -> bool {
    is_capitalised(word)
        && word.chars().count() >= 2
        && word.chars().any(char::is_lowercase)
        && near::digits(word) == 0
        && !is_prose(word)
        && ![NOBODY, lists::HONORIFICS.words, lists::ROLES, lists::THINGS, lists::COMPANIES]
            .iter()
            .any(|list| has(list, word))
}

fn found(range: Range<usize>, label: &str, rule: &'static str) -> Finding {
    let evidence = Evidence { rule: Some(rule), ..Evidence::default() };
    Finding { range, label: label.into(), subtype: None, confidence: PLACED, rank: Rank::Model, evidence }
}

fn owns(text: &str, before: &Range<usize>, word: &Range<usize>) -> bool {
    has(POSSESSIVES, &text[before.clone()]) && is_one_space(&text[before.end..word.start])
}

fn is_one_space(gap: &str) -> bool {
    matches!(gap, " " | "\u{a0}")
}

/// The name that a single space parts from `at`, halves joined by hyphens included.
fn name_behind(text: &str, at: usize) -> Option<Range<usize>> {
    let word = near::word_after(text, at).filter(|word| is_one_space(&text[at..word.start]))?;
    if !may_name(&text[word.clone()]) {
        return None;
    }
    let mut end = word.end;
    while text[end..].starts_with('-')
        && let Some(half) = near::word_after(text, end).filter(|half| half.start == end + 1)
        && is_capitalised(&text[half.clone()])
        && end - word.start < LONGEST_SIGNATURE
    {
        end = half.end;
    }
    Some(word.start..end)
}

/// The family name behind a given one, its particles among it.
fn family_behind(text: &str, at: usize) -> Option<Range<usize>> {
    let mut end = at;
    for _ in 0..3 {
        let word = near::word_after(text, end).filter(|word| is_one_space(&text[end..word.start]))?;
        if !has(lists::PARTICLES, &text[word.clone()]) {
            break;
        }
        end = word.end;
    }
    let name = name_behind(text, end)?;
    let start = at + text[at..].find(near::is_inner)?;
    Some(start..name.end)
}

fn is_day_greeting(text: &str, before: &Range<usize>, word: &Range<usize>) -> bool {
    let pair = [before, word].map(|range| text[range.clone()].to_lowercase());
    opens(text, before.start)
        && is_one_space(&text[before.end..word.start])
        && DAY_GREETINGS.iter().any(|&(first, second)| first == pair[0] && second == pair[1])
}

/// `Pozdrawiam, Wiktor`, `lg Sahra`: a name behind a closing ends the line.
fn closed(text: &str, at: usize, out: &mut Vec<Finding>) {
    let at = at + usize::from(text[at..].starts_with(','));
    let Some(given) = name_behind(text, at) else { return };
    let family = family_behind(text, given.end);
    let end = family.as_ref().map_or(given.end, |family| family.end);
    let line = near::tail(text, end);
    let rest = line.split('\n').next().unwrap_or(line);
    if !rest.chars().any(|c| near::is_inner(c) || matches!(c, ',' | ';' | ':')) {
        out.push(found(given, "GIVEN_NAME", "closing"));
        out.extend(family.map(|family| found(family, "SURNAME", "closing")));
    }
}

/// Whether a word opens a line or a sentence.
fn opens(text: &str, start: usize) -> bool {
    let before = near::head(text, start).trim_end_matches(near::is_space);
    before
        .chars()
        .next_back()
        .is_none_or(|c| !near::is_inner(c) && !matches!(c, ',' | ';' | '-' | '/' | '\''))
}

/// `Hola Tiburcio,`, `Dear Ifeoma Nwosu:`; whoever is greeted without a sign behind is not named surely enough.
fn greeted(text: &str, at: usize, out: &mut Vec<Finding>) {
    // `Buenas tardes, Ana:` has its comma before the name.
    let at = at + usize::from(text[at..].starts_with(','));
    let Some(first) = name_behind(text, at) else { return };
    let second = family_behind(text, first.end);
    let end = second.as_ref().map_or(first.end, |second| second.end);
    let closed = text[end..].trim_start_matches(near::is_space).chars().next();
    if closed.is_none_or(|c| matches!(c, ',' | '!' | ':' | '.' | '?' | '\n' | '\r' | '–' | '—')) {
        out.push(found(first, "GIVEN_NAME", "greeting"));
        out.extend(second.map(|second| found(second, "SURNAME", "greeting")));
    }
}

/// The line behind `Kind regards,` where it is one to three names.
fn signed(text: &str, out: &mut Vec<Finding>) {
    let mut closing = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if closing && line.len() <= LONGEST_SIGNATURE {
            signature(text, start..start + line.len(), out);
        }
        let bare = line.trim_end_matches([',', '.', '!', '-', '–']);
        let last = bare.rsplit(|c| !near::is_inner(c)).next().unwrap_or("");
        closing = line.len() <= LONGEST_SIGNATURE && CLOSINGS.has(last);
    }
}

fn signature(text: &str, line: Range<usize>, out: &mut Vec<Finding>) {
    let value = &text[line.clone()];
    let words: Vec<&str> = value.split(near::is_space).filter(|word| !word.is_empty()).collect();
    let named = |word: &&str| {
        let initial = word.chars().count() == 2 && word.ends_with('.') && is_capitalised(word);
        initial || word.split('-').all(may_name) || has(lists::PARTICLES, word)
    };
    if words.len() > 4 || !words.iter().all(named) || !words.first().is_some_and(|word| may_name(word)) {
        return;
    }
    let given = line.start + words[0].len();
    out.push(found(line.start..given, "GIVEN_NAME", "signature"));
    if words.len() > 1 {
        let family = given + (text[given..line.end].len() - text[given..line.end].trim_start().len());
        out.push(found(family..line.end, "SURNAME", "signature"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arbitrate::trial::{pairs, read};
    use crate::everyday::EVERYDAY;

    fn told(text: &str) -> Vec<(&str, String)> {
        let mut findings = Vec::new();
        placed(text, &mut findings);
        read(text, findings)
    }

    #[test]
    fn lists_are_sorted() {
        for list in [POSSESSIVES, KIN.words, GREETINGS.words, NOBODY, CLOSINGS.words, EVERYDAY.words] {
            for pair in list.windows(2) {
                assert!(pair[0] < pair[1], "{} before {}", pair[0], pair[1]);
            }
            assert!(list.iter().all(|word| word.to_lowercase() == **word));
        }
    }

    #[test]
    fn kin_have_names() {
        assert_eq!(told("Then my daughter Ifeoma came."), pairs(&[("Ifeoma", "GIVEN_NAME")]));
        assert_eq!(told("a minha irmã Camila mora em Faro"), pairs(&[("Camila", "GIVEN_NAME")]));
        assert_eq!(told("mein Sohn Karl-Heinz"), pairs(&[("Karl-Heinz", "GIVEN_NAME")]));
        assert!(told("my daughter Yesterday, my sister and my son. The brother Grimm").is_empty());
    }

    #[test]
    fn the_greeted_are_named() {
        assert_eq!(told("Hola Tiburcio, te paso"), pairs(&[("Tiburcio", "GIVEN_NAME")]));
        assert_eq!(told("ok.\nDear Ifeoma Nwosu:"), pairs(&[("Ifeoma", "GIVEN_NAME"), ("Nwosu", "SURNAME")]));
        for nobody in
            ["Dear Customer,", "Hello World!", "Hi Team,", "Hallo Welt!", "Hi Wind blows", "say hi Foo,"]
        {
            assert!(told(nobody).is_empty(), "{nobody}");
        }
    }

    #[test]
    fn signatures_are_names() {
        assert_eq!(
            told("See you.\nKind regards,\n\nIfeoma van Nwosu\nSales"),
            pairs(&[("Ifeoma", "GIVEN_NAME"), ("van Nwosu", "SURNAME")])
        );
        assert_eq!(told("Viele Grüße\nTjorven"), pairs(&[("Tjorven", "GIVEN_NAME")]));
        for nobody in [
            "Regards,\nCustomer Service",
            "Regards\nthe office",
            "Best,\nSent with 4 stars",
            "the best\nis Yet",
        ] {
            assert!(told(nobody).is_empty(), "{nobody}");
        }
    }

    #[test]
    fn thanks_days_and_closings_name_people() {
        assert_eq!(
            told("Dziękuję Jeremi! Pozdrawiam, Marcelina"),
            pairs(&[("Jeremi", "GIVEN_NAME"), ("Marcelina", "GIVEN_NAME")])
        );
        assert_eq!(told("Bom dia Kévim, falei"), pairs(&[("Kévim", "GIVEN_NAME")]));
        assert_eq!(told("Buenas tardes, Kévim: adjunto"), pairs(&[("Kévim", "GIVEN_NAME")]));
        assert_eq!(told("bis bald, lg Sahra"), pairs(&[("Sahra", "GIVEN_NAME")]));
        assert_eq!(
            told("Doña Inés del Valle, con"),
            pairs(&[("Inés", "GIVEN_NAME"), ("del Valle", "SURNAME")])
        );
        for nobody in
            ["the best Pizza in town", "Regards, Customer Care", "a good Morning Coffee", "regards, Foo, x"]
        {
            assert!(told(nobody).is_empty(), "{nobody}");
        }
    }

    #[test]
    fn common_given_names_are_known() {
        assert_eq!(
            told("Wouter fietste met Anneke."),
            pairs(&[("Wouter", "GIVEN_NAME"), ("Anneke", "GIVEN_NAME")])
        );
        assert_eq!(told("frag uwe, ja?"), pairs(&[("uwe", "GIVEN_NAME")]));
        assert_eq!(told("Wouter's bike"), pairs(&[("Wouter", "GIVEN_NAME")]));
        for nobody in [
            "Then ask uwe and him",
            "Saint Thomas Street",
            "Thomas GmbH",
            "rue Thomas",
            "https://x.org/thomas/a",
            "thomas_id = 4",
            "the hotel Anneke",
        ] {
            assert!(told(nobody).is_empty(), "{nobody}");
        }
    }

    #[test]
    fn what_was_found_stays() {
        let text = "Hi Ana Lima,";
        let mut findings = crate::arbitrate::trial::found(text, &[("Lima", "CITY")]);
        placed(text, &mut findings);
        assert_eq!(read(text, findings), pairs(&[("Ana", "GIVEN_NAME"), ("Lima", "CITY")]));
    }
}
