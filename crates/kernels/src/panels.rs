//! What the decoder's packed formats have in common.

use crate::block::BLOCK;

/// Why bytes are not a matrix of GGML's blocks, or of panels made from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PanelsError {
    /// Columns that are not whole blocks of 32.
    Columns {
        /// What was given.
        columns: usize,
    },
    /// Too few or too many bytes.
    Bytes {
        /// What the format and the shape need.
        needed: usize,
        /// What was given.
        got: usize,
    },
}

impl PanelsError {
    /// Columns in whole blocks, and as many bytes as they take.
    pub(crate) fn check(
        rows: usize,
        columns: usize,
        block_bytes: usize,
        got: usize,
    ) -> Result<(), PanelsError> {
        PanelsError::check_columns(columns)?;
        PanelsError::check_bytes(rows * (columns / BLOCK) * block_bytes, got)
    }

    pub(crate) fn check_columns(columns: usize) -> Result<(), PanelsError> {
        let whole = columns > 0 && columns.is_multiple_of(BLOCK);
        if whole { Ok(()) } else { Err(PanelsError::Columns { columns }) }
    }

    pub(crate) fn check_bytes(needed: usize, got: usize) -> Result<(), PanelsError> {
        if needed == got { Ok(()) } else { Err(PanelsError::Bytes { needed, got }) }
    }
}

impl core::fmt::Display for PanelsError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            PanelsError::Columns { columns } => write!(f, "needs columns in multiples of 32, got {columns}"),
            PanelsError::Bytes { needed, got } => write!(f, "needs {needed} bytes, got {got}"),
        }
    }
}

impl core::error::Error for PanelsError {}
