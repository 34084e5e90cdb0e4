//! The definition.

use crate::activations::Activations;
use crate::packed::Packed;

pub fn matmul_int8(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    for (t, out) in out.chunks_exact_mut(weights.rows()).enumerate() {
        for (o, out) in out.iter_mut().enumerate() {
            let mut dot = 0;
            for (column, quant) in x.quants(t).iter().enumerate() {
                dot += weights.quant(o, column) * i32::from(*quant);
            }
            let product = dot as f32 * x.scales(t)[0] * weights.scale(o, 0);
            *out = match bias {
                Some(bias) => product + bias[o],
                None => product,
            };
        }
    }
}
