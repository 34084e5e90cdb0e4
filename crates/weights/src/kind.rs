/// What a tensor's bytes are: GGML's types, with GGML's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(non_camel_case_types, reason = "GGML's own names")]
#[non_exhaustive]
pub enum Kind {
    F32,
    F16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q8_1,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    Q8_K,
    IQ2_XXS,
    IQ2_XS,
    IQ3_XXS,
    IQ1_S,
    IQ4_NL,
    IQ3_S,
    IQ2_S,
    IQ4_XS,
    I8,
    I16,
    I32,
    I64,
    F64,
    IQ1_M,
    BF16,
    TQ1_0,
    TQ2_0,
    MXFP4,
}

/// One row a type: number in the file, name, elements a block, bytes a block.
const KINDS: [(Kind, u32, &str, usize, usize); 32] = [
    (Kind::F32, 0, "f32", 1, 4),
    (Kind::F16, 1, "f16", 1, 2),
    (Kind::Q4_0, 2, "q4_0", 32, 18),
    (Kind::Q4_1, 3, "q4_1", 32, 20),
    (Kind::Q5_0, 6, "q5_0", 32, 22),
    (Kind::Q5_1, 7, "q5_1", 32, 24),
    (Kind::Q8_0, 8, "q8_0", 32, 34),
    (Kind::Q8_1, 9, "q8_1", 32, 36),
    (Kind::Q2_K, 10, "q2_K", 256, 84),
    (Kind::Q3_K, 11, "q3_K", 256, 110),
    (Kind::Q4_K, 12, "q4_K", 256, 144),
    (Kind::Q5_K, 13, "q5_K", 256, 176),
    (Kind::Q6_K, 14, "q6_K", 256, 210),
    (Kind::Q8_K, 15, "q8_K", 256, 292),
    (Kind::IQ2_XXS, 16, "iq2_xxs", 256, 66),
    (Kind::IQ2_XS, 17, "iq2_xs", 256, 74),
    (Kind::IQ3_XXS, 18, "iq3_xxs", 256, 98),
    (Kind::IQ1_S, 19, "iq1_s", 256, 50),
    (Kind::IQ4_NL, 20, "iq4_nl", 32, 18),
    (Kind::IQ3_S, 21, "iq3_s", 256, 110),
    (Kind::IQ2_S, 22, "iq2_s", 256, 82),
    (Kind::IQ4_XS, 23, "iq4_xs", 256, 136),
    (Kind::I8, 24, "i8", 1, 1),
    (Kind::I16, 25, "i16", 1, 2),
    (Kind::I32, 26, "i32", 1, 4),
    (Kind::I64, 27, "i64", 1, 8),
    (Kind::F64, 28, "f64", 1, 8),
    (Kind::IQ1_M, 29, "iq1_m", 256, 56),
    (Kind::BF16, 30, "bf16", 1, 2),
    (Kind::TQ1_0, 34, "tq1_0", 256, 54),
    (Kind::TQ2_0, 35, "tq2_0", 256, 66),
    (Kind::MXFP4, 39, "mxfp4", 32, 17),
];

impl Kind {
    /// The type with GGML's number `id`, if it is one a file may hold.
    pub fn from_id(id: u32) -> Option<Kind> {
        KINDS.iter().find(|row| row.1 == id).map(|row| row.0)
    }

    /// The type of that name (`q4_0`, `f16`, …), in any case.
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().find(|row| row.2.eq_ignore_ascii_case(name)).map(|row| row.0)
    }

    /// GGML's number for it.
    pub fn id(self) -> u32 {
        self.row().1
    }

    /// GGML's name for it, as GGUF tools print it.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// Elements in a block; a row holds whole blocks.
    pub fn block_size(self) -> usize {
        self.row().3
    }

    /// Bytes of a block.
    pub fn block_bytes(self) -> usize {
        self.row().4
    }

    fn row(self) -> &'static (Kind, u32, &'static str, usize, usize) {
        &KINDS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (index, row) in KINDS.iter().enumerate() {
            assert_eq!(row.0 as usize, index, "{}", row.2);
            assert_eq!(Kind::from_id(row.1), Some(row.0));
            assert_eq!(Kind::from_name(&row.2.to_uppercase()), Some(row.0));
        }
        assert_eq!(Kind::from_id(4), None, "a type GGML removed");
    }
}
