//! Patterns to a minimal deterministic automaton over byte classes.

use crate::Error;
use regex_automata::dfa::{Automaton, dense};
use regex_automata::util::{primitives::StateID, start};
use regex_automata::{Anchored, MatchKind, nfa::thompson, util::syntax};
use std::collections::HashMap;

/// An anchored automaton. State 0 is dead, state 1 the start; a row of `next` has one entry a byte class.
#[derive(Debug)]
pub struct Table {
    /// Class of each byte.
    pub classes: [u8; 256],
    /// Number of classes.
    pub width: usize,
    /// Next state by `state * width + class`.
    pub next: Vec<u16>,
    /// The set (an index into `sets`) of patterns that end in each state.
    pub accepts: Vec<u16>,
    /// Sets of pattern numbers; set 0 is empty.
    pub sets: Vec<Vec<u16>>,
}

/// The automaton of all `patterns`, each anchored at its start; a state accepts every pattern that ends in it.
pub fn compile(patterns: &[String]) -> Result<Table, Error> {
    let dfa = dense::Builder::new()
        .configure(
            dense::Config::new()
                .match_kind(MatchKind::All)
                .minimize(false)
                .start_kind(regex_automata::dfa::StartKind::Anchored),
        )
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(thompson::Config::new().utf8(false).shrink(false))
        .build_many(patterns)
        .map_err(|e| Error(format!("automaton: {e}: {:?}", std::error::Error::source(&e))))?;
    Ok(minimise(&read(&dfa)?))
}

/// Every reachable state with its 256 successors and the patterns that end in it.
struct Read {
    next: Vec<[u32; 256]>,
    accepts: Vec<Vec<u16>>,
}

fn read(dfa: &dense::DFA<Vec<u32>>) -> Result<Read, Error> {
    let first = dfa
        .start_state(&start::Config::new().anchored(Anchored::Yes))
        .map_err(|e| Error(format!("automaton: no start state: {e}")))?;
    let mut numbers: HashMap<StateID, u32> = HashMap::from([(first, 1)]);
    let mut order = vec![first];
    let mut read = Read { next: vec![[0; 256]], accepts: vec![Vec::new()] };
    let mut at = 0;
    while let Some(&state) = order.get(at) {
        at += 1;
        let end = dfa.next_eoi_state(state);
        let mut ids: Vec<u16> = Vec::new();
        if dfa.is_match_state(end) {
            ids = (0..dfa.match_len(end)).map(|i| dfa.match_pattern(end, i).as_u32() as u16).collect();
            ids.sort_unstable();
        }
        read.accepts.push(ids);
        let mut row = [0u32; 256];
        for byte in 0..=255u8 {
            let next = dfa.next_state(state, byte);
            if dfa.is_dead_state(next) || dfa.is_quit_state(next) {
                continue;
            }
            row[usize::from(byte)] = *numbers.entry(next).or_insert_with(|| {
                order.push(next);
                order.len() as u32
            });
        }
        read.next.push(row);
    }
    Ok(read)
}

/// Moore's refinement: states are equal until their accepts or successors differ.
fn minimise(read: &Read) -> Table {
    let count = read.next.len();
    let (mut classes, _) = {
        let mut seen: HashMap<Vec<u32>, u8> = HashMap::new();
        let mut classes = [0u8; 256];
        for (byte, class) in classes.iter_mut().enumerate() {
            let column: Vec<u32> = read.next.iter().map(|row| row[byte]).collect();
            let new = seen.len() as u8;
            *class = *seen.entry(column).or_insert(new);
        }
        (classes, seen.len())
    };
    let mut representative: Vec<usize> = Vec::new();
    for (byte, &class) in classes.iter().enumerate() {
        if usize::from(class) == representative.len() {
            representative.push(byte);
        }
    }
    let mut block: Vec<u32> = {
        let mut seen: HashMap<&[u16], u32> = HashMap::new();
        read.accepts
            .iter()
            .map(|a| {
                let n = seen.len() as u32;
                *seen.entry(a.as_slice()).or_insert(n)
            })
            .collect()
    };
    let mut blocks = 0;
    loop {
        let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
        let refined: Vec<u32> = (0..count)
            .map(|s| {
                let mut key = vec![block[s]];
                key.extend(representative.iter().map(|&b| block[read.next[s][b] as usize]));
                let n = seen.len() as u32;
                *seen.entry(key).or_insert(n)
            })
            .collect();
        let grown = seen.len() > blocks;
        blocks = seen.len();
        block = refined;
        if !grown {
            break;
        }
    }
    build(read, &mut classes, &representative, &block, blocks)
}

fn build(
    read: &Read,
    classes: &mut [u8; 256],
    representative: &[usize],
    block: &[u32],
    blocks: usize,
) -> Table {
    assert!(blocks < usize::from(u16::MAX), "{blocks} states do not fit 16 bits");
    // State numbers: the dead state (0 of the input) first, then the start.
    let mut number: Vec<Option<u16>> = vec![None; blocks];
    number[block[0] as usize] = Some(0);
    number[block[1] as usize] = Some(1);
    let mut fresh = 2u16;
    for &b in block {
        let slot = &mut number[b as usize];
        if slot.is_none() {
            *slot = Some(fresh);
            fresh += 1;
        }
    }
    let width = representative.len();
    let mut next = vec![0u16; blocks * width];
    let mut accepts = vec![0u16; blocks];
    let mut sets: Vec<Vec<u16>> = vec![Vec::new()];
    for (s, &b) in block.iter().enumerate() {
        let to = usize::from(number[b as usize].unwrap_or(0));
        for (class, &byte) in representative.iter().enumerate() {
            next[to * width + class] = number[block[read.next[s][byte] as usize] as usize].unwrap_or(0);
        }
        let set = &read.accepts[s];
        let index = sets.iter().position(|x| x == set).unwrap_or_else(|| {
            sets.push(set.clone());
            sets.len() - 1
        });
        accepts[to] = index as u16;
    }
    Table { classes: *classes, width, next, accepts, sets }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(table: &Table, text: &str) -> Vec<(usize, Vec<u16>)> {
        let mut state = 1u16;
        let mut out = Vec::new();
        for (i, b) in text.bytes().enumerate() {
            state = table.next[usize::from(state) * table.width + usize::from(table.classes[usize::from(b)])];
            if state == 0 {
                break;
            }
            let set = usize::from(table.accepts[usize::from(state)]);
            if set != 0 {
                out.push((i + 1, table.sets[set].clone()));
            }
        }
        out
    }

    #[test]
    fn every_end_of_every_pattern() {
        let patterns = ["[0-9]{3}".to_string(), "[0-9]{3,5}".to_string(), "[0-9]{2}-[0-9]{2}".to_string()];
        let table = compile(&patterns).unwrap();
        assert_eq!(ends(&table, "1234x"), [(3, vec![0, 1]), (4, vec![1])]);
        assert_eq!(ends(&table, "12-345"), [(5, vec![2])]);
        assert_eq!(ends(&table, "1234567"), [(3, vec![0, 1]), (4, vec![1]), (5, vec![1])]);
        assert_eq!(ends(&table, "x"), []);
    }

    #[test]
    fn equal_states_merge() {
        // a|b then c: dead, start, one middle, one end.
        let table = compile(&["(?:a|b)c".to_string()]).unwrap();
        assert_eq!(table.accepts.len(), 4);
        assert_eq!(table.width, 3);
    }
}
