#!/usr/bin/env bash
# A wasip1 program compiled for 64-bit Arm and run there (under qemu), beside the same program on this machine: both
# must print the same.
#
#   tools/on_arm.sh model.wasm "Why is the sky blue?" --tokens 16 --temperature 0 --json --quiet
#
# The host is built twice, some minutes each and once: for this machine with feature `arm`, which compiles the program,
# and for Arm with Debian's Rust (tools/aarch64-cargo.sh), which runs it.
set -euo pipefail

[ $# -gt 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
program=$1
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
export CARGO_TARGET_DIR=$target
(cd "$root" && cargo build -q --profile host -p lacuna-host --features arm) >&2
"$root/tools/aarch64-cargo.sh" build -q --profile host -p lacuna-host >&2
host=$target/host/lacuna-host
compiled=$target/on-arm.cwasm
"$host" compile --target aarch64-unknown-linux-gnu "$program" -o "$compiled"

here=$("$host" run-wasm "$program" "$@")
arm=$target/aarch64-unknown-linux-gnu/host/lacuna-host
there=$(qemu-aarch64 -L /usr/aarch64-linux-gnu "$arm" run-wasm "$compiled" "$@")
echo "$there"
if [ "$here" != "$there" ]; then
  echo "on this machine it prints: $here" >&2
  exit 1
fi
echo "the same on Arm and on this machine" >&2
