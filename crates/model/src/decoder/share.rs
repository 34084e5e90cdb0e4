//! Work shared among threads.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Does `work` for every part, on this thread and on as many `helpers` as the system grants: where it grants none, as
/// in WebAssembly or in a container at its limit, this thread does all, and nothing waits for the others.
pub fn share<T: Send>(helpers: impl Iterator<Item = Builder>, parts: Vec<T>, work: impl Fn(T) + Sync) {
    let parts = Mutex::new(parts.into_iter());
    // The lock is held for a step of the iterator alone: nothing in there panics.
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let serve = || {
        while let Some(part) = next() {
            work(part);
        }
    };
    thread::scope(|scope| {
        for helper in helpers {
            if helper.spawn_scoped(scope, serve).is_err() {
                break;
            }
        }
        serve();
    });
}

/// The helpers of a pass on `threads` threads.
pub fn helpers(threads: usize) -> impl Iterator<Item = Builder> {
    (1..threads).map(|_| Builder::new())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn squares(helpers: impl Iterator<Item = Builder>) -> Vec<usize> {
        let mut out = vec![0; 100];
        share(helpers, out.iter_mut().enumerate().collect(), |(i, out)| *out = i * i);
        out
    }

    #[test]
    fn every_part_is_done_once() {
        let want: Vec<usize> = (0..100).map(|i| i * i).collect();
        for threads in [0, 1, 2, 5, 200] {
            assert_eq!(squares(helpers(threads)), want, "{threads}");
        }
        let calls = AtomicUsize::new(0);
        share(helpers(3), vec![(); 1000], |()| _ = calls.fetch_add(1, Ordering::Relaxed));
        assert_eq!(calls.into_inner(), 1000);
    }

    /// Reported of others: threads that dead-lock where there are none. A stack no machine has makes the system refuse.
    #[test]
    fn without_threads_this_one_does_all() {
        let refused = || Builder::new().stack_size(1 << 62);
        assert!(refused().spawn(|| ()).is_err());
        let want: Vec<usize> = (0..100).map(|i| i * i).collect();
        assert_eq!(squares((0..3).map(|_| refused())), want);
        let own = thread::current().id();
        share((0..3).map(|_| refused()), vec![(); 10], |()| assert_eq!(thread::current().id(), own));
    }
}
