#!/usr/bin/env python3
"""Writes testdata/gguf: what the `gguf` package makes of blocks and values, for crates/weights.

    pip install gguf==0.19.0 numpy && python3 tools/make_gguf_fixtures.py

dequantize.gguf: for each type a tensor NAME of random blocks (any bits, so scales are infinite and NaN too)
and NAME.values, the package's f32 of them. quantize.gguf: `values` and the package's blocks of them, one
tensor a type. Seeded: the same package writes the same bytes.
"""

import pathlib

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T

OUT = pathlib.Path(__file__).resolve().parent.parent / "testdata" / "gguf"
READ = [T.F16, T.BF16, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.Q4_K, T.Q5_K, T.Q6_K]
WRITTEN = [T.F16, T.BF16, T.Q8_0, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1]


def dequantize(rng):
    writer = gguf.GGUFWriter(OUT / "dequantize.gguf", "fixture")
    for kind in READ:
        size, block_bytes = gguf.GGML_QUANT_SIZES[kind]
        # Every row has whole blocks; 512 columns are 2 blocks of 256 and 16 of 32.
        rows, columns = (128, 512) if kind in (T.F16, T.BF16) else (12, 512)
        blocks = rng.integers(0, 256, (rows, columns // size * block_bytes), dtype=np.uint8)
        if kind in (T.F16, T.BF16):
            # All 65,536 values.
            blocks = np.arange(65536, dtype=np.uint16).view(np.uint8).reshape(rows, columns * 2)
        writer.add_tensor(kind.name.lower(), blocks, raw_dtype=kind)
        with np.errstate(all="ignore"):
            values = gguf.dequantize(blocks, kind).astype(np.float32)
        writer.add_tensor(kind.name.lower() + ".values", values.reshape(rows, columns))
    close(writer)


def values(rng):
    rows = [rng.standard_normal(1024) * scale for scale in (1, 0.02, 3000)]
    rows.append(np.zeros(1024))
    # Ties: multiples of a half of the step, both signs of the extreme, and the same magnitude twice.
    rows.append(rng.integers(-255, 256, 1024) / 2)
    rows.append(rng.integers(-16, 17, 1024) / 2)
    rows.append(np.where(rng.random(1024) < 0.5, -1.0, 1.0))
    rows.append(rng.standard_normal(1024) * 1e-6)
    rows.append(np.float32(rng.standard_normal(1024)) * np.float32(2.0) ** rng.integers(-14, 8, 1024))
    rows.append(np.where(rng.random(1024) < 0.02, -0.0, rng.random(1024) * 5))
    return np.array(rows, dtype=np.float32)


def quantize(rng):
    writer = gguf.GGUFWriter(OUT / "quantize.gguf", "fixture")
    data = values(rng)
    writer.add_tensor("values", data)
    for kind in WRITTEN:
        blocks = data.astype(np.float16).view(np.uint8) if kind == T.F16 else gguf.quantize(data, kind)
        if kind == T.BF16:
            blocks = blocks.view(np.uint8)
        writer.add_tensor(kind.name.lower(), blocks, raw_dtype=kind)
    close(writer)


def close(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    dequantize(np.random.default_rng(1))
    quantize(np.random.default_rng(2))
