//! How the reference keeps positions while characters are replaced, added and removed.

use crate::characters::{decode, width};
use crate::layout::NONE;
use crate::normalize::Normalized;

/// Writes characters with the reference's bookkeeping of changes: a character replaces the next old one (0), is new
/// (1), or also removes old ones after it (negative). The last one is held back, since a removal amends it.
pub(crate) struct Writer<'n> {
    from: &'n Normalized,
    out: &'n mut Normalized,
    /// Byte position among the old characters.
    at: usize,
    pending: Option<([u8; 4], usize, isize)>,
}

impl<'n> Writer<'n> {
    pub(crate) fn new(from: &'n Normalized, out: &'n mut Normalized) -> Self {
        Self { from, out, at: 0, pending: None }
    }

    #[inline(always)]
    pub(crate) fn keep(&mut self, bytes: &[u8]) {
        self.put(bytes, 0);
    }

    /// Keeps the old characters `start..end`, ASCII all of them.
    pub(crate) fn keep_all(&mut self, start: usize, end: usize) {
        self.flush();
        // A removal amends the last one.
        let last = end.saturating_sub(1);
        let text = self.from.text.get(start..last).unwrap_or(&[]);
        if self.at == start {
            self.out.extend_from(text, self.from.starts.get(start..last).unwrap_or(&[]));
            self.at = last;
        } else {
            // A forgotten removal has left the positions behind; they go on by whole old characters.
            text.iter().for_each(|byte| self.keep(core::slice::from_ref(byte)));
        }
        self.put(self.from.text.get(last..end).unwrap_or(&[]), 0);
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, bytes: &[u8], change: isize) {
        self.flush();
        let mut buffer = [0; 4];
        let length = bytes.len().min(4);
        buffer[..length].copy_from_slice(&bytes[..length]);
        self.pending = Some((buffer, length, change));
    }

    /// `old` characters become the text `with`.
    pub(crate) fn replace(&mut self, old: usize, with: &[u8]) {
        let new = with.iter().filter(|&&b| b & 0xc0 != 0x80).count();
        let kept = new.min(old);
        let mut at = 0;
        let mut index = 0;
        while let Some((_, length)) = decode(with, at) {
            let change = if index < kept { 0 } else { 1 };
            self.put(with.get(at..at + length).unwrap_or(&[]), change);
            at += length;
            index += 1;
        }
        // Fewer than before: the last character written, whatever it was, swallows the rest. With none written yet
        // the reference forgets the removal and all later positions are early by that much; so do we.
        if new < old
            && let Some((_, _, change)) = &mut self.pending
        {
            *change -= (old - new) as isize;
        }
    }

    #[inline(always)]
    pub(crate) fn flush(&mut self) {
        let Some((buffer, length, change)) = self.pending.take() else { return };
        let bytes = buffer.get(..length).unwrap_or(&[]);
        let start = if change > 0 {
            // New: the position of the old character before.
            self.at.checked_sub(1).and_then(|i| self.from.starts.get(i))
        } else {
            self.from.starts.get(self.at)
        };
        self.out.extend(bytes, start.copied().unwrap_or(NONE));
        if change <= 0 {
            for _ in 0..=change.unsigned_abs() {
                self.at += self.from.text.get(self.at).map_or(0, |&b| width(b));
            }
        }
    }
}
