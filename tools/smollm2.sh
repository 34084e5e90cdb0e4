#!/usr/bin/env bash
# SmolLM2-135M-Instruct as published (Q4_1), in F32, Q4_0 and Q8_0 beside the committed answers of llama.cpp's portable and AVX2 builds, and
# the memory that loading takes.
set -euo pipefail
cd "$(dirname "$0")/.."

fetched=$(tools/fetch_smollm2.sh)
target=${CARGO_TARGET_DIR:-target}
cargo build -q --release -p lacuna-cli
cargo build -q --release -p lacuna-model --example agreement
directory=$target/smollm2
mkdir -p "$directory"
for kind in q4_1 f32 q4_0 q8_0; do
  model=$directory/smollm2-$kind.gguf
  case $kind in
    q4_1) model=$fetched ;;
    *) "$target/release/lacuna" quantize "$fetched" -t $kind -o "$model" >/dev/null ;;
  esac
  for fixture in testdata/decoder/smollm2-$kind*.json; do
    echo "$fixture"
    "$target/release/examples/agreement" "$model" "$fixture"
  done
  [ $kind != f32 ] || { rm "$model"; continue; }
  # The file, the cache of 100 positions and 64 MB: loading must not hold the weights twice.
  python3 - "$target/release/lacuna" "$model" <<'PYTHON'
import os
import resource
import subprocess
import sys

program, model = sys.argv[1:]
subprocess.run(
    [program, "complete", "-m", model, "--raw", "-p", "The", "--tokens", "90", "--ignore-end", "--quiet"],
    check=True,
    stdout=subprocess.DEVNULL,
)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
# 30 layers of 3 heads of 64 keys and values, in pages of 32 positions.
cache = 128 * 30 * 3 * 64 * 2 * 4
limit = os.path.getsize(model) + cache + 64 * 10**6
print(f"peak memory {peak / 1e6:.1f} MB, limit {limit / 1e6:.1f} MB")
sys.exit(peak > limit)
PYTHON
done
