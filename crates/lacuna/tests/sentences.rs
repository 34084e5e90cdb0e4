//! Texts of eight languages, beside those of testdata/eval: what leaks, and what is called personal that is not. Lists
//! of words were written with many of them in view; the figures guard what is reached, they promise nothing.
#![cfg(feature = "rampart")]

use std::collections::BTreeMap;
use std::ops::Range;

use lacuna::{Options, Redactor};

struct Text {
    language: &'static str,
    text: String,
    values: Vec<Range<usize>>,
}

fn texts() -> Vec<Text> {
    let lines = include_str!("sentences.txt").lines().filter(|line| !line.starts_with("//"));
    lines.map(|line| line.split_once(" | ").expect("language | text")).map(|(l, t)| unmarked(l, t)).collect()
}

/// `[[LABEL:value]]` to the value and its place; `\n` to a line break.
fn unmarked(language: &'static str, marked: &str) -> Text {
    let marked = marked.replace("\\n", "\n").replace("\\\\", "\\");
    let (mut text, mut values) = (String::new(), Vec::new());
    let mut rest = marked.as_str();
    while let Some((before, behind)) = rest.split_once("[[") {
        let (value, behind) = behind.split_once("]]").expect("a mark ends");
        let (_, value) = value.split_once(':').expect("LABEL:value");
        text += before;
        values.push(text.len()..text.len() + value.len());
        text += value;
        rest = behind;
    }
    text += rest;
    Text { language, text, values }
}

#[derive(Default)]
struct Count {
    personal: usize,
    leaked: usize,
    innocent: usize,
    hit: usize,
}

#[test]
fn little_leaks_and_few_innocent_texts_are_hit() {
    let redactor = Redactor::embedded().unwrap();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for Text { language, text, values } in texts() {
        let found = redactor.redact(&text, &Options::default()).unwrap().items;
        let count = counts.entry(language).or_default();
        if values.is_empty() {
            count.innocent += 1;
            count.hit += usize::from(!found.is_empty());
            for item in &found {
                println!("{language}: {:?} is no {} in {text:?}", &text[item.bytes.clone()], item.label);
            }
        }
        for value in values {
            let tells = |at: &usize| text[*at..].chars().next().is_some_and(char::is_alphanumeric);
            let letters = value.clone().filter(|at| text.is_char_boundary(*at)).filter(tells);
            let leaked =
                letters.clone().filter(|at| !found.iter().any(|item| item.bytes.contains(at))).count();
            count.personal += letters.count();
            count.leaked += leaked;
            if leaked > 0 {
                println!("{language}: {:?} leaks in {text:?}", &text[value]);
            }
        }
    }
    let all = counts.values().fold(Count::default(), |all, count| Count {
        personal: all.personal + count.personal,
        leaked: all.leaked + count.leaked,
        innocent: all.innocent + count.innocent,
        hit: all.hit + count.hit,
    });
    assert!(counts.len() == 8 && all.personal > 5_000 && all.innocent > 200, "texts are missing");
    for (language, count) in &counts {
        println!(
            "{language}: {} of {} characters leak, {} of {} innocent texts hit",
            count.leaked, count.personal, count.hit, count.innocent
        );
        assert!(count.leaked * 100 <= count.personal * 5, "{language} leaks");
    }
    assert!(all.leaked * 100 <= all.personal * 2, "{} of {} characters leak", all.leaked, all.personal);
    assert!(all.hit * 100 <= all.innocent * 5, "{} of {} innocent texts are hit", all.hit, all.innocent);
}
