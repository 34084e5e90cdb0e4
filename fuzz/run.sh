#!/usr/bin/env bash
# Runs one fuzz target: fuzz/run.sh TARGET [SECONDS]; or all of them, two at a time: fuzz/run.sh all [SECONDS].
# Finds are left in fuzz/artifacts/TARGET.
# libFuzzer's coverage comes from flags of the stable compiler, so neither cargo-fuzz nor nightly is needed.
set -euo pipefail
cd "$(dirname "$0")"
all=$(ls fuzz_targets | sed 's/\.rs$//' | tr '\n' ' ')
target=${1:?a target: $all, or all}
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
which=(--bins)
[ "$target" = all ] || which=(--bin "$target")
# With --target, build scripts and proc-macros are built without these flags.
RUSTFLAGS="$flags" cargo build --quiet --release --target "$triple" "${which[@]}"

fuzz() {
  mkdir -p "corpus/$1" "artifacts/$1" "seeds/$1"
  "target/$triple/release/$1" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=30 \
    -artifact_prefix="artifacts/$1/" -print_final_stats=1 "corpus/$1" "seeds/$1"
}

if [ "$target" != all ]; then
  fuzz "$target"
  exit
fi

mkdir -p artifacts
passed=0 failed=0
# One target in a process of its own; its words are shown if it fails.
one() { fuzz "$1" >"artifacts/$1.log" 2>&1; }
finish() {
  local runs
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "artifacts/$1.log")
  # No run is no proof.
  if [ "$2" = 0 ] && [ "${runs:-0}" -gt 0 ]; then
    passed=$((passed + 1))
    echo "fuzz $1: $runs runs, no finding"
  else
    failed=$((failed + 1))
    tail -40 "artifacts/$1.log"
    echo "fuzz $1: failed"
  fi
}
set -- $all
while [ $# -gt 0 ]; do
  first=$1 second=${2:-}
  shift $(($# > 1 ? 2 : 1))
  one "$first" & a=$!
  if [ -n "$second" ]; then one "$second" & b=$!; fi
  status=0; wait $a || status=$?
  finish "$first" $status
  if [ -n "$second" ]; then
    status=0; wait $b || status=$?
    finish "$second" $status
  fi
done
echo "test result: fuzzed. $passed passed; $failed failed; 0 ignored"
[ $failed = 0 ]
