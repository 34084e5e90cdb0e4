//! The definition.

use super::PanelsQ8_0;
use crate::activations::Activations;
use crate::block::BLOCK;

pub fn matmul_q8_0(out: &mut [f32], weights: &PanelsQ8_0<'_>, x: &Activations) {
    for (t, out) in out.chunks_exact_mut(weights.rows()).enumerate() {
        let (quants, _) = x.quants(t).as_chunks::<BLOCK>();
        for (o, out) in out.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (block, (quants, scale)) in quants.iter().zip(x.scales(t)).enumerate() {
                let mut dot = 0;
                for (i, quant) in quants.iter().enumerate() {
                    dot += weights.quant(o, block, i) * i32::from(*quant);
                }
                sum += dot as f32 * (weights.scale(o, block) * scale);
            }
            *out = sum;
        }
    }
}
