//! The memory of a pass.

use kernels::Activations;
use kernels::attention::Scratch;

use super::Config;

/// Buffers of a pass: they grow to what the largest one needs and stay. Nothing else is allocated in a pass, and
/// nothing is carried from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// `[rows, hidden]`: what a layer reads and leaves.
    pub(super) hidden: Vec<f32>,
    pub(super) query: Vec<f32>,
    pub(super) key: Vec<f32>,
    pub(super) value: Vec<f32>,
    /// `[rows, hidden]`: what attention found.
    pub(super) context: Vec<f32>,
    /// `[rows, hidden]`: what a sublayer adds.
    pub(super) update: Vec<f32>,
    /// `[rows of a slice, feed forward]`.
    pub(super) wide: Vec<f32>,
    pub(super) quantized: Activations,
    pub(super) quantized_wide: Activations,
    pub(super) scratch: Scratch,
    pub(super) logits: Vec<f32>,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Workspace {
        Workspace::default()
    }

    pub(super) fn fit(&mut self, config: &Config, rows: usize, live: usize) {
        for buffer in [
            &mut self.hidden,
            &mut self.query,
            &mut self.key,
            &mut self.value,
            &mut self.context,
            &mut self.update,
        ] {
            grow(buffer, rows * config.hidden);
        }
        grow(&mut self.wide, rows.min(super::FEED_FORWARD_ROWS) * config.feed_forward);
        grow(&mut self.logits, live * config.labels.len());
    }
}

/// Every value is written before it is read, so what is left from earlier passes does not matter.
fn grow(buffer: &mut Vec<f32>, length: usize) {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
}
