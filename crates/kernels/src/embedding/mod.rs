//! Rows of an embedding table, decoded and added up.

#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::variant::{Needs, Variant, pick};

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// `(quant - zero) * scale`.
    Int8 {
        /// The quants.
        quants: &'a [i8],
        /// The scale of the table.
        scale: f32,
        /// The zero point of the table: an integer of -128..=127.
        zero: f32,
    },
    /// The values themselves.
    F32(&'a [f32]),
}

impl Row<'_> {
    /// How many values the row has.
    pub fn columns(&self) -> usize {
        match self {
            Row::Int8 { quants, .. } => quants.len(),
            Row::F32(values) => values.len(),
        }
    }
}

/// Writes (`add` false) or adds (`add` true) a row of `out.len()` values.
pub type Embedding = fn(out: &mut [f32], row: Row<'_>, add: bool);

/// Best first; the definition ends the list.
pub static VARIANTS: &[Variant<Embedding>] = &[
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx512", needs: Needs::Avx512Vnni, run: x86::embedding_avx512 },
    #[cfg(target_arch = "x86_64")]
    Variant { name: "avx2", needs: Needs::Avx2, run: x86::embedding_avx2 },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Variant { name: "simd128", needs: Needs::Simd128, run: simd128::embedding },
    #[cfg(target_arch = "aarch64")]
    Variant { name: "neon", needs: Needs::Neon, run: neon::embedding },
    Variant { name: "scalar", needs: Needs::Nothing, run: scalar::embedding },
];

/// The sum of `rows` (word, token type, position, …): the first is written, the others are added in order.
///
/// # Panics
/// When a row's length is not that of `out`.
///
/// ```
/// use lacuna_kernels::embedding::{Row, embedding};
/// let mut out = [0.0; 2];
/// embedding(&mut out, &[Row::Int8 { quants: &[3, -1], scale: 0.5, zero: 1.0 }, Row::F32(&[1.0, 1.0])]);
/// assert_eq!(out, [2.0, 0.0]);
/// ```
pub fn embedding(out: &mut [f32], rows: &[Row<'_>]) {
    let run = pick(VARIANTS).run;
    for (i, row) in rows.iter().enumerate() {
        assert!(row.columns() == out.len(), "a row of {} values for {}", row.columns(), out.len());
        run(out, *row, i > 0);
    }
}

/// Bytes as they lie in a file, read as the signed quants they are.
pub fn signed(bytes: &[u8]) -> &[i8] {
    // SAFETY: u8 and i8 have one size and alignment, and every bit pattern is a value of both.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}
