#!/usr/bin/env bash
# Converts the small classifiers of testdata/classifiers in Wasm, under our host with epoch interruption on, runs
# their texts there and holds the digests of the logits against the committed ones.
set -euo pipefail
cd "$(dirname "$0")/.."
(
  eval "$(tools/wasm-toolchain.sh wasm32-wasip1 wasm32-unknown-unknown)"
  cargo build --quiet --profile wasm --target wasm32-wasip1 -p lacuna-convert --example classifiers
)
module=${CARGO_TARGET_DIR:-target}/wasm32-wasip1/wasm/examples/classifiers.wasm
printed=$(cargo xtask run-wasm "$module")
echo "$printed"
diff <(echo "$printed") testdata/classifiers/digests.txt
echo "classifiers in Wasm: the committed bits"
