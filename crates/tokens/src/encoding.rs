//! The result of an encoding, and the buffers that are reused from one call to the next.

use crate::normalize::Normalized;
use crate::{merge, unigram};
use alloc::vec::Vec;

/// Ids, byte ranges and special marks of one text. Reuse one value over many calls: its buffers grow once.
///
/// **Shape**: the three vectors have one entry a token.
#[derive(Clone, Debug, Default)]
pub struct Encoding {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Half-open byte ranges of the original text. Tokens a template adds are `(0, 0)`.
    pub ranges: Vec<(u32, u32)>,
    /// True for tokens that the template added (`[CLS]`), false for those found in the text, whatever they are.
    pub special: Vec<bool>,
    pub(crate) scratch: Scratch,
}

/// Working memory; holds nothing between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) normalized: Normalized,
    pub(crate) other: Normalized,
    pub(crate) lattice: unigram::Lattice,
    pub(crate) merger: merge::Merger,
}

impl PartialEq for Encoding {
    fn eq(&self, other: &Self) -> bool {
        self.ids == other.ids && self.ranges == other.ranges && self.special == other.special
    }
}

impl Encoding {
    /// An encoding of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.ranges.clear();
        self.special.clear();
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, id: u32, range: (u32, u32)) {
        self.ids.push(id);
        self.ranges.push(range);
    }

    /// Turns round the tokens from `first` on.
    pub(crate) fn reverse_from(&mut self, first: usize) {
        if let (Some(ids), Some(ranges)) = (self.ids.get_mut(first..), self.ranges.get_mut(first..)) {
            ids.reverse();
            ranges.reverse();
        }
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.ids.truncate(length);
        self.ranges.truncate(length);
    }
}
