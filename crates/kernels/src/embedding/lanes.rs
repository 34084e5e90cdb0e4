//! Rows of a table in vectors.

use super::{Row, scalar};
use crate::lanes::Lanes;

#[inline(always)]
pub fn embedding<L: Lanes>(out: &mut [f32], row: Row<'_>, add: bool) {
    let whole = out.len() / L::COUNT * L::COUNT;
    let (out, last) = out.split_at_mut(whole);
    let put = |out: &mut [f32], value: L| {
        let value = if add { L::load(out).add(value) } else { value };
        value.store(out);
    };
    let outs = out.chunks_exact_mut(L::COUNT);
    let rest = match row {
        Row::Int8 { quants, scale, zero } => {
            for (out, quants) in outs.zip(quants.chunks_exact(L::COUNT)) {
                put(out, L::convert(L::load_i8(quants)).sub(L::splat(zero)).mul(L::splat(scale)));
            }
            Row::Int8 { quants: &quants[whole..], scale, zero }
        }
        Row::F32(values) => {
            for (out, values) in outs.zip(values.chunks_exact(L::COUNT)) {
                put(out, L::load(values));
            }
            Row::F32(&values[whole..])
        }
    };
    scalar::embedding(last, rest, add);
}
