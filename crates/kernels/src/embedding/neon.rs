//! NEON: the vectors of `lanes.rs`.

use super::Row;

pub fn embedding(out: &mut [f32], row: Row<'_>, add: bool) {
    super::lanes::embedding::<crate::lanes::neon::F32x4>(out, row, add);
}
