#!/usr/bin/env bash
# Builds llama.cpp from PyPI's llama-cpp-python, pinned, for the benchmarks to compare with, and prints its directory:
#
#   python/            a virtual environment with llama_cpp and numpy; its libraries are compiled for AVX2
#   best/              the same libraries, but the CPU's compiled for this very machine
#   portable/          with --portable alone: the CPU's compiled from its definitions in C, for one addition and one
#                      rounding at a time; f32 sums in lanes as for SSE3
#
# LLAMA_CPP_LIB_PATH=DIR/best makes llama_cpp take the second. Some ten minutes of one core, once; the third, one more.
set -euo pipefail

version=0.3.36
directory=${LACUNA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lacuna}/llama-cpp-$version
mkdir -p "$directory"
exec 9>"$directory/.lock"
flock 9
python=$directory/python/bin/python
source=$directory/llama_cpp_python-$version

unpack() {
  [ -d "$source" ] || {
    [ -f "$source.tar.gz" ] ||
      "$python" -m pip download -q --no-deps --no-binary llama-cpp-python -d "$directory" "llama-cpp-python==$version"
    tar -xzf "$source.tar.gz" -C "$directory"
  }
}

# build NAME LIBRARIES OPTIONS...: NAME/ is llama_cpp's libraries with LIBRARIES compiled with OPTIONS.
build() {
  local name=$1 made=$2
  shift 2
  unpack
  PATH=$directory/python/bin:$PATH
  cmake -G Ninja -S "$source/vendor/llama.cpp" -B "$directory/build" \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DGGML_OPENMP=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_SERVER=OFF \
    -DLLAMA_BUILD_COMMON=OFF "$@"
  cmake --build "$directory/build" --target ggml-cpu
  local libraries
  libraries=$("$python" -c 'import importlib.util, os; print(os.path.join(os.path.dirname(importlib.util.find_spec("llama_cpp").origin), "lib"))')
  rm -rf "${directory:?}/$name"
  cp -rL "$libraries" "$directory/$name"
  local part library
  for part in $made; do
    for library in "$directory/$name/lib$part".so*; do
      cp -L "$directory/build/bin/lib$part.so" "$library"
    done
  done
  rm -rf "$directory/build" "$source"
}

if [ ! -f "$directory/.done" ]; then
  {
    [ -x "$python" ] || python3 -m venv "$directory/python"
    "$python" -m pip install -q numpy gguf cmake ninja
    unpack
    avx2="-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON"
    "$python" -c 'import llama_cpp' 2>/dev/null ||
      CMAKE_ARGS="$avx2 -DLLAVA_BUILD=OFF -DGGML_OPENMP=OFF" "$python" -m pip install -q "$source.tar.gz"
    build best ggml-cpu -DGGML_NATIVE=ON
    touch "$directory/.done"
  } >&2
fi
if [ "${1:-}" = --portable ] && [ ! -f "$directory/.portable-done" ]; then
  {
    # Every x86-64 has SSE2, and with it llama.cpp has an exponential of its own.
    flags="-msse3 -U__SSE2__"
    off=$(printf -- '-DGGML_%s=OFF ' NATIVE SSE42 AVX AVX2 FMA F16C BMI2 CPU_REPACK LLAMAFILE)
    # shellcheck disable=SC2086
    build portable "ggml-cpu ggml-base" $off "-DCMAKE_C_FLAGS=$flags" "-DCMAKE_CXX_FLAGS=$flags"
    touch "$directory/.portable-done"
  } >&2
fi
echo "$directory"
