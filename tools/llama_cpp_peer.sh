#!/usr/bin/env bash
# Builds llama.cpp from PyPI's llama-cpp-python, pinned, for the benchmarks to compare with, and prints its directory:
#
#   python/            a virtual environment with llama_cpp and numpy; its libraries are compiled for AVX2
#   best/              the same libraries, but the CPU's compiled for this very machine
#
# LLAMA_CPP_LIB_PATH=DIR/best makes llama_cpp take the second. Some ten minutes of one core, once.
set -euo pipefail

version=0.3.36
directory=${LACUNA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lacuna}/llama-cpp-$version
mkdir -p "$directory"
exec 9>"$directory/.lock"
flock 9
python=$directory/python/bin/python
if [ ! -f "$directory/.done" ]; then
  {
    [ -x "$python" ] || python3 -m venv "$directory/python"
    "$python" -m pip install -q numpy gguf cmake ninja
    source=$directory/llama_cpp_python-$version
    [ -d "$source" ] || {
      "$python" -m pip download -q --no-deps --no-binary llama-cpp-python -d "$directory" "llama-cpp-python==$version"
      tar -xzf "$source.tar.gz" -C "$directory"
    }
    avx2="-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON"
    "$python" -c 'import llama_cpp' 2>/dev/null ||
      CMAKE_ARGS="$avx2 -DLLAVA_BUILD=OFF -DGGML_OPENMP=OFF" "$python" -m pip install -q "$source.tar.gz"
    PATH=$directory/python/bin:$PATH
    cmake -G Ninja -S "$source/vendor/llama.cpp" -B "$directory/build" \
      -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DGGML_NATIVE=ON -DGGML_OPENMP=OFF \
      -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_SERVER=OFF \
      -DLLAMA_BUILD_COMMON=OFF
    cmake --build "$directory/build" --target ggml-cpu
    libraries=$("$python" -c 'import importlib.util, os; print(os.path.join(os.path.dirname(importlib.util.find_spec("llama_cpp").origin), "lib"))')
    rm -rf "$directory/best"
    cp -rL "$libraries" "$directory/best"
    for library in "$directory"/best/libggml-cpu.so*; do
      cp -L "$directory/build/bin/libggml-cpu.so" "$library"
    done
    rm -rf "$directory/build" "$source"
    touch "$directory/.done"
  } >&2
fi
echo "$directory"
