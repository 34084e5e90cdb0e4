//! Keys and values of one sequence, page by page.

use kernels::causal_attention::{PAGE, Pages, key_row, slot};

/// Keys and values of the positions a sequence has so far. It grows by pages of 32 positions as they come.
#[derive(Clone, Debug)]
pub struct Cache {
    heads: usize,
    head: usize,
    length: usize,
    /// No value that was ever written is infinite or NaN.
    finite: bool,
    /// A list of pages a layer; a page is `[heads][head][PAGE]` keys, then `[heads][PAGE][head]` values, their rows in the
    /// kernel's order.
    layers: Vec<Vec<Box<[f32]>>>,
}

impl Cache {
    pub(super) fn new(layers: usize, heads: usize, head: usize) -> Cache {
        Cache { heads, head, length: 0, finite: true, layers: vec![Vec::new(); layers] }
    }

    /// Positions held.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether no position is held.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Forgets all positions from `length` on, so that another text can follow the first ones.
    ///
    /// What follows has the same bits as if the forgotten positions had never been there.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
        for pages in &mut self.layers {
            pages.truncate(self.length.div_ceil(PAGE));
        }
    }

    /// Bytes of the pages.
    pub fn bytes(&self) -> usize {
        self.layers.iter().flatten().map(|page| size_of_val(&**page)).sum()
    }

    /// Bytes that `count` more positions add.
    pub fn more_bytes(&self, count: usize) -> usize {
        let pages =
            self.layers.iter().map(|list| (self.length + count).div_ceil(PAGE).saturating_sub(list.len()));
        pages.map(|pages| pages * 2 * self.heads * self.head * PAGE * size_of::<f32>()).sum()
    }

    /// Room for `count` more positions in every layer.
    pub(super) fn reserve(&mut self, count: usize) {
        let pages = (self.length + count).div_ceil(PAGE);
        let page = 2 * self.heads * self.head * PAGE;
        for list in &mut self.layers {
            while list.len() < pages {
                list.push(vec![0.0; page].into_boxed_slice());
            }
        }
    }

    /// Writes the keys and values, `[heads][head]` each, of a position with room.
    pub(super) fn write(&mut self, layer: usize, position: usize, keys: &[f32], values: &[f32]) {
        let (at, head) = (position % PAGE, self.head);
        let page = &mut self.layers[layer][position / PAGE];
        let (all_keys, all_values) = page.split_at_mut(self.heads * head * PAGE);
        for (rows, keys) in all_keys.chunks_exact_mut(PAGE * head).zip(keys.chunks_exact(head)) {
            for (d, key) in keys.iter().enumerate() {
                rows[key_row(d, head) * PAGE + at] = *key;
            }
        }
        for (rows, values) in all_values.chunks_exact_mut(PAGE * head).zip(values.chunks_exact(head)) {
            rows[slot(at) * head..][..head].copy_from_slice(values);
        }
        self.finite &= values.iter().all(|value| value.is_finite());
    }

    /// Counts positions that every layer has written.
    pub(super) fn advance(&mut self, count: usize) {
        self.length += count;
    }

    /// One head of one layer.
    pub(super) fn head(&self, layer: usize, head: usize) -> Head<'_> {
        Head { cache: self, layer, head }
    }
}

/// One head of one layer.
pub(super) struct Head<'c> {
    cache: &'c Cache,
    layer: usize,
    head: usize,
}

impl Pages for Head<'_> {
    fn keys(&self, page: usize) -> &[f32] {
        let each = self.cache.head * PAGE;
        &self.cache.layers[self.layer][page][self.head * each..][..each]
    }

    fn values(&self, page: usize) -> &[f32] {
        let each = self.cache.head * PAGE;
        &self.cache.layers[self.layer][page][(self.cache.heads + self.head) * each..][..each]
    }

    fn finite(&self) -> bool {
        self.cache.finite
    }
}
