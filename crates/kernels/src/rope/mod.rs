//! Rotary position embedding.

#[cfg(test)]
mod tests;

/// Which two values of a head turn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// `2i` and `2i + 1` (llama).
    Adjacent,
    /// `i` and `i + n / 2` of the `n` values that turn (NeoX: qwen, gemma).
    Halves,
}

/// Turns the first `2 * cos.len()` values of every head of `head` values in `x` by angles given as cosines and sines.
///
/// `(a, b)` becomes `(a * cos - b * sin, a * sin + b * cos)`.
///
/// **Source**: `ggml_compute_forward_rope` of ggml.
///
/// # Panics
/// When `x` is not whole heads or a head is too short.
///
/// ```
/// use lacuna_kernels::rope::{Pairs, rope};
/// let mut x = [1.0, 2.0, 3.0, 4.0];
/// rope(&mut x, 4, &[0.0, 1.0], &[1.0, 0.0], Pairs::Adjacent);
/// assert_eq!(x, [-2.0, 1.0, 3.0, 4.0]);
/// ```
pub fn rope(x: &mut [f32], head: usize, cos: &[f32], sin: &[f32], pairs: Pairs) {
    assert!(head > 0 && x.len().is_multiple_of(head), "{} values are not heads of {head}", x.len());
    assert!(cos.len() == sin.len() && 2 * cos.len() <= head, "{} angles for heads of {head}", cos.len());
    for x in x.chunks_exact_mut(head) {
        match pairs {
            Pairs::Adjacent => {
                let (two, _) = x.as_chunks_mut::<2>();
                for (([a, b], cos), sin) in two.iter_mut().zip(cos).zip(sin) {
                    (*a, *b) = turned(*a, *b, *cos, *sin);
                }
            }
            Pairs::Halves => {
                let (a, b) = x.split_at_mut(cos.len());
                for (((a, b), cos), sin) in a.iter_mut().zip(b).zip(cos).zip(sin) {
                    (*a, *b) = turned(*a, *b, *cos, *sin);
                }
            }
        }
    }
}

#[inline(always)]
fn turned(a: f32, b: f32, cos: f32, sin: f32) -> (f32, f32) {
    (a * cos - b * sin, a * sin + b * cos)
}
