//! The definition.

use alloc::vec;

use crate::activations::Activations;
use crate::packed::Packed;

pub fn matmul_int8(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    let outputs = weights.rows();
    let mut w = vec![0; weights.columns()];
    for o in 0..outputs {
        // Decoded once for all rows of x.
        w.iter_mut().enumerate().for_each(|(column, w)| *w = weights.quant(o, column));
        for (t, out) in out.chunks_exact_mut(outputs).enumerate() {
            let dot: i32 = w.iter().zip(x.quants(t)).map(|(w, y)| w * i32::from(*y)).sum();
            let product = dot as f32 * x.scales(t)[0] * weights.scale(o, 0);
            out[o] = match bias {
                Some(bias) => product + bias[o],
                None => product,
            };
        }
    }
}
