//! Tables as Rust source.

use crate::dfa::Table;
use crate::shapes::Shape;
use crate::words::Words;
use std::fmt::Write;

pub fn write(shapes: &[Shape], shape_table: &Table, words: &Words, word_table: &Table) -> String {
    let mut out = String::new();
    automaton(&mut out, "SHAPES", shape_table);
    automaton(&mut out, "WORDS", word_table);
    let _ =
        writeln!(out, "pub static WORD_STARTS: [u64; {}] = {:?};", FOLDED_TRIPLES / 64, starts(word_table));
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

/// The inside of a byte string: each number's two bytes, low byte first. As one token it compiles at once; as half a
/// million numbers it took seconds.
fn literal(numbers: &[u16]) -> String {
    let mut text = String::with_capacity(numbers.len() * 8);
    text.extend(
        numbers.iter().flat_map(|n| n.to_le_bytes()).flat_map(std::ascii::escape_default).map(char::from),
    );
    text
}

/// Bytes fold to five bits each; three of them tell almost every word from a context word.
const FOLDED_TRIPLES: usize = 1 << 15;

/// One bit for each folded triple of bytes: can a match begin with it? What folds alike shares a bit, so a set bit is
/// a question to the automaton and a clear one is an answer.
fn starts(table: &Table) -> Vec<u64> {
    let mut bits = vec![0u64; FOLDED_TRIPLES / 64];
    let step = |state: u16, b: u8| {
        table.next[usize::from(state) * table.width + usize::from(table.classes[usize::from(b)])]
    };
    let ends = |state: u16| table.accepts[usize::from(state)] != 0;
    let mut mark = |a: usize, b: usize, c: usize| {
        let at = (a * 32 + b) * 32 + c;
        bits[at / 64] |= 1 << (at % 64);
    };
    for a in 0..=255u8 {
        let first = step(1, a);
        if first == 0 {
            continue;
        }
        for b in 0..=255u8 {
            let second = step(first, b);
            if second == 0 && !ends(first) {
                continue;
            }
            for c in 0..=255u8 {
                if ends(first) || ends(second) || step(second, c) != 0 {
                    mark(fold(a), fold(b), fold(c));
                }
            }
        }
    }
    bits
}

/// Five bits of a byte: a letter of either case, a digit, a separator within words, a byte of a longer character, the rest.
/// `lacuna_rules::tables` folds alike.
fn fold(b: u8) -> usize {
    match b {
        b'a'..=b'z' | b'A'..=b'Z' => usize::from(b & 31),
        b'0'..=b'9' => 27,
        b' ' | b'_' | b'-' | b'.' => 28,
        0x80.. => 29,
        _ => 0,
    }
}

fn policy(letters: &str) -> String {
    let fields = [
        ('s', "strong"),
        ('f', "punctuated"),
        ('e', "entire"),
        ('k', "kind"),
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
        "pub static {name}: Automaton = Automaton {{ width: {}, classes: {:?}, next: pairs(b\"{}\"), accepts: &{:?}, starts: &{starts:?}, sets: &{sets:?} }};",
        table.width,
        table.classes,
        literal(&table.next),
        table.accepts
    );
}
