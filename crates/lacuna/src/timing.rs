//! Where the time of one redaction went.

/// Milliseconds since any fixed moment. The port passes it in: a browser, a component and a command each
/// have their own clock, and the library has none.
pub type Clock<'a> = &'a dyn Fn() -> f64;

/// Milliseconds per phase, taken at phase boundaries only.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timings {
    /// Making the tokenizer usable.
    pub tok_load: f64,
    /// Making the model usable.
    pub model_load: f64,
    /// Text to token ids.
    pub encode: f64,
    /// Token ids to logits, all windows.
    pub forward: f64,
    /// Part of `forward`: matrix products.
    pub matmul: f64,
    /// Part of `forward`: attention.
    pub attention: f64,
    /// Part of `forward`: everything else.
    pub other: f64,
    /// Rules, spans, arbitration, placeholders.
    pub detect: f64,
    /// The whole call.
    pub total: f64,
    /// Windows the text was cut into.
    pub windows: usize,
}

impl Timings {
    /// The value of a `Server-Timing` header.
    pub fn server_timing(&self) -> String {
        format!(
            "tok_load;dur={:.1}, model_load;dur={:.1}, encode;dur={:.1}, \
             forward;dur={:.1};desc=\"{} window(s)\", matmul;dur={:.1}, attention;dur={:.1}, \
             other;dur={:.1}, detect;dur={:.1}, total;dur={:.1}",
            self.tok_load,
            self.model_load,
            self.encode,
            self.forward,
            self.windows,
            self.matmul,
            self.attention,
            self.other,
            self.detect,
            self.total
        )
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_header_has_the_contracted_form() {
        let timings = super::Timings { encode: 0.12, forward: 8.06, windows: 1, ..Default::default() };
        assert_eq!(
            timings.server_timing(),
            "tok_load;dur=0.0, model_load;dur=0.0, encode;dur=0.1, forward;dur=8.1;desc=\"1 window(s)\", \
             matmul;dur=0.0, attention;dur=0.0, other;dur=0.0, detect;dur=0.0, total;dur=0.0"
        );
    }
}
