//! Every limit on what a GGUF file may claim, with its reason. All are checked before anything is
//! allocated; none bounds the size of a tensor, which the file's own length does.

/// Tensors in one file. The largest published models have a few thousand.
pub const MAX_TENSORS: u64 = 65_536;

/// Why, in messages.
pub(crate) const TENSORS_REASON: &str = "published models have a few thousand";

/// Metadata keys in one file. Published models have fewer than a hundred.
pub const MAX_KEYS: u64 = 65_536;

/// Bytes of a metadata key: the format's own limit.
pub const MAX_KEY_BYTES: u64 = 65_535;

/// Bytes of a tensor name. GGML holds names in 64 bytes; other writers go a little beyond it.
pub const MAX_NAME_BYTES: u64 = 255;

/// Dimensions of a tensor: GGML has four.
pub const MAX_DIMS: u32 = 4;

/// Arrays inside arrays. No published key nests at all; the bound keeps the reader's stack flat.
pub const MAX_DEPTH: u32 = 4;

/// Alignment of tensor data. Files use 32; 64 suits embedded copies; above a large page it is damage.
pub const MAX_ALIGNMENT: u64 = 1 << 21;

/// The key that sets the alignment.
pub(crate) const ALIGNMENT_KEY: &str = "general.alignment";

/// Alignment when the file does not say: the format's own default.
pub const DEFAULT_ALIGNMENT: u64 = 32;
