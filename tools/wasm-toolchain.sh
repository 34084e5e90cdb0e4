#!/usr/bin/env bash
# Makes `cargo build --target <wasm target>` work and prints the environment to use for it:
#
#   eval "$(tools/wasm-toolchain.sh wasm32-wasip1 wasm32-unknown-unknown)"
#
# In this order:
#   1. the toolchain in use already has the targets   -> prints nothing
#   2. root on Debian, and the package rust-web-src   -> builds std once into a private sysroot that
#      is on offer                                       looks like a rustup toolchain, and prints
#                                                        export RUSTUP_TOOLCHAIN='<sysroot>'
#   3. elsewhere                                      -> rustup target add, prints nothing
#
# WASM_SYSROOT overrides where the private sysroot lies (default: the user's cache directory).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
targets=("$@")
[ $# -gt 0 ] || targets=(wasm32-wasip1 wasm32-unknown-unknown)

log() { echo "wasm-toolchain: $*" >&2; }

has_target() {
  local lib
  lib=$(rustc --print target-libdir --target "$1" 2>/dev/null) && compgen -G "$lib/libstd-*.rlib" >/dev/null
}

debian_packages() {
  [ "$(id -u)" = 0 ] && [ -r /etc/debian_version ] && command -v apt-cache >/dev/null || return 1
  dpkg -s rust-web-src >/dev/null 2>&1 && return 0
  apt-cache show rust-web-src >/dev/null 2>&1 && return 0
  apt-get update -qq >&2 && apt-cache show rust-web-src >/dev/null 2>&1
}

missing=()
for target in "${targets[@]}"; do has_target "$target" || missing+=("$target"); done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! debian_packages; then
  command -v rustup >/dev/null || { log "the target(s) ${missing[*]} are missing, and there is no rustup to add them"; exit 1; }
  log "rustup target add ${missing[*]}"
  rustup target add "${missing[@]}" >&2
  exit 0
fi

installed() { dpkg -s rustc-web cargo-web rust-web-src wasi-libc >/dev/null 2>&1 && compgen -G '/usr/lib/llvm-*/bin/lld' >/dev/null; }
if ! installed; then
  log "installing the packages rustc-web, cargo-web, rust-web-src, wasi-libc, lld"
  # The lld that belongs to the LLVM of rustc-web. The packages name it only some levels down, if at all.
  llvm=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances rustc-web 2>/dev/null | grep -oE 'libllvm[0-9]+' | tr -dc '0-9\n' | sort -n | tail -1 || true)
  install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      rustc-web cargo-web rust-web-src wasi-libc "lld-${llvm:-22}" >&2
  }
  # Package lists that are out of date name files that are gone: once more with new ones.
  install || { apt-get update -qq >&2 && install; }
fi

rustc=/usr/bin/rustc
version=$($rustc -V | cut -d' ' -f2)
library=/usr/src/rustc-$version/library
[ -d "$library" ] || { log "$rustc is $version, and its library source $library is missing"; exit 1; }
lld=$(ls -v /usr/lib/llvm-*/bin/lld | tail -1)
host=$($rustc -vV | sed -n 's/^host: //p')
key=$($rustc -vV | cat - "$here/wasm-toolchain.sh" "$here/wasi_stubs.rs" | sha256sum | cut -c1-12)
sysroot=${WASM_SYSROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/lacuna/wasm-sysroot-$key}
native=$sysroot/lib/rustlib/$host
mkdir -p "$sysroot/bin" "$native/bin"
# Two set-ups at once build one sysroot, not half of two.
exec 9>"$sysroot/.lock"
flock 9

ln -sfn "/usr/lib/rustlib/$host/lib" "$native/lib"
ln -sfn "$lld" "$native/bin/rust-lld"
for tool in rustc rustdoc; do
  printf '#!/bin/sh\nexec /usr/bin/%s --sysroot "%s" "$@"\n' $tool "$sysroot" >"$sysroot/bin/$tool"
  chmod +x "$sysroot/bin/$tool"
done
ln -sfn /usr/bin/cargo "$sysroot/bin/cargo"

build_std() {
  local target=$1 build=$sysroot/build lib=$sysroot/lib/rustlib/$1/lib
  log "building the standard library for $target (about a minute)"
  mkdir -p "$build/src" "$lib/self-contained"
  : >"$build/src/lib.rs"
  cat >"$build/Cargo.toml" <<'TOML'
[package]
name = "standard-library"
version = "0.0.0"
edition = "2021"
[workspace]
[profile.release]
opt-level = 3
codegen-units = 1
panic = "abort"
TOML
  # embed-bitcode: without it a dependent's link-time optimisation fails.
  ( cd "$build" && env -u RUSTUP_TOOLCHAIN -u CARGO_ENCODED_RUSTFLAGS RUSTC=$rustc RUSTC_BOOTSTRAP=1 \
      RUSTFLAGS="-C embed-bitcode=yes" CARGO_TARGET_DIR="$build/target" \
      /usr/bin/cargo build -q --release -Z build-std=std,panic_abort,test --target "$target" >&2 )
  cp "$build/target/$target/release/deps/"lib*.rlib "$lib/"
  rm -f "$lib"/libstandard_library*.rlib
  case $target in wasm32-wasi*)
    cp /usr/lib/wasm32-wasi/libc.a "$lib/self-contained/"
    "$sysroot/bin/rustc" --target "$target" --crate-type lib --edition 2024 -O -C panic=abort \
      --emit=obj="$build/stubs.o" "$here/wasi_stubs.rs"
    local start
    for start in crt1-command.o crt1-reactor.o; do
      "$native/bin/rust-lld" -flavor wasm -r "/usr/lib/wasm32-wasi/$start" "$build/stubs.o" \
        -o "$lib/self-contained/$start"
    done ;;
  esac
  rm -rf "$build/target"
  touch "$lib/.done"
}

for target in "${targets[@]}"; do
  [ -f "$sysroot/lib/rustlib/$target/lib/.done" ] || build_std "$target"
done

if command -v rustup >/dev/null; then
  echo "export RUSTUP_TOOLCHAIN='$sysroot'"
else
  echo "export PATH='$sysroot/bin':\"\$PATH\""
  echo "export RUSTC='$sysroot/bin/rustc'"
  echo "export RUSTDOC='$sysroot/bin/rustdoc'"
fi
