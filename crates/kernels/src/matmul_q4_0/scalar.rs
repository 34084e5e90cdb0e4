//! The definition.

use crate::activations::Activations;
use crate::block::BLOCK;
use crate::packed::Packed;

pub fn matmul_q4_0(out: &mut [f32], weights: &Packed<'_>, x: &Activations, bias: Option<&[f32]>) {
    let outputs = weights.rows();
    out.fill(0.0);
    for o in 0..outputs {
        for block in 0..weights.columns() / BLOCK {
            // Decoded once for all rows of x.
            let w: [i32; BLOCK] = core::array::from_fn(|i| weights.quant(o, block * BLOCK + i));
            let scale = weights.scale(o, block);
            for (t, out) in out.chunks_exact_mut(outputs).enumerate() {
                let y = &x.quants(t)[block * BLOCK..][..BLOCK];
                let dot: i32 = w.iter().zip(y).map(|(w, y)| w * i32::from(*y)).sum();
                out[o] += dot as f32 * (scale * x.scales(t)[block]);
            }
        }
    }
    if let Some(bias) = bias {
        for out in out.chunks_exact_mut(outputs) {
            out.iter_mut().zip(bias).for_each(|(out, bias)| *out += bias);
        }
    }
}
