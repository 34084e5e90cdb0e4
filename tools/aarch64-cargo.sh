#!/usr/bin/env bash
# cargo for 64-bit Arm on Debian, whatever the machine is: `tools/aarch64-cargo.sh build --release -p PACKAGE`.
# The program then runs with `qemu-aarch64 -L /usr/aarch64-linux-gnu`.
#
# Debian's Rust builds the standard library along, for which its source is installed; no rustup is asked. As root,
# missing packages are installed; otherwise they are named and the script fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=(rustc-web cargo-web rust-web-src gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)

log() { echo "aarch64-cargo: $*" >&2; }

missing=()
for package in "${packages[@]}"; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    log "Debian's ${missing[*]} must be installed first"
    exit 1
  fi
  log "installing ${missing[*]}"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

cd "$here/.."
unset RUSTUP_TOOLCHAIN RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTDOC
export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
exec /usr/bin/cargo "$@" -Z build-std=std,panic_abort --target aarch64-unknown-linux-gnu
