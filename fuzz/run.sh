#!/usr/bin/env bash
# Runs one fuzz target: fuzz/run.sh TARGET [SECONDS]. Finds are left in fuzz/artifacts/TARGET.
# libFuzzer's coverage comes from flags of the stable compiler, so neither cargo-fuzz nor nightly is needed.
set -euo pipefail
cd "$(dirname "$0")"
target=${1:?a target: $(ls fuzz_targets | sed 's/\.rs$//' | tr '\n' ' ')}
seconds=${2:-30}
if ! command -v c++ >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get install -y -qq g++ >/dev/null
  else
    echo "fuzz/run.sh: libFuzzer is C++ and there is no c++ on PATH; it is Debian's package g++" >&2
    exit 1
  fi
fi
triple=$(rustc -vV | sed -n 's/^host: //p')
flags="--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1"
for flag in level=4 inline-8bit-counters pc-table trace-compares; do
  flags+=" -Cllvm-args=-sanitizer-coverage-$flag"
done
# With --target, build scripts and proc-macros are built without these flags.
RUSTFLAGS="$flags" cargo build --quiet --release --target "$triple" --bin "$target"
mkdir -p "corpus/$target" "artifacts/$target"
"target/$triple/release/$target" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 \
  -artifact_prefix="artifacts/$target/" -print_final_stats=1 "corpus/$target" "seeds/$target"
