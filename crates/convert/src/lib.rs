//! ONNX, safetensors and Hugging Face configurations to GGUF.
#![forbid(unsafe_code)]
