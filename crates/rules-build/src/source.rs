//! Tables as Rust source.

use crate::dfa::Table;
use crate::shapes::Shape;
use crate::words::Words;
use std::fmt::Write;

pub fn write(shapes: &[Shape], shape_table: &Table, words: &Words, word_table: &Table) -> String {
    let mut out = String::new();
    automaton(&mut out, "SHAPES", shape_table);
    automaton(&mut out, "WORDS", word_table);
    let _ = writeln!(out, "pub static RECOGNISERS: [Recogniser; {}] = [", shapes.len());
    for s in shapes {
        let check = s
            .check
            .as_ref()
            .map_or("None".into(), |c| format!("Some((checks::{c}, {:?}))", c.replace('_', " ")));
        let _ = writeln!(
            out,
            "Recogniser {{ rule: {:?}, label: {:?}, subtype: {:?}, check: {check}, context: {}, policy: Policy {{ {} }} }},",
            s.rule,
            s.label,
            s.subtype,
            s.context,
            policy(&s.policy)
        );
    }
    let _ = writeln!(out, "];\npub static WORD_GROUPS: [(u128, bool); {}] = [", words.bits.len());
    for (bits, open) in words.bits.iter().zip(&words.open) {
        let _ = writeln!(out, "({bits}, {open}),");
    }
    let _ = writeln!(out, "];\n#[allow(dead_code)]\npub mod group {{");
    for (bit, name) in words.groups.iter().enumerate() {
        let _ = writeln!(out, "pub const {}: u128 = 1 << {bit};", name.to_uppercase());
    }
    out.push_str("}\n");
    out
}

fn policy(letters: &str) -> String {
    let fields = [
        ('s', "strong"),
        ('f', "punctuated"),
        ('w', "whole"),
        ('h', "hint"),
        ('t', "tight"),
        ('x', "unchecked"),
        ('n', "needs_digits"),
        ('u', "upper"),
    ];
    fields.map(|(c, name)| format!("{name}: {}", letters.contains(c))).join(", ")
}

fn automaton(out: &mut String, name: &str, table: &Table) {
    let sets: Vec<u16> = table.sets.iter().flatten().copied().collect();
    let mut starts = vec![0u16];
    for set in &table.sets {
        starts.push(starts[starts.len() - 1] + set.len() as u16);
    }
    let _ = writeln!(
        out,
        "pub static {name}: Automaton = Automaton {{ width: {}, classes: {:?}, next: &{:?}, accepts: &{:?}, starts: &{starts:?}, sets: &{sets:?} }};",
        table.width, table.classes, table.next, table.accepts
    );
}
