//! Phrases that announce a name or a town: `my name is …`, `wohne in …`, `我叫…`.
//!
//! What follows such a phrase is found even where the model has never met the name. It reads Latin script best,
//! and for scripts without capitals and spaces these phrases are most of what it has to go by.

use std::ops::Range;

use crate::arbitrate::{Evidence, Finding, Rank};
use crate::everyday::is_prose;
use crate::lists;
use crate::near::{self, is_capitalised};

/// Confidence of what only a phrase announces.
const ANNOUNCED: f32 = 0.7;

/// Phrases before a name, in small letters; sorted by their first word only to be read easily.
const NAMES: &[&str] = &[
    "a favor de",
    "a favore di",
    "a la atención de",
    "a nombre de",
    "a nome di",
    "alla cortese attenzione di",
    "ao cuidado de",
    "au nom de",
    "auf den namen",
    "chamo-me",
    "em nome de",
    "en faveur de",
    "ich heisse",
    "ich heiße",
    "ik heet",
    "il mio nome è",
    "in the name of",
    "intestata a",
    "intestati a",
    "intestato a",
    "je m'appelle",
    "je m’appelle",
    "mam na imię",
    "me chamo",
    "me llamo",
    "mein name ist",
    "meu nome é",
    "mi chiamo",
    "mi nombre es",
    "mijn naam is",
    "mon nom est",
    "my name is",
    "my name's",
    "my name’s",
    "na rzecz",
    "name is",
    "nazywam się",
    "on behalf of",
    "t.n.v.",
    "ten name van",
    "ter attentie van",
    "z. hd.",
    "z.hd.",
    "zu händen von",
    "zugunsten von",
    "à attention de",
    "à l'attention de",
    "à l’attention de",
];

/// Phrases before a town.
const TOWNS: &[&str] = &[
    "abita a",
    "abitano a",
    "abitiamo a",
    "abito a",
    "aufgewachsen in",
    "ausgestellt in",
    "based in",
    "born in",
    "demeurant à",
    "domicilié à",
    "domiciliée à",
    "déménage à",
    "déménageons à",
    "déménagé à",
    "estuda em",
    "estudia en",
    "geboren in",
    "geboren te",
    "gevestigd te",
    "gezogen nach",
    "grew up in",
    "habite à",
    "habitent à",
    "i am from",
    "i live in",
    "i'm from",
    "kom uit",
    "komme aus",
    "lebe in",
    "lives in",
    "living in",
    "me mudo a",
    "mi trasferisco a",
    "mieszka w",
    "mieszka we",
    "mieszkają w",
    "mieszkam w",
    "mieszkam we",
    "mora em",
    "moram em",
    "moro em",
    "moved to",
    "moves to",
    "moving to",
    "mudarme a",
    "mudou-se para",
    "nacida en",
    "nacido en",
    "nací en",
    "nascida em",
    "nascido em",
    "nata a",
    "nato a",
    "nos mudamos a",
    "né à",
    "née à",
    "pochodzę z",
    "przeprowadza się do",
    "przeprowadzam się do",
    "relocated to",
    "reside en",
    "resident in",
    "residente a",
    "residente em",
    "residente en",
    "residiert in",
    "residing in",
    "resido em",
    "risiede a",
    "résident à",
    "s'installe à",
    "se muda a",
    "si trasferisce a",
    "studeert in",
    "studia a",
    "studiert in",
    "studies in",
    "studiuje w",
    "studying in",
    "trasferita a",
    "trasferito a",
    "umgezogen nach",
    "urodzona w",
    "urodzony w",
    "verhuis naar",
    "verhuisd naar",
    "verhuist naar",
    "vis à",
    "vive en",
    "vivem em",
    "viven en",
    "vivo a",
    "vivo em",
    "vivo en",
    "vivono a",
    "we live in",
    "wohne in",
    "wohne jetzt in",
    "wohnen in",
    "wohnhaft in",
    "wohnt in",
    "wonen in",
    "wonende te",
    "woon in",
    "woont in",
    "woont te",
    "ziehe nach",
    "ziehen nach",
    "zieht nach",
    "étudie à",
];

/// Small words inside the names of towns.
const TOWN_JOINTS: &[&str] =
    &["am", "an", "aan", "de", "del", "den", "der", "di", "do", "im", "la", "le", "les", "of", "sur", "upon"];

/// Adds what phrases announce and nothing else has found. `findings` are sorted and disjoint, before and after.
pub fn announced(text: &str, findings: &mut Vec<Finding>) {
    let mut more = Vec::new();
    let mut surer: Vec<Finding> = Vec::new();
    let mut begins = true;
    for (at, c) in text.char_indices() {
        if c.is_alphabetic() && begins {
            let end = text.floor_char_boundary((at + 32).min(text.len()));
            let small = text[at..end].to_lowercase();
            // A letter that grows in small letters would move what follows: such a text has no phrase here.
            if small.len() == end - at {
                if let Some(length) = longest(NAMES, &small) {
                    name(text, at + length, findings, &mut more);
                } else if let Some(length) = longest(TOWNS, &small) {
                    more.extend(town(text, at + length));
                }
            }
        }
        begins = !near::is_inner(c);
        if c >= '\u{590}' {
            other_scripts(text, at, c, &mut surer);
        }
    }
    // Without capitals and spaces the model cuts such names anywhere: the phrase knows better.
    surer.sort_by_key(|finding| finding.range.start);
    findings.retain(|old| {
        let next = surer.partition_point(|new| new.range.end <= old.range.start);
        let hit = surer.get(next).is_some_and(|new| new.range.start < old.range.end);
        !(hit && old.rank == Rank::Model && matches!(old.label.as_str(), "GIVEN_NAME" | "SURNAME"))
    });
    // Whom a phrase names is no town.
    findings.retain(|old| {
        let next = more.partition_point(|new| new.range.end <= old.range.start);
        let hit = more.get(next).is_some_and(|new| new.range.start < old.range.end && new.label != "CITY");
        !(hit && is_place(old))
    });
    more.append(&mut surer);
    more.retain(|new: &Finding| {
        let first = findings.partition_point(|other| other.range.end <= new.range.start);
        findings.get(first).is_none_or(|other| other.range.start >= new.range.end)
    });
    findings.append(&mut more);
    findings.sort_by_key(|finding| (finding.range.start, finding.range.end));
    let mut end = 0;
    findings.retain(|finding| {
        let free = finding.range.start >= end;
        end = end.max(finding.range.end);
        free
    });
}

fn found(range: Range<usize>, label: &str) -> Finding {
    let evidence = Evidence { rule: Some("announced"), ..Evidence::default() };
    Finding { range, label: label.into(), subtype: None, confidence: ANNOUNCED, rank: Rank::Model, evidence }
}

/// A town or state of the model's that ends with the name it may be taken for.
fn is_place(finding: &Finding) -> bool {
    finding.rank == Rank::Model && matches!(finding.label.as_str(), "CITY" | "STATE")
}

/// The bytes of the longest phrase that `small` begins with, a space behind it.
fn longest(phrases: &[&str], small: &str) -> Option<usize> {
    let first = small.as_bytes().first();
    let may = |phrase: &&&str| phrase.as_bytes().first() == first;
    phrases.iter().filter(may).filter_map(|phrase| spelled(phrase, small)).max()
}

/// The bytes at the start of `small` that spell a phrase; its spaces may be such that hold a line together.
fn spelled(phrase: &str, small: &str) -> Option<usize> {
    let mut read = small.char_indices();
    for wanted in phrase.chars() {
        let (_, c) = read.next()?;
        if c != wanted && !(wanted == ' ' && c == '\u{a0}') {
            return None;
        }
    }
    let (end, behind) = read.next()?;
    matches!(behind, ' ' | '\u{a0}' | ':').then_some(end)
}

/// Up to four capitalised words from `at`; small words of a list may join them.
fn capitalised(text: &str, at: usize, joints: &[&str]) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut from = at;
    let mut named = 0;
    while let Some(word) = near::word_after(text, from) {
        let gap = &text[from..word.start];
        let joined = gap.chars().all(|c| near::is_space(c) || (words.is_empty() && c == ':'))
            || (!words.is_empty() && matches!(gap, "-" | "'" | "’"));
        let value = &text[word.clone()];
        let fits = is_capitalised(value) || (!words.is_empty() && joints.contains(&value));
        if !joined || !fits || near::digits(value) > 0 || words.len() == 5 {
            break;
        }
        from = word.end;
        words.push(word);
        if is_capitalised(value) {
            named = words.len();
        }
    }
    words.truncate(named);
    words
}

fn name(text: &str, at: usize, findings: &[Finding], more: &mut Vec<Finding>) {
    let mut words = capitalised(text, at, lists::PARTICLES);
    words.truncate(
        words
            .iter()
            .position(|word| is_capitalised(&text[word.clone()]) && is_prose(&text[word.clone()]))
            .unwrap_or(words.len()),
    );
    let Some(first) = words.first().cloned() else { return };
    // Where the model found anything of it, it knows better where the parts are.
    let end = words.last().map_or(first.end, |word| word.end);
    let index = findings.partition_point(|other| other.range.end <= first.start);
    if findings[index..].iter().take_while(|other| other.range.start < end).any(|other| !is_place(other)) {
        return;
    }
    let hyphened = words.iter().skip(1).take_while(|word| text[..word.start].ends_with('-')).last();
    let given_end = hyphened.map_or(first.end, |word| word.end);
    more.push(found(first.start..given_end, "GIVEN_NAME"));
    if let Some(family) = words.iter().find(|word| word.start > given_end) {
        more.push(found(family.start..end, "SURNAME"));
    }
}

fn town(text: &str, at: usize) -> Option<Finding> {
    let words = capitalised(text, at, TOWN_JOINTS);
    let (first, last) = (words.first()?, words.last()?);
    let value = &text[first.start..last.end];
    (value.chars().count() > 2 && !is_prose(value)).then(|| found(first.start..last.end, "CITY"))
}

/// Family names of one character that most Chinese have.
const HAN_FAMILIES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范石廖贾韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严洪武戴莫孔向汤";
/// Family names of one syllable that most Koreans have.
const HANGUL_FAMILIES: &str = "김이박최정강조윤장임한오서신권황안송류홍전고문손양배백허남심노하곽성차주우구민유나진지엄채원천방공현함변염";

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// `我叫雷小红，`, `황영환 고객님`, `山田知実様`, `שמי איתן בלום`, `اسمي رامز`.
fn other_scripts(text: &str, at: usize, c: char, more: &mut Vec<Finding>) {
    let rest = &text[at..];
    for phrase in ["我是", "我叫", "名叫", "姓名：", "姓名:"] {
        if c == phrase.chars().next().unwrap_or(c)
            && let Some(name) = rest.strip_prefix(phrase)
        {
            han_name(at + phrase.len(), name, more);
        }
    }
    match c {
        '고' if rest.starts_with("고객") => hangul_name(text, at, more),
        '님' | '씨' if !text[..at].ends_with("고객") => hangul_name(text, at, more),
        '様' | 'さ' if c == '様' || rest.starts_with("さん") => kanji_name(text, at, more),
        'ש' if rest.starts_with("שמי ") => two_words(text, at + "שמי ".len(), more),
        'ק' if rest.starts_with("קוראים לי ") => two_words(text, at + "קוראים לי ".len(), more),
        'ا' if rest.starts_with("اسمي ") => two_words(text, at + "اسمي ".len(), more),
        'أ' if rest.starts_with("أنا ") => two_words(text, at + "أنا ".len(), more),
        _ => {}
    }
}

/// Two or three characters that begin with a family name and end with the clause.
fn han_name(at: usize, name: &str, more: &mut Vec<Finding>) {
    let characters: Vec<char> = name.chars().take(4).take_while(|&c| is_han(c)).collect();
    if (2..=3).contains(&characters.len()) && HAN_FAMILIES.contains(characters[0]) {
        let family = at + characters[0].len_utf8();
        let end = at + characters.iter().map(|c| c.len_utf8()).sum::<usize>();
        more.push(found(at..family, "SURNAME"));
        more.push(found(family..end, "GIVEN_NAME"));
    }
}

/// Two to four syllables right before a form of address.
fn hangul_name(text: &str, at: usize, more: &mut Vec<Finding>) {
    let head = near::head(text, at);
    let name = head.trim_end_matches(' ');
    let length: usize = name.chars().rev().take_while(|&c| is_hangul(c)).map(char::len_utf8).sum();
    let name = &name[name.len() - length..];
    let count = name.chars().count();
    let Some(first) =
        name.chars().next().filter(|&c| HANGUL_FAMILIES.contains(c) && (2..=4).contains(&count))
    else {
        return;
    };
    let start = at - head.len() + head.trim_end_matches(' ').len() - length;
    more.push(found(start..start + first.len_utf8(), "SURNAME"));
    more.push(found(start + first.len_utf8()..start + length, "GIVEN_NAME"));
}

/// Two to five characters right before `様` or `さん`: of four, two are the family's.
fn kanji_name(text: &str, at: usize, more: &mut Vec<Finding>) {
    let head = near::head(text, at);
    let characters: Vec<char> = head.chars().rev().take(6).take_while(|&c| is_han(c)).collect();
    let length: usize = characters.iter().map(|c| c.len_utf8()).sum();
    let start = at - length;
    match characters.len() {
        2 | 3 => more.push(found(start..at, "SURNAME")),
        4 | 5 => {
            let family = start + characters.iter().rev().take(2).map(|c| c.len_utf8()).sum::<usize>();
            more.push(found(start..family, "SURNAME"));
            more.push(found(family..at, "GIVEN_NAME"));
        }
        _ => {}
    }
}

/// One or two words up to a comma or full stop: given and family name.
fn two_words(text: &str, at: usize, more: &mut Vec<Finding>) {
    let Some(first) = near::word_after(text, at).filter(|word| word.start == at) else { return };
    let closes =
        |end: usize| text[end..].chars().next().is_none_or(|c| matches!(c, ',' | '،' | '.' | '!' | '\n'));
    let second = near::word_after(text, first.end).filter(|word| &text[first.end..word.start] == " ");
    match second {
        Some(second) if closes(second.end) && !closes(first.end) => {
            more.push(found(first, "GIVEN_NAME"));
            more.push(found(second, "SURNAME"));
        }
        _ if closes(first.end) => more.push(found(first, "GIVEN_NAME")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(&str, String)> {
        let mut findings = Vec::new();
        announced(text, &mut findings);
        findings.into_iter().map(|finding| (&text[finding.range], finding.label)).collect()
    }

    fn pairs<'t>(expected: &[(&'t str, &str)]) -> Vec<(&'t str, String)> {
        expected.iter().map(|&(value, label)| (value, label.to_string())).collect()
    }

    #[test]
    fn names_behind_phrases() {
        assert_eq!(
            told("Hello, my name is Thandiwe Mokoena and I am ill."),
            pairs(&[("Thandiwe", "GIVEN_NAME"), ("Mokoena", "SURNAME")])
        );
        assert_eq!(
            told("Ich heiße Karl-Heinz von der Tann."),
            pairs(&[("Karl-Heinz", "GIVEN_NAME"), ("von der Tann", "SURNAME")])
        );
        assert_eq!(told("Je m’appelle Aurélie,"), pairs(&[("Aurélie", "GIVEN_NAME")]));
        assert!(told("My name is not on the list. The file name is Readme2.").is_empty());
    }

    #[test]
    fn towns_behind_phrases() {
        assert_eq!(told("ich wohne jetzt in Berlin, schreib mir"), pairs(&[("Berlin", "CITY")]));
        assert_eq!(told("J'habite à Saint-Étienne depuis"), pairs(&[("Saint-Étienne", "CITY")]));
        assert_eq!(told("vivo en San Juan de la Rambla."), pairs(&[("San Juan de la Rambla", "CITY")]));
        assert_eq!(told("ich\u{a0}wohne\u{a0}in\u{a0}Berlin"), pairs(&[("Berlin", "CITY")]));
        assert!(told("we are living in fear, and moved to page 3").is_empty());
    }

    #[test]
    fn names_in_other_scripts() {
        assert_eq!(told("您好,我是雷小红,手机号"), pairs(&[("雷", "SURNAME"), ("小红", "GIVEN_NAME")]));
        assert!(told("我是学生,你好").is_empty());
        assert_eq!(told("황영환 고객님, 연락처"), pairs(&[("황", "SURNAME"), ("영환", "GIVEN_NAME")]));
        assert!(told("모든 고객님").is_empty());
        assert_eq!(told("山田知実様、ご連絡先"), pairs(&[("山田", "SURNAME"), ("知実", "GIVEN_NAME")]));
        assert_eq!(told("שלום, שמי איתן בלום, אפשר"), pairs(&[("איתן", "GIVEN_NAME"), ("בלום", "SURNAME")]));
        assert_eq!(
            told("مرحبا، أنا رامز الترهي، بريدي"),
            pairs(&[("رامز", "GIVEN_NAME"), ("الترهي", "SURNAME")])
        );
        assert!(told("أنا سعيد جدا بهذا اليوم الجميل").is_empty());
    }

    #[test]
    fn a_phrase_of_another_script_cuts_better() {
        let text = "황영환 고객님";
        let mut findings = vec![found(0..9, "GIVEN_NAME")];
        announced(text, &mut findings);
        let got: Vec<&str> = findings.iter().map(|finding| &text[finding.range.clone()]).collect();
        assert_eq!(got, ["황", "영환"]);
    }

    #[test]
    fn whom_a_phrase_names_is_no_town() {
        let text = "a favore di Vittoria Leonardi, IBAN";
        let mut findings = vec![found(12..29, "CITY")];
        announced(text, &mut findings);
        let got: Vec<_> = findings.iter().map(|f| (&text[f.range.clone()], f.label.as_str())).collect();
        assert_eq!(got, [("Vittoria", "GIVEN_NAME"), ("Leonardi", "SURNAME")]);
    }

    #[test]
    fn what_the_model_found_stays() {
        let text = "my name is Ana Lima";
        let mut findings = vec![found(11..14, "SURNAME")];
        announced(text, &mut findings);
        assert_eq!(findings.len(), 1);
    }
}
