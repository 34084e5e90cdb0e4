//! The definition.

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::Packed;

pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    for (t, out) in out.chunks_exact_mut(weights.rows()).enumerate() {
        let (quants, _) = x.quants(t).as_chunks::<BLOCK>();
        let scales = x.scales(t);
        for (o, out) in out.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (block, (quants, scale)) in quants.iter().zip(scales).enumerate() {
                let mut dot = 0;
                for (i, quant) in quants.iter().enumerate() {
                    dot += weights.quant(o, block * BLOCK + i) * i32::from(*quant);
                }
                sum += dot as f32 * (weights.scale(o, block) * scale);
            }
            *out = match bias {
                Some(bias) => sum + bias[o],
                None => sum,
            };
        }
    }
}
