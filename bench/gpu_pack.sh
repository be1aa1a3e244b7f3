#!/usr/bin/env bash
# Collects into build-gpu-deps/ what bench/gpu.sh needs of the libraries of this Debian machine (headers, and three static
# libraries), for machines that have torch and a compiler but none of them. Take the folder along with the working tree.
#
#     bench/gpu_pack.sh [--list]        --list: names the headers, copies nothing
set -euo pipefail
cd "$(dirname "$0")/.."

target=build-gpu-deps
torch=$(echo .venv/lib/python3*/site-packages/torch)
libraries=/usr/lib/$(uname -m)-linux-gnu
carried='^/usr/include/((fmt|nlohmann|tl|boost|unicode)/|(pcre2|xxhash)\.h$)'
# What every machine with a compiler has.
compiler='^(libc6-dev|linux-libc-dev|libcrypt-dev|libgcc-[0-9]+-dev|libstdc\+\+-[0-9]+-dev)$'

# Every header outside the repository, torch and the compiler's folders that the sources lead to; one file includes them all.
headers=$({ cmake -P bench/gpu/sources.cmake; echo "$PWD/bench/gpu/gpu_bench.cc"; } | sed 's/.*/#include "&"/' |
  g++ -std=c++20 -DFMT_HEADER_ONLY -I. -idirafter "$torch/include" -idirafter "$torch/include/torch/csrc/api/include" \
    -M -x c++ - | tr ' \\' '\n\n' | grep '^/usr/' | grep -vE '^/usr/(include/c\+\+|lib/gcc)/' | sort -u)
foreign=$(grep -vE "$carried" <<<"$headers" | xargs -r dpkg -S | while IFS=: read -r package rest; do
  [[ $package =~ $compiler ]] || echo "${rest##* } (of $package)"
done)
if [[ -n $foreign ]]; then
  echo "gpu_pack.sh: the benchmark's sources lead to headers that a machine with a GPU may lack:" >&2
  sed 's/^/  /' <<<"$foreign" >&2
  echo "Leave the sources that need them out (bench/gpu/sources.cmake), or carry the headers (bench/gpu_pack.sh)." >&2
  exit 1
fi
headers=$(grep -E "$carried" <<<"$headers")
if [[ ${1:-} == --list ]]; then
  echo "$headers"
  exit
fi
rm -rf "$target"
mkdir -p "$target/include" "$target/lib"
while read -r header; do
  install -D -m 644 "$header" "$target/include/${header#/usr/include/}"
done <<<"$headers"
cp "$libraries"/libpcre2-8.a "$libraries"/libicuuc.a "$libraries"/libicudata.a "$target/lib/"
du -sh "$target"
