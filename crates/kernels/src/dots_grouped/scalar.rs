//! The definition.

use super::arranged::sum_of;
use super::{ArrangedBlock, Form, FourBlocks, ROWS, Scales};
use crate::block::BLOCK;

pub fn dots_grouped(out: &mut [f32; ROWS], weights: &[FourBlocks], form: Form, x: &[ArrangedBlock]) {
    for (r, out) in out.iter_mut().enumerate() {
        let mut sum = 0.0;
        for (w, x) in weights.iter().zip(x) {
            let dot = |from: usize, to: usize| -> f32 {
                let quants = w.quants[r][from..to].iter().zip(&x.quants[from..to]);
                quants.map(|(q, y)| (i32::from(*q) - i32::from(form.zero)) * i32::from(*y)).sum::<i32>()
                    as f32
            };
            let scale = |half: usize| w.scales[half][r] * x.scale;
            match form.scales {
                Scales::Whole => sum += dot(0, BLOCK) * scale(0),
                Scales::Halves => {
                    sum += dot(0, BLOCK / 2) * scale(0);
                    sum += dot(BLOCK / 2, BLOCK) * scale(1);
                }
                Scales::Offset | Scales::RoundedOffset => {
                    let product = dot(0, BLOCK) * scale(0);
                    sum += product + w.offsets[r] * x.sums[sum_of(form.scales)];
                }
            }
        }
        *out = sum;
    }
}
