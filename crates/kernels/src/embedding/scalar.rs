//! The definition.

use super::Row;

pub fn embedding(out: &mut [f32], row: Row<'_>, add: bool) {
    for (i, out) in out.iter_mut().enumerate() {
        let value = match row {
            Row::Int8 { quants, scale, zero } => (f32::from(quants[i]) - zero) * scale,
            Row::F32(values) => values[i],
        };
        *out = if add { *out + value } else { value };
    }
}
