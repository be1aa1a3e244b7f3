#!/usr/bin/env bash
# Collects into build-gpu-deps/ what bench/gpu.sh needs of the libraries of this Debian machine (headers, and two static
# libraries), for machines that have torch and a compiler but none of them. Take the folder along with the working tree.
set -euo pipefail
cd "$(dirname "$0")/.."

target=build-gpu-deps
rm -rf "$target"
mkdir -p "$target/include" "$target/lib"
torch=$(echo .venv/lib/python3*/site-packages/torch)
libraries=/usr/lib/$(uname -m)-linux-gnu

# Every header outside the repository, torch, the compiler and the C library that the sources lead to.
for source in $(git ls-files redqueen/{core,text,checkpoint,policy,model,decode,embedded,train} | grep "\.cc$") bench/gpu/gpu_bench.cc; do
  case $source in
    *_test.cc | *_bench.cc | *_fuzz.cc | */chat_endpoint.cc | */remote_policy.cc)
      [[ $source == bench/gpu/gpu_bench.cc ]] || continue ;;
  esac
  g++ -std=c++20 -DFMT_HEADER_ONLY -I. -idirafter "$torch/include" -idirafter "$torch/include/torch/csrc/api/include" \
    -M "$source"
done | tr ' \\' '\n\n' | grep -E '^/usr/include/(fmt|nlohmann|tl|boost|unicode)/|^/usr/include/pcre2\.h$' | sort -u |
  while read -r header; do
    install -D -m 644 "$header" "$target/include/${header#/usr/include/}"
  done
cp "$libraries"/libpcre2-8.a "$libraries"/libicuuc.a "$libraries"/libicudata.a "$target/lib/"
du -sh "$target"
