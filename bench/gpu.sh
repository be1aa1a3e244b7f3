#!/usr/bin/env bash
# Builds and measures everything that a GPU should make fast, in one call of under ten minutes: sampling at 1, 64 and 512
# rows beside the memory-bandwidth floor and transformers' generate(), utilisation in training, a GRPO step beside TRL's.
#
#     bench/gpu.sh [--tiny] [--out FILE.json] [SHAPE…]        shapes: 0.6B 1.7B 4B (all three), tiny
#
# Needs a CUDA build of torch and transformers in `python3`, nvcc, CMake, Ninja and a C++ compiler; nothing is downloaded.
# Libraries that the system lacks come from build-gpu-deps/, which bench/gpu_pack.sh makes on a machine that has them.
# --tiny: a toy model on the CPU with whatever torch is there (.venv, else python3), to see that all of it works.
set -euo pipefail
cd "$(dirname "$0")/.."

tiny=0 out=build-gpu/gpu.json shapes=()
while (($#)); do
  case $1 in
    --tiny) tiny=1 ;;
    --out) out=$2; shift ;;
    -h | --help) sed -n '2,10p' "$0"; exit 0 ;;
    *) shapes+=("$1") ;;
  esac
  shift
done

began=$SECONDS
limit=${REDQUEEN_BENCH_SECONDS:-570}  # all of it; what would begin later is left out
left() { echo $((limit - (SECONDS - began))); }

if ((tiny)); then
  shapes=(tiny) device=cpu dtype=float32 build=build-gpu-tiny cuda=OFF
  [[ $out == build-gpu/gpu.json ]] && out=$build/gpu.json
  python=python3
  [[ -x .venv/bin/python ]] && python=.venv/bin/python
  sizes='"batches":[1,4,16],"prompt":20,"tokens":24,"train_groups":4,"train_rollouts":4,"train_prompt":20,"train_tokens":24,
    "grpo_prompts":4,"grpo_rollouts":4,"copy_bytes":67108864,"product_size":512,"bursts":true,"repeats":1'
  prompt=20 tokens=24 batches=(1 4 16) grpo=(4 4)
  export OMP_NUM_THREADS=1  # threads that wait for each other are slow on a busy machine, and the toy needs none
else
  ((${#shapes[@]})) || shapes=(1.7B 0.6B 4B)
  device=cuda dtype=bfloat16 build=build-gpu cuda=ON python=python3
  sizes='"batches":[1,64,512],"prompt":128,"tokens":256'
  prompt=128 tokens=256 batches=(1 64 512) grpo=(8 8)
fi
mkdir -p "$build/results"
rm -f "$build"/results/*

torch=$("$python" -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parent)')
optimise=-O3
((tiny)) && optimise=-O1  # only to see that it works
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
jobs=$(nproc)
cmake -S bench/gpu -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="$optimise -DNDEBUG" -DREDQUEEN_CUDA=$cuda \
  -DREDQUEEN_TORCH_DIR="$torch" >"$build/configure.log" || { cat "$build/configure.log"; exit 1; }
cmake --build "$build" -j "${REDQUEEN_BENCH_JOBS:-$jobs}" >"$build/build.log" 2>&1 || { tail -n 40 "$build/build.log"; exit 1; }
echo "built in $((SECONDS - began)) s"

"$python" - "$device" >"$build/results/machine.json" <<'PYTHON'
import json, os, platform, sys, torch
gpu = torch.cuda.get_device_name() if sys.argv[1] == "cuda" else None
print(json.dumps({"gpu": gpu, "torch": torch.__version__, "cuda": torch.version.cuda, "processor": platform.processor() or platform.machine(),
                  "cores": os.cpu_count()}))
PYTHON

# stage SHAPE NAME SECONDS command…: its output joins the results; a failure is a result too.
stage() {
  local file=$build/results/$1.jsonl log=$build/$1-$2.log seconds=$3
  local name=$1-$2
  shift 3
  if (($(left) < 15)); then
    echo "{\"what\": \"failed\", \"why\": \"$name: no time was left\"}" >>"$file"
    return
  fi
  ((seconds < $(left))) || seconds=$(left)
  local start=$SECONDS status=0
  timeout "$seconds" "$@" >>"$file" 2>"$log" || status=$?
  echo "$name: $((SECONDS - start)) s"
  if ((status)); then
    tail -n 5 "$log"
    echo "{\"what\": \"failed\", \"why\": \"$name ended with status $status; see $log\"}" >>"$file"
  fi
}

for shape in "${shapes[@]}"; do
  checkpoint=$build/checkpoint
  rm -rf "$checkpoint"
  "$python" bench/gpu/checkpoint.py "$shape" "$checkpoint" "$device" "$dtype" 2>"$build/$shape-checkpoint.log" || {
    tail -n 5 "$build/$shape-checkpoint.log"
    exit 1
  }
  more=
  [[ $shape == 4B ]] && more=',"checkpointing":true'
  stage "$shape" redqueen 150 "$build/gpu_bench" \
    "{\"folder\":\"$checkpoint\",\"device\":\"$device\",\"dtype\":\"$dtype\",$sizes$more}"
  stage "$shape" transformers 90 "$python" bench/gpu/transformers_generate.py \
    "$checkpoint" "$device" "$dtype" "$prompt" "$tokens" "${batches[@]}"
  stage "$shape" trl 90 "$python" bench/gpu/trl_grpo.py "$checkpoint" "$device" "$dtype" "$prompt" "$tokens" "${grpo[@]}"
  rm -rf "$checkpoint"
done

"$python" bench/gpu/report.py "$build/results" "$out"
echo "$((SECONDS - began)) s in all"
