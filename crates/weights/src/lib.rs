//! GGUF reader and writer: bytes to a checked tensor directory.
