//! Text of any length in windows of a length the model reads well.

use std::ops::Range;

/// How the tokens of a text are cut into windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Bytes of text a window holds at most. Measured, not assumed: see docs/quality.md.
    pub bytes: usize,
    /// Tokens a window holds at most, special tokens not counted.
    pub tokens: usize,
    /// Bytes of text that neighbouring windows share, at least, where words allow it.
    pub overlap: usize,
}

/// One window of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The tokens the model reads.
    pub read: Range<usize>,
    /// The part of them whose answer is used: the windows' `owned` ranges tile the text.
    pub owned: Range<usize>,
}

/// Cuts tokens into windows at word starts. `starts[i]` says that token `i` begins a word (white space before
/// it); `ranges` are the tokens' byte ranges. A word longer than a window is cut inside.
///
/// Each token is answered by the window in which it stands farther from a cut.
pub fn plan(ranges: &[(u32, u32)], starts: &[bool], plan: Plan) -> Vec<Window> {
    let count = ranges.len();
    let mut windows: Vec<Window> = Vec::new();
    let mut begin = 0;
    while begin < count {
        let first_byte = ranges[begin].0 as usize;
        let fits = |end: usize| {
            end - begin <= plan.tokens
                && (ranges[end - 1].1 as usize).saturating_sub(first_byte) <= plan.bytes
        };
        let mut end = begin + 1;
        while end < count && fits(end + 1) {
            end += 1;
        }
        if end < count {
            end = (begin + 1..=end).rev().find(|&i| starts[i]).unwrap_or(end);
        }
        windows.push(Window { read: begin..end, owned: begin..end });
        if end == count {
            break;
        }
        begin = next_begin(ranges, starts, begin, end, plan.overlap);
    }
    share_overlaps(&mut windows, starts);
    windows
}

/// The last word start that leaves `overlap` bytes before `end`, but after `begin`.
fn next_begin(ranges: &[(u32, u32)], starts: &[bool], begin: usize, end: usize, overlap: usize) -> usize {
    let limit = (ranges[end - 1].1 as usize).saturating_sub(overlap);
    // At least half a window of progress: overlap can not make the number of windows explode.
    let earliest = begin + (end - begin).div_ceil(2);
    (earliest..end).rev().find(|&i| starts[i] && ranges[i].0 as usize <= limit).unwrap_or(end)
}

/// Moves the border between neighbours' answers to the middle of what they share, at a word start.
fn share_overlaps(windows: &mut [Window], starts: &[bool]) {
    for i in 1..windows.len() {
        let shared = windows[i].read.start..windows[i - 1].read.end;
        let middle = shared.start + shared.len() / 2;
        let border = (shared.start..=middle).rev().find(|&i| starts[i]).unwrap_or(shared.start);
        windows[i - 1].owned.end = border;
        windows[i].owned.start = border;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of the given lengths, one token each, single spaces between.
    fn words(lengths: &[u32]) -> (Vec<(u32, u32)>, Vec<bool>) {
        let mut at = 0;
        let ranges = lengths
            .iter()
            .map(|&n| {
                let range = (at, at + n);
                at += n + 1;
                range
            })
            .collect();
        (ranges, vec![true; lengths.len()])
    }

    fn check(ranges: &[(u32, u32)], starts: &[bool], p: Plan) -> Vec<Window> {
        let windows = plan(ranges, starts, p);
        let mut next = 0;
        for window in &windows {
            assert_eq!(window.owned.start, next, "answers tile the text");
            next = window.owned.end;
            assert!(window.read.start <= window.owned.start && window.owned.end <= window.read.end);
            assert!(window.read.len() <= p.tokens && !window.owned.is_empty());
        }
        assert_eq!(next, ranges.len());
        windows
    }

    #[test]
    fn short_text_is_one_window() {
        let (ranges, starts) = words(&[5, 5, 5]);
        assert_eq!(check(&ranges, &starts, Plan { bytes: 100, tokens: 10, overlap: 20 }).len(), 1);
        assert!(plan(&[], &[], Plan { bytes: 100, tokens: 10, overlap: 20 }).is_empty());
    }

    #[test]
    fn every_length_is_tiled() {
        for count in 1..200 {
            let lengths: Vec<u32> = (0..count).map(|i| 1 + i * 7 % 13).collect();
            let (ranges, starts) = words(&lengths);
            for (bytes, tokens, overlap) in [(40, 8, 10), (100, 30, 30), (20, 3, 50), (1, 1, 1)] {
                check(&ranges, &starts, Plan { bytes, tokens, overlap });
            }
        }
    }

    #[test]
    fn a_word_without_end_is_cut_inside_and_progress_is_made() {
        let ranges: Vec<(u32, u32)> = (0..1000).map(|i| (i, i + 1)).collect();
        let mut starts = vec![false; 1000];
        starts[0] = true;
        let windows = check(&ranges, &starts, Plan { bytes: 100, tokens: 50, overlap: 20 });
        assert_eq!(windows.len(), 20);
    }

    #[test]
    fn cuts_lie_at_word_starts_and_neighbours_share_context() {
        let (ranges, starts) = words(&[4; 100]);
        let windows = check(&ranges, &starts, Plan { bytes: 100, tokens: 60, overlap: 30 });
        for pair in windows.windows(2) {
            let shared = pair[0].read.end - pair[1].read.start;
            assert!(shared >= 6, "30 bytes are six words of five, got {shared}");
            let left = pair[1].owned.start - pair[1].read.start;
            assert!(left * 2 >= shared - 1, "the border is in the middle: {left} of {shared}");
        }
    }
}
