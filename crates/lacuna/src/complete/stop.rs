//! Stop strings across tokens.

/// Holds back text that may become a stop string. Hidden text (special tokens) takes part in the search and is never
/// given out.
#[derive(Clone, Debug)]
pub(super) struct Stops {
    stops: Vec<String>,
    held: String,
    /// For every byte of `held`, whether it may be given out.
    visible: Vec<bool>,
}

impl Stops {
    pub fn new(stops: &[String]) -> Stops {
        Stops { stops: stops.to_vec(), held: String::new(), visible: Vec::new() }
    }

    /// Takes text; returns what is certain now, and whether a stop string was met.
    pub fn push(&mut self, text: &str, visible: bool) -> (String, bool) {
        self.held.push_str(text);
        self.visible.resize(self.held.len(), visible);
        if let Some(at) = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min() {
            let out = self.take(at);
            self.held.clear();
            self.visible.clear();
            return (out, true);
        }
        let certain = self.held.len() - self.longest_start();
        (self.take(certain), false)
    }

    /// What was held back, at the end.
    pub fn finish(&mut self) -> String {
        self.take(self.held.len())
    }

    fn take(&mut self, end: usize) -> String {
        let out =
            self.held[..end].char_indices().filter(|(at, _)| self.visible[*at]).map(|(_, c)| c).collect();
        self.held.drain(..end);
        self.visible.drain(..end);
        out
    }

    /// Bytes at the end of the held text that start some stop string.
    fn longest_start(&self) -> usize {
        let starts = |at: &usize| self.stops.iter().any(|stop| stop.starts_with(&self.held[*at..]));
        let longest = self.stops.iter().map(String::len).max().unwrap_or(0);
        let from = self.held.len().saturating_sub(longest);
        (from..self.held.len())
            .filter(|at| self.held.is_char_boundary(*at))
            .find(starts)
            .map_or(0, |at| self.held.len() - at)
    }
}
