//! Every rule by itself: two valid values at least are found, one with a changed digit or letter is not. The values
//! stand in `recognisers.txt`; `docs/labels.md` is held against the same list.

use lacuna_rules::{Found, Rule, find, rules};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

struct Row {
    rule: &'static str,
    label: &'static str,
    countries: &'static str,
    sentence: &'static str,
    valid: Vec<String>,
    invalid: String,
}

fn rows() -> Vec<Row> {
    let lines = include_str!("recognisers.txt").lines().filter(|l| !l.starts_with("//"));
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split(" | ").collect();
            let [rule, label, countries, sentence, valid, invalid] = columns[..] else {
                panic!("{} columns, 6 are needed: {line}", columns.len())
            };
            let value = |v: &str| v.replace('~', "");
            let valid = valid.split(" ; ").map(value).collect();
            Row { rule, label, countries, sentence, valid, invalid: value(invalid) }
        })
        .collect()
}

fn believed(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    find(text, &mut found);
    found.retain(|f| f.confidence >= 0.5);
    found
}

/// A number of one country may pass the check of another with the same label: then the earlier row of the shapes has
/// it. Each rule finds one of its values at least.
#[test]
fn valid_values_are_found() {
    let mut wrong = String::new();
    for row in rows() {
        assert!(row.valid.len() >= 2, "{}: {} valid values", row.rule, row.valid.len());
        let mut by_this_rule = 0;
        for value in &row.valid {
            let text = row.sentence.replace("{}", value);
            let found = believed(&text);
            let exact = found.iter().find(|f| f.label == row.label && text[f.start..f.end] == **value);
            by_this_rule += usize::from(exact.is_some_and(|f| f.rule == row.rule));
            if exact.is_none() {
                let _ = writeln!(wrong, "{}: {text:?} gave {found:?}", row.rule);
            }
        }
        if by_this_rule == 0 {
            let _ = writeln!(wrong, "{}: other rules find all of {:?}", row.rule, row.valid);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn changed_values_are_not() {
    let mut wrong = String::new();
    for row in rows() {
        // Without a word: nothing of the label. With it: not by this rule; the word alone may still suffice.
        let bare = format!("and then {} was seen", row.invalid);
        if let Some(f) = believed(&bare).iter().find(|f| f.label == row.label) {
            let _ = writeln!(wrong, "{}: {bare:?} gave {f:?}", row.rule);
        }
        let text = row.sentence.replace("{}", &row.invalid);
        if let Some(f) = believed(&text).iter().find(|f| f.rule == row.rule) {
            let _ = writeln!(wrong, "{}: {text:?} gave {f:?}", row.rule);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_has_its_row() {
    let known: BTreeSet<_> = rules().iter().map(|r| (r.rule, r.label)).collect();
    let tested: BTreeSet<_> = rows().iter().map(|r| (r.rule, r.label)).collect();
    assert_eq!(known.len(), rules().len(), "two rules of one name");
    assert_eq!(known, tested);
}

/// The countries the design asks for, each with a national number, and the members of the Union with their VAT number.
#[test]
fn every_country_is_there() {
    const UNION: &str = "AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE";
    const OTHERS: &str = "UK CH NO US CA AU IN BR KR ZA TR TH";
    let rows = rows();
    let has = |country: &str, wanted: &dyn Fn(&Row) -> bool| {
        rows.iter().any(|r| r.countries.split(", ").any(|c| c == country) && wanted(r))
    };
    for country in UNION.split(' ').chain(OTHERS.split(' ')) {
        assert!(has(country, &|r| matches!(r.label, "GOVERNMENT_ID" | "TAX_ID" | "SSN")), "{country}");
    }
    let vat: BTreeSet<_> = rules().iter().filter(|r| r.subtype == Some("VAT")).map(|r| r.rule).collect();
    for country in UNION.split(' ') {
        assert!(has(country, &|r| vat.contains(r.rule)), "{country} has no VAT number");
    }
}

#[test]
fn the_readme_lists_the_labels() {
    let page = include_str!("../../../README.md");
    let (_, section) = page.split_once("## Labels").expect("a section on labels");
    let section = section.split("\n## ").next().unwrap_or(section);
    let first_column: String =
        section.lines().filter_map(|l| l.strip_prefix("| ")?.split(" |").next()).collect();
    for rule in rules() {
        assert!(first_column.contains(rule.label), "{} is not in the table", rule.label);
    }
}

/// `docs/labels.md` between its marks, as it should read.
fn table() -> String {
    let rows: BTreeMap<_, _> = rows().into_iter().map(|r| (r.rule, r)).collect();
    let mut all = rules();
    all.sort_by_key(|r| (r.label, r.subtype.is_none()));
    let mut out = String::from(
        "| label | subtype | rule | countries | check | believed without a word |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for Rule { rule, label, subtype, check, alone } in all {
        let countries = rows.get(rule).map_or("", |r| r.countries);
        let (subtype, check) = (subtype.unwrap_or(""), check.unwrap_or("shape"));
        let _ = writeln!(out, "| {label} | {subtype} | {rule} | {countries} | {check} | {alone} |");
    }
    out
}

/// With `LACUNA_BLESS` set, the table is written instead.
#[test]
fn the_documentation_lists_these_rules() {
    const MARKS: [&str; 2] = ["<!-- rules -->\n", "<!-- end of rules -->"];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/labels.md");
    let page = std::fs::read_to_string(path).expect("docs/labels.md");
    let (before, rest) = page.split_once(MARKS[0]).expect("the first mark");
    let (now, after) = rest.split_once(MARKS[1]).expect("the second mark");
    if std::env::var_os("LACUNA_BLESS").is_some() {
        let page = [before, MARKS[0], &table(), MARKS[1], after].concat();
        std::fs::write(path, page).expect("docs/labels.md can be written");
        return;
    }
    assert!(
        now == table(),
        "docs/labels.md differs: LACUNA_BLESS=1 cargo test -p lacuna-rules --test recognisers"
    );
}
