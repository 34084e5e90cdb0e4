#!/usr/bin/env python3
"""Writes a GGUF file of Qwen2.5-0.5B's shape with random Q4_0 weights: `random_qwen.py FILE.gguf`.

For speed alone: what it says is noise. Needs the `gguf` package and numpy.
"""
import sys

import gguf
import numpy as np

HIDDEN, WIDE, LAYERS, HEADS, KV, HEAD, VOCABULARY = 896, 4864, 24, 14, 2, 64, 151936
random = np.random.default_rng(7)
writer = gguf.GGUFWriter(sys.argv[1], "qwen2")
writer.add_name("random weights of Qwen2.5-0.5B's shape")
writer.add_context_length(4096)
writer.add_embedding_length(HIDDEN)
writer.add_feed_forward_length(WIDE)
writer.add_block_count(LAYERS)
writer.add_head_count(HEADS)
writer.add_head_count_kv(KV)
writer.add_layer_norm_rms_eps(1e-6)
writer.add_rope_freq_base(1e6)
writer.add_vocab_size(VOCABULARY)
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
hidden = [byte for byte in range(256) if byte not in printable]
# The bytes alone: no merge, so a text is as many tokens as bytes.
letters = [chr(byte) for byte in printable] + [chr(256 + i) for i in range(len(hidden))]
writer.add_tokenizer_model("gpt2")
writer.add_tokenizer_pre("gpt-2")
writer.add_token_list(letters + [f"<|{i}|>" for i in range(VOCABULARY - len(letters))])
writer.add_token_types([1] * len(letters) + [3] * (VOCABULARY - len(letters)))
writer.add_eos_token_id(VOCABULARY - 1)


def vector(name, length, centre):
    writer.add_tensor(name, (centre + 0.1 * random.standard_normal(length)).astype(np.float32))


def matrix(name, rows, columns):
    blocks = random.integers(0, 256, (rows, columns // 32, 18), dtype=np.uint8)
    # A block's values are within ±8 scales: this keeps products near one.
    blocks[:, :, :2] = np.frombuffer(np.float16(0.3 / np.sqrt(columns)).tobytes(), np.uint8)
    writer.add_tensor(name, blocks.reshape(rows, -1), raw_dtype=gguf.GGMLQuantizationType.Q4_0)


matrix("token_embd.weight", VOCABULARY, HIDDEN)
vector("output_norm.weight", HIDDEN, 1)
for layer in range(LAYERS):
    b = f"blk.{layer}."
    vector(b + "attn_norm.weight", HIDDEN, 1)
    for which, rows in (("q", HEADS), ("k", KV), ("v", KV)):
        matrix(f"{b}attn_{which}.weight", rows * HEAD, HIDDEN)
        vector(f"{b}attn_{which}.bias", rows * HEAD, 0)
    matrix(b + "attn_output.weight", HIDDEN, HEADS * HEAD)
    vector(b + "ffn_norm.weight", HIDDEN, 1)
    matrix(b + "ffn_gate.weight", WIDE, HIDDEN)
    matrix(b + "ffn_up.weight", WIDE, HIDDEN)
    matrix(b + "ffn_down.weight", HIDDEN, WIDE)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
