//! Exact arithmetic on slices: quantised products, attention, GELU, norms.
