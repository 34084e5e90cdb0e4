//! Counts the bytes that loops look at, so that a test can say that time is linear without a clock. Empty outside of
//! tests.

#[cfg(test)]
std::thread_local! {
    static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// A loop looked at `n` bytes.
#[cfg(test)]
pub fn add(n: usize) {
    STEPS.with(|s| s.set(s.get() + n as u64));
}

#[cfg(not(test))]
#[inline(always)]
pub fn add(_: usize) {}

#[cfg(test)]
mod tests {
    use super::STEPS;
    use crate::find;

    fn steps(text: &str) -> u64 {
        STEPS.with(|s| s.set(0));
        find(text, &mut Vec::new());
        STEPS.with(|s| s.get())
    }

    /// Texts made to be slow: `(piece, what stands at the very end)`.
    const NASTY: [(&str, &str); 38] = [
        ("7.7.7.", ""),
        ("88-77-", ""),
        ("a.a.a.", "@"),
        ("a.a.a.", "@a.a.a.a.aa"),
        ("1:1:1:", ""),
        ("((((", ""),
        ("(0", ""),
        ("%25%25", ""),
        ("&#38;&#38;", ""),
        ("&#x", ""),
        ("%20 ", ""),
        ("1 2 3 ", ""),
        ("11 ", ""),
        ("123456789 ", ""),
        ("1", ""),
        ("a", ""),
        ("é", ""),
        ("a-a-", ""),
        ("a-", ".com/"),
        ("a@", ""),
        ("@a.", ""),
        ("::", ""),
        ("a::", ""),
        ("passport ", ""),
        ("passport A1234567 ", ""),
        ("password: x1y2z3 ", ""),
        ("password:", ""),
        ("born ", "1.1.1990"),
        ("www.", ""),
        ("www.a.de/", ""),
        ("http://", ""),
        ("http://a.de/", ""),
        ("http://a)", ""),
        (";a.de/)", ""),
        ("eyJ.", ""),
        ("-----BEGIN PRIVATE KEY-----", ""),
        ("\u{200b}a", ""),
        ("tel 0-", ""),
    ];

    #[test]
    fn work_grows_like_the_text() {
        for (piece, tail) in NASTY {
            let text = |bytes: usize| piece.repeat(bytes / piece.len()) + tail;
            let (one, two) = (steps(&text(100_000)), steps(&text(200_000)));
            assert!(two <= one * 21 / 10, "{piece:?}: {one} steps, twice the text {two}");
            // The largest constant: URLs without white space between them, each with brackets to count.
            assert!((100_000..=100_000 * 1500).contains(&one), "{piece:?}: {one} steps for 100000 bytes");
        }
    }

    #[test]
    fn prose_costs_little() {
        let prose =
            "The committee met for the third time this spring and agreed to leave the wording as it stands. ";
        assert!(steps(&prose.repeat(100)) < 6 * 100 * prose.len() as u64);
    }
}
