//! A byte trie: the children of a node lie together, sorted by label, and those of the first child right behind them.

use crate::layout::{WIDE_CHILDREN, WIDE_WORDS};
use crate::table::{Table, Words};

/// A trie in place. Node 0 is the root; an empty section is a trie without a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trie<'a> {
    nodes: &'a [[u8; 8]],
    labels: &'a [u8],
    wide: Words<'a>,
}

/// A node that exists, as it lies in the table: from bit 0 on children (8 bits), first child or wide record (24), value
/// plus one or zero (24), label of the first child (8).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node(u64);

impl Node {
    /// The value of the key that ends here.
    #[inline(always)]
    pub(crate) fn value(self) -> Option<u32> {
        ((self.0 >> 32) as u32 & 0xff_ffff).checked_sub(1)
    }

    #[inline(always)]
    fn children(self) -> u32 {
        self.0 as u32 & 0xff
    }

    #[inline(always)]
    fn first(self) -> u32 {
        self.0 as u32 >> 8
    }

    #[inline(always)]
    fn first_label(self) -> u8 {
        (self.0 >> 56) as u8
    }
}

impl<'a> Trie<'a> {
    /// The trie whose nodes are in section `first`, labels and wide nodes in the two after it.
    pub(crate) fn new(table: &Table<'a>, first: usize) -> Self {
        Self {
            nodes: table.section(first).as_chunks::<8>().0,
            labels: table.section(first + 1),
            wide: table.words(first + 2),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline(always)]
    pub(crate) fn node(&self, index: u32) -> Option<Node> {
        self.nodes.get(index as usize).map(|record| Node(u64::from_le_bytes(*record)))
    }

    /// The bytes that keys start with.
    pub(crate) fn first_bytes(&self) -> impl Iterator<Item = u8> {
        let root = self.root();
        (0..=255).filter(move |&label| root.is_some_and(|root| self.child(root, label).is_some()))
    }

    #[inline(always)]
    pub(crate) fn root(&self) -> Option<Node> {
        self.node(0)
    }

    /// The child of `node` along `label`.
    #[inline(always)]
    pub(crate) fn child(&self, node: Node, label: u8) -> Option<Node> {
        let (first, count) = (node.first(), node.children());
        // Most nodes have one child, and it tells its label itself.
        if count < 2 {
            return if count == 1 && node.first_label() == label { self.node(first) } else { None };
        }
        if count >= WIDE_CHILDREN {
            return self.wide_child(first, label);
        }
        // The label section ends in padding, so that four labels can always be compared at once.
        let labels = self.labels.get(first as usize..)?.first_chunk::<4>()?;
        let different = u32::from_le_bytes(*labels) ^ (u32::from(label) * 0x0101_0101);
        let zeros = different.wrapping_sub(0x0101_0101) & !different & 0x8080_8080;
        let rank = zeros.trailing_zeros() >> 3;
        if rank < count { self.node(first + rank) } else { None }
    }

    /// As `child`, for a node with many children: a bit per label, ranks by counting bits.
    #[inline(always)]
    fn wide_child(&self, record: u32, label: u8) -> Option<Node> {
        let base = record as usize * WIDE_WORDS;
        let group = usize::from(label >> 5);
        let bits = self.wide.get(base + 2 + group)?;
        let bit = 1u32 << (label & 31);
        if bits & bit == 0 {
            return None;
        }
        let first = self.wide.get(base)?;
        // Nibble-free running counts: the number of set bits before each pair of groups, one byte each.
        let before_pair = (self.wide.get(base + 1)? >> (8 * (group >> 1))) & 0xff;
        let in_pair = if group & 1 == 1 { self.wide.get(base + 1 + group)?.count_ones() } else { 0 };
        let rank = before_pair + in_pair + (bits & (bit - 1)).count_ones();
        self.node(first.checked_add(rank)?)
    }

    /// The node at the end of `key` below `node`.
    #[inline]
    pub(crate) fn walk(&self, mut node: Node, key: &[u8]) -> Option<Node> {
        for &label in key {
            node = self.child(node, label)?;
        }
        Some(node)
    }

    /// The value of exactly `key`.
    pub(crate) fn get(&self, key: &[u8]) -> Option<u32> {
        self.walk(self.root()?, key)?.value()
    }
}
