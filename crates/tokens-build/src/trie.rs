//! Lays out a byte trie: children together and sorted, each first child followed by its own.

use crate::error::Error;
use tokens::layout::{LONGEST_PIECE, WIDE_CHILDREN, WIDE_WORDS};

/// Node indices and wide records are stored in 24 bits.
const MOST_NODES: usize = 1 << 24;

/// The three sections of a trie.
#[derive(Debug, Default)]
pub(crate) struct TrieSections {
    pub(crate) nodes: Vec<u8>,
    pub(crate) labels: Vec<u8>,
    pub(crate) wide: Vec<u8>,
}

impl TrieSections {
    /// The index of the node at the end of `key`.
    pub(crate) fn find(&self, key: &[u8]) -> Option<u32> {
        let word = |bytes: &[u8], index: usize| {
            bytes.get(4 * index..).and_then(|b| b.first_chunk::<4>()).map(|b| u32::from_le_bytes(*b))
        };
        let mut node = 0u32;
        for &label in key {
            let place = word(&self.nodes, 2 * node as usize)?;
            let (mut first, mut count) = (place >> 8, place & 0xff);
            if count >= WIDE_CHILDREN {
                let base = first as usize * WIDE_WORDS;
                count = (2..WIDE_WORDS).filter_map(|i| word(&self.wide, base + i)).map(u32::count_ones).sum();
                first = word(&self.wide, base)?;
            }
            let labels = self.labels.get(first as usize..(first + count) as usize)?;
            node = first + labels.iter().position(|&found| found == label)? as u32;
        }
        (!self.nodes.is_empty()).then_some(node)
    }
}

/// A node whose place is known and whose children have none yet.
struct Pending {
    node: usize,
    first: usize,
    end: usize,
    depth: usize,
}

/// Lays out the trie of `keys`; of equal keys the last one's value counts. No keys give empty sections.
pub(crate) fn build(keys: &mut Vec<(&[u8], u32)>) -> Result<TrieSections, Error> {
    if keys.is_empty() {
        return Ok(TrieSections::default());
    }
    if let Some((key, _)) = keys.iter().find(|key| key.0.len() > LONGEST_PIECE) {
        return Err(Error::TooLarge { what: "bytes in one token", found: key.len(), limit: LONGEST_PIECE });
    }
    // Stable, so that the last of equal keys stays last.
    keys.sort_by(|a, b| a.0.cmp(b.0));
    let mut nodes = vec![0u64];
    let mut sections = TrieSections { nodes: Vec::new(), labels: vec![0], wide: Vec::new() };
    let mut pending = vec![Pending { node: 0, first: 0, end: keys.len(), depth: 0 }];
    while let Some(Pending { node, mut first, end, depth }) = pending.pop() {
        let mut value = 0;
        while first < end && keys[first].0.len() == depth {
            value = u64::from(keys[first].1) + 1;
            first += 1;
        }
        let children = nodes.len();
        let waiting = pending.len();
        while first < end {
            let label = keys[first].0[depth];
            let group = keys[first..end].iter().take_while(|key| key.0[depth] == label).count();
            pending.push(Pending { node: nodes.len(), first, end: first + group, depth: depth + 1 });
            nodes.push(0);
            sections.labels.push(label);
            first += group;
        }
        // The first child is next: its children lie right behind it.
        pending[waiting..].reverse();
        if nodes.len() >= MOST_NODES {
            return Err(Error::TooLarge { what: "trie nodes", found: nodes.len(), limit: MOST_NODES });
        }
        let count = (nodes.len() - children) as u64;
        let label = if count > 0 { u64::from(sections.labels[children]) } else { 0 };
        let place = if count >= u64::from(WIDE_CHILDREN) {
            let record = (sections.wide.len() / (4 * WIDE_WORDS)) as u64;
            push_wide(&mut sections, children as u32, count as u32);
            record << 8 | u64::from(WIDE_CHILDREN)
        } else {
            (children as u64) << 8 | count
        };
        nodes[node] = label << 56 | value << 32 | place;
    }
    sections.nodes = nodes.iter().flat_map(|node| node.to_le_bytes()).collect();
    // Readers compare four labels at once.
    sections.labels.extend([0; 4]);
    Ok(sections)
}

fn push_wide(sections: &mut TrieSections, children: u32, count: u32) {
    let mut bits = [0u32; 8];
    for &label in &sections.labels[children as usize..(children + count) as usize] {
        bits[usize::from(label >> 5)] |= 1 << (label & 31);
    }
    let mut before = 0;
    let mut running = 0u32;
    for pair in 0..4 {
        running |= before << (8 * pair);
        before += bits[2 * pair as usize].count_ones() + bits[2 * pair as usize + 1].count_ones();
    }
    sections.wide.extend(children.to_le_bytes());
    sections.wide.extend(running.to_le_bytes());
    bits.iter().for_each(|word| sections.wide.extend(word.to_le_bytes()));
}
