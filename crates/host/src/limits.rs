//! Every limit of the host, its default and its reason. All but the last three are options of `serve`.

use std::time::Duration;

pub const KIB: usize = 1024;
pub const MIB: usize = 1024 * KIB;

#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Bytes of a request body; more is 413. A megabyte is a book of 150,000 words, more than one request
    /// should hold a processor for.
    pub body: usize,
    /// Time a guest may run before any byte of the body is counted. A short text takes milliseconds; five
    /// seconds allow for a machine fifty times slower or overloaded.
    pub time_base: Duration,
    /// Time added for each KiB of body. A KiB is about one window of the model (60 ms here), so a second
    /// leaves the same room.
    pub time_per_kib: Duration,
    /// Bytes of linear memory of one guest. The component holds its model (16 MiB) and needs about twenty times
    /// the body beside it; the rest is room for large options.
    pub memory: usize,
    /// Guests that run at once. More than the processors only makes each of them slower.
    pub active: usize,
    /// Requests that wait for a guest; one more is 503 at once. At the default this is a queue of seconds, and a
    /// client is better told than kept.
    pub waiting: usize,
    /// Connections that are open at once. Each costs a buffer and a file descriptor, of which 1,024 are usual.
    pub connections: usize,
    /// Time for a client to send its header and to stay idle between requests.
    pub header_time: Duration,
    /// Time for a client to send its body: a megabyte over a slow line.
    pub body_time: Duration,
    /// Time that open requests get to end after Ctrl-C.
    pub stop_time: Duration,
    /// Bytes of an answer: the text several times over with items for each of its words.
    pub answer: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body: MIB,
            time_base: Duration::from_secs(5),
            time_per_kib: Duration::from_secs(1),
            memory: 256 * MIB,
            active: std::thread::available_parallelism().map_or(2, |n| n.get()).max(2),
            waiting: 256,
            connections: 512,
            header_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            stop_time: Duration::from_secs(10),
            answer: 256 * MIB,
        }
    }
}

impl Limits {
    /// How long a guest may run on a body of so many bytes.
    pub fn time(&self, body_bytes: usize) -> Duration {
        let kib = u32::try_from(body_bytes.div_ceil(KIB)).unwrap_or(u32::MAX);
        self.time_base.saturating_add(self.time_per_kib.saturating_mul(kib))
    }
}

/// How often guests look at the clock, and let others run.
pub const EPOCH_TICK: Duration = Duration::from_millis(10);

/// Bytes of an instance that stay mapped when its slot is given back: the pages a request has written (stack,
/// heap) are cleared in place, so the next request does not fault them in again.
pub const KEEP_RESIDENT: usize = 4 * MIB;

/// Bytes that are read and thrown away of a body over the limit, so that the client sees the 413 and not a reset.
pub const DRAIN: usize = 16 * MIB;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_grows_with_the_body() {
        let limits = Limits::default();
        assert_eq!(limits.time(0), Duration::from_secs(5));
        assert_eq!(limits.time(1), Duration::from_secs(6));
        assert_eq!(limits.time(2048), Duration::from_secs(7));
        assert!(limits.time(usize::MAX) > Duration::from_secs(1 << 31), "no overflow");
    }
}
